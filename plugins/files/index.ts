// `@file`: uploads, files of objects, and where their bytes are kept.

export { filesPlugin } from "./files-plugin.ts";
export type { FilesOptions } from "./ground/options.ts";
export { type ByteRange, type FileStore, isFileKey, type KeptFile } from "./stores/file-store.ts";
export { type FolderFilesOptions, folderFiles } from "./stores/folder-files.ts";
