// A step of the build: copies the files of the GraphiQL page, and the licences that they are under, beside the built module.

import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { browserFileNames, browserPackages, builtFolder, folderOf, publishedFile } from "./browser-files.ts";

mkdirSync(builtFolder, { recursive: true });
for (const name of browserFileNames) copyFileSync(publishedFile(name), join(builtFolder, name));
for (const name of browserPackages) copyFileSync(join(folderOf(name), "LICENSE"), join(builtFolder, `LICENSE.${name}.txt`));
