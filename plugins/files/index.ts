// `@file`: uploads, files of objects, and where their bytes are kept.

export { filesPlugin } from "./files-plugin.ts";
export type { FilesOptions } from "./ground/options.ts";
export { type FileStoreConformanceOptions, fileStoreConformance } from "./kit/file-store-checks.ts";
export { type ByteRange, type FileStore, isFileKey, type KeptFile } from "./stores/file-store.ts";
export { filesAt } from "./stores/files-at.ts";
export { type FolderFilesOptions, folderFiles } from "./stores/folder-files.ts";
export { type S3FilesOptions, s3Files } from "./stores/s3-files.ts";
