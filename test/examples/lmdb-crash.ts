// Started, and killed, by the crash checks of the storage kit.

import { lmdbStorage } from "../../examples/lmdb-store/lmdb-store.ts";
import { crashProgram } from "../conformance/index.ts";

await crashProgram(lmdbStorage({ path: process.argv[2] ?? "" }));
