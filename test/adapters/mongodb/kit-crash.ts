// Started, and killed, by the crash checks of the storage kit.

import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { crashProgram } from "../../conformance/index.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";

const [, , uri = "", database = ""] = process.argv;
await crashProgram(mongodbStorage({ uri, database, ...layoutOfRun }));
