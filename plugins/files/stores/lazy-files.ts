// A store that is made when it is used first: a command that needs no files asks for no keys of it.

import type { ByteRange, FileStore, KeptFile } from "./file-store.ts";

export class LazyFiles implements FileStore {
  readonly name: string;
  readonly #make: () => FileStore;
  #made: FileStore | undefined;

  /** @param make throws where something is missing; then nothing is kept of the attempt */
  constructor(name: string, make: () => FileStore) {
    this.name = name;
    this.#make = make;
  }

  assertUsable(): void {
    this.#store.assertUsable?.();
  }

  async write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#store.write(key, bytes);
  }

  async *read(key: string, range: ByteRange): AsyncGenerator<Uint8Array> {
    yield* this.#store.read(key, range);
  }

  async size(key: string): Promise<number | undefined> {
    return await this.#store.size(key);
  }

  async remove(key: string): Promise<void> {
    await this.#store.remove(key);
  }

  async *list(): AsyncGenerator<KeptFile> {
    yield* this.#store.list();
  }

  get #store(): FileStore {
    this.#made ??= this.#make();
    return this.#made;
  }
}
