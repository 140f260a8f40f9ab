import { createRequire } from "node:module";
import { dirname } from "node:path";

/** The folder of this package. The build gathers modules in chunks, so no module can look for files beside itself. */
export const packageFolder: string = dirname(createRequire(import.meta.url).resolve("quern/package.json"));
