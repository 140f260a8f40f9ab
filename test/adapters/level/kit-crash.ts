// Started, and killed, by the crash checks of the storage kit.

import { leveldbStorage } from "../../../adapters/level/index.ts";
import { crashProgram } from "../../conformance/index.ts";

await crashProgram(leveldbStorage({ path: process.argv[2] ?? "" }));
