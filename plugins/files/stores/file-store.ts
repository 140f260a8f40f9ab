// The contract between the plugin and where bytes are kept. A store knows no objects, no names and no rights: it keeps bytes under keys.

/**
 * Keeps the bytes of files. Keys are 40 hexadecimal digits that the plugin draws by lot; a key is written once. The smallest one, in memory:
 *
 *     const kept = new Map<string, Buffer>();
 *     const store: FileStore = {
 *       name: "memory",
 *       write: async (key, bytes) => void kept.set(key, await buffer(bytes)),
 *       read: async function* (key, { start, end }) {
 *         yield kept.get(key)?.subarray(start, end) ?? missingFile(key);
 *       },
 *       size: async (key) => kept.get(key)?.byteLength,
 *       remove: async (key) => void kept.delete(key),
 *       list: async function* () {
 *         for (const [key, { byteLength }] of kept) yield { key, bytes: byteLength };
 *       },
 *     };
 *
 * `fileStoreConformance` of `quern/plugins/files` tests a store.
 */
export interface FileStore {
  /** One word, for logs and messages: `folder`, `s3`. */
  readonly name: string;
  /**
   * Keeps all of `bytes` under `key`. When it resolves, they are durable, and every server that shares the store reads them. When `bytes` throws, or the store fails,
   * it rejects and nothing is kept. It reads `bytes` at its own pace and holds no more than a few megabytes of them.
   *
   * @throws `STORE_UNAVAILABLE`, also where there is no room left
   */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * The bytes from `start` up to `end`, which is not included; both are within the file. Opens nothing before it is read, and lets go of everything when its reader
   * ends early.
   *
   * @throws `NOT_FOUND` when there is nothing under the key, while it is read
   */
  read(key: string, range: ByteRange): AsyncIterable<Uint8Array>;
  /** How many bytes are kept under `key`. Undefined: none, also while they are written. */
  size(key: string): Promise<number | undefined>;
  /** Forgets what is kept under `key`, and what an interrupted `write` has left of it. No effect when there is nothing. */
  remove(key: string): Promise<void>;
  /** Everything that is kept, in any order, what interrupted writes have left included. It holds a bounded part of the list. */
  list(): AsyncIterable<KeptFile>;
  /**
   * Called when a server starts. It throws `CONFIG_INVALID` where something is missing without which no file can be kept, such as a key. Commands that need no files
   * do not call it.
   */
  assertUsable?(): void;
}

/** A part of a file. */
export interface ByteRange {
  readonly start: number;
  /** The first byte that is not part of it. */
  readonly end: number;
}

/** What a store keeps under a key. */
export interface KeptFile {
  readonly key: string;
  readonly bytes: number;
}

/** Whether a text may be a key: no store makes a path of anything else. */
export function isFileKey(text: string): boolean {
  return /^[0-9a-f]{40}$/u.test(text);
}
