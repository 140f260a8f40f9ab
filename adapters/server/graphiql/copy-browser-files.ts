// A step of the build: copies the files of the GraphiQL page, and the licences that they are under, beside the built module.

import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { browserFileNames, browserPackages, builtFolder, packageFolder, publishedFile } from "./browser-files.ts";

mkdirSync(builtFolder, { recursive: true });
for (const name of browserFileNames) {
  // Our own script is not compiled: it is taken from the sources.
  const source = name === "page.js" ? resolve("adapters/server/graphiql/page.js") : publishedFile(name);
  copyFileSync(source, join(builtFolder, name));
}
for (const name of browserPackages) copyFileSync(join(packageFolder(name), "LICENSE"), join(builtFolder, `LICENSE.${name}.txt`));
