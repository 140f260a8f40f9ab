// How a storage in a folder is handed to the crash checks of the storage kit.

import type { Storage } from "../../core/storage.ts";
import type { CrashPlace } from "../conformance/index.ts";
import { builtProgram } from "./built-program.ts";

/** `program` is a TypeScript file that calls `crashProgram` with the storage over the folder named in its first argument. */
export function crashPlace(program: URL, path: string, storage: (path: string) => Storage): CrashPlace {
  return {
    // One process, without the wrapper of a script runner, so that the signal meets it.
    command: [process.execPath, builtProgram(program), path],
    storage: () => storage(path),
  };
}
