// The LevelDB storage: one folder, one process.

export { type BorrowedFiles, borrowedFiles } from "./files/borrowed-files.ts";
export { holdsStoreFiles } from "./files/survey.ts";
export { type LeveldbNamespaces, type LeveldbNamespacesOptions, leveldbNamespaces, namespaceFolder } from "./level-namespaces.ts";
export { type LeveldbStorageOptions, leveldbStorage } from "./leveldb-storage.ts";
