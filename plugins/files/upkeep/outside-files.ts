// What `quern check`, `backup`, `restore`, `export` and `import` do with files.

import { type KernelAccess, type OutsideData, QuernError } from "../../../core/plugin.ts";
import { ensureSecret } from "../records/secret.ts";
import type { FileStore } from "../stores/file-store.ts";
import { folderFiles } from "../stores/folder-files.ts";
import { checkFiles } from "./check-files.ts";
import { copyFiles } from "./copy-files.ts";
import { hasFiles } from "./referred-files.ts";

export function outsideFiles(store: FileStore): OutsideData {
  return {
    name: "files",
    check: (kernel, options) => checkFiles(store, withFiles(kernel), options),
    copyTo: (folder, kernel) => copyFiles(store, folderFiles({ path: folder }), withFiles(kernel)),
    copyFrom: async (folder, kernel) => {
      const copied = await copyFiles(folderFiles({ path: folder }), store, withFiles(kernel));
      // An export has none.
      await kernel.transact((transaction) => ensureSecret(transaction));
      return copied;
    },
  };
}

/** @throws `REQUEST_REFUSED`: every file would count as one that nothing refers to */
function withFiles(kernel: KernelAccess): KernelAccess {
  if (hasFiles(kernel)) return kernel;
  throw new QuernError("REQUEST_REFUSED", "The deployed schema has no field with @file, so nothing says which files belong to it.");
}
