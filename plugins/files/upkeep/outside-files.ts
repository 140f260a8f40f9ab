// What `quern check`, `backup`, `restore`, `export` and `import` do with files.

import type { KernelAccess, OutsideData } from "../../../core/plugin.ts";
import { ensureSecret } from "../records/secret.ts";
import type { FileStore } from "../stores/file-store.ts";
import { folderFiles } from "../stores/folder-files.ts";
import { checkFiles } from "./check-files.ts";
import { copyFiles } from "./copy-files.ts";
import { assertFiles } from "./referred-files.ts";

export function outsideFiles(store: FileStore): OutsideData {
  return {
    name: "files",
    check: (kernel, options) => checkFiles(store, withFiles(kernel), options),
    copyTo: async (folder, kernel, options) => await copyFiles({ from: store, to: folderFiles({ path: folder }) }, withFiles(kernel), options),
    copyFrom: async (folder, kernel, options) => {
      const copied = await copyFiles({ from: folderFiles({ path: folder }), to: store }, withFiles(kernel), options);
      // An export has none.
      await kernel.transact((transaction) => ensureSecret(transaction));
      return copied;
    },
  };
}

function withFiles(kernel: KernelAccess): KernelAccess {
  assertFiles(kernel);
  return kernel;
}
