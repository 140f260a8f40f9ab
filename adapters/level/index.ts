// The LevelDB storage: one folder, one process.

export { type LeveldbStorageOptions, leveldbStorage } from "./leveldb-storage.ts";
export { makeFolder } from "./make-folder.ts";
