// Files in a folder. A file gets its name when all of it is on the disk: what was interrupted lies in a folder of its own.

import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, opendir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type ByteRange, type FileStore, isFileKey, type KeptFile } from "./file-store.ts";
import { missingFile, storeFailed } from "./store-errors.ts";

/** Options of `folderFiles`. */
export interface FolderFilesOptions {
  /** The folder; it is made at the first upload. Servers that share a database share it too. */
  readonly path: string;
}

const incoming = "incoming";

/** Keeps files in a folder of this machine, or of a file system that several share. */
export function folderFiles({ path }: FolderFilesOptions): FileStore {
  return new FolderFiles(path);
}

class FolderFiles implements FileStore {
  readonly name = "folder";
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const draft = this.#draftOf(key);
    const folder = this.#folderOf(key);
    try {
      await mkdir(join(this.#path, incoming), { recursive: true });
      await writeDurably(draft, bytes);
      await mkdir(folder, { recursive: true });
      await rename(draft, this.#placeOf(key));
      await syncFolder(folder);
    } catch (thrown) {
      await rm(draft, { force: true }).catch(() => undefined);
      storeFailed(this.name, thrown);
    }
  }

  async *read(key: string, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    if (end <= start) return;
    try {
      // Of `end`, Node reads the last byte too.
      yield* createReadStream(this.#placeOf(key), { start, end: end - 1 });
    } catch (thrown) {
      if (isAbsent(thrown)) missingFile(key);
      storeFailed(this.name, thrown);
    }
  }

  async size(key: string): Promise<number | undefined> {
    return await sizeAt(this.#placeOf(key), this.name);
  }

  async remove(key: string): Promise<void> {
    try {
      await rm(this.#draftOf(key), { force: true });
      await rm(this.#placeOf(key), { force: true });
    } catch (thrown) {
      storeFailed(this.name, thrown);
    }
  }

  async *list(): AsyncGenerator<KeptFile> {
    for await (const folder of entriesOf(this.#path)) {
      for await (const name of entriesOf(join(this.#path, folder))) {
        const bytes = isFileKey(name) ? await sizeAt(join(this.#path, folder, name), this.name) : undefined;
        if (bytes !== undefined) yield { key: name, bytes };
      }
    }
  }

  #folderOf(key: string): string {
    assertKey(key);
    return join(this.#path, key.slice(0, 2));
  }

  #placeOf(key: string): string {
    return join(this.#folderOf(key), key);
  }

  #draftOf(key: string): string {
    assertKey(key);
    return join(this.#path, incoming, key);
  }
}

/** No other text becomes a path. */
function assertKey(key: string): void {
  if (!isFileKey(key)) throw new TypeError("A key of a file is 40 hexadecimal digits.");
}

async function writeDurably(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    for await (const piece of bytes) await writeWhole(file, piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeWhole(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let written = 0; written < piece.byteLength; ) written += (await file.write(piece, written)).bytesWritten;
}

/** The name is as durable as the bytes. Not every system opens folders. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  try {
    await folder?.sync();
  } catch {
    // A file system that syncs no folders keeps their names by itself.
  } finally {
    await folder?.close();
  }
}

async function sizeAt(path: string, store: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : undefined;
  } catch (thrown) {
    return isAbsent(thrown) ? undefined : storeFailed(store, thrown);
  }
}

async function* entriesOf(path: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(path)) yield name;
  } catch (thrown) {
    if (!isAbsent(thrown) && !isNoFolder(thrown)) throw thrown;
  }
}

function isAbsent(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
}

function isNoFolder(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOTDIR";
}
