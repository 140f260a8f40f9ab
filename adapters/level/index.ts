// The LevelDB storage: one folder, one process.

export { holdsStoreFiles } from "./files/survey.ts";
export { type LeveldbStorageOptions, leveldbStorage } from "./leveldb-storage.ts";
