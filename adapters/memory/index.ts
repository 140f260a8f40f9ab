// A storage that forgets everything with its process: for tests, demos and caches.

export { type MemoryStorageOptions, memoryStorage } from "./memory-storage.ts";
