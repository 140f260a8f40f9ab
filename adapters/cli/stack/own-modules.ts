// Where this package's own modules lie. The build gathers modules in chunks and leaves only its entries in their places.

import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";

const extension = extname(import.meta.url);
const packageFolder = dirname(createRequire(import.meta.url).resolve("quern/package.json"));

/** The folder from which the paths of modules start: the sources where these run, otherwise the build. */
export const modulesFolder: string = extension === ".ts" ? packageFolder : join(packageFolder, "dist");

/** The file of an entry of the build, such as `moduleFile("adapters/server/index")`. */
export function moduleFile(path: string): string {
  return join(modulesFolder, `${path}${extension}`);
}
