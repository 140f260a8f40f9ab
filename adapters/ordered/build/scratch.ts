// The folder for the sorted runs of a build: inside the folder of the store, so that they lie on its disk, or else a temporary one.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const name = "scratch";

export class Scratch {
  readonly #storeFolder: string | undefined;
  #folder: Promise<string> | undefined;
  #files = 0;

  constructor(storeFolder: string | undefined) {
    this.#storeFolder = storeFolder;
  }

  /** The path of a new file. */
  async path(): Promise<string> {
    this.#folder ??= this.#make();
    return join(await this.#folder, `${++this.#files}.run`);
  }

  async #make(): Promise<string> {
    if (this.#storeFolder === undefined) return await mkdtemp(join(tmpdir(), "quern-build-"));
    await removeScratch(this.#storeFolder);
    const folder = join(this.#storeFolder, name);
    await mkdir(folder);
    return folder;
  }

  async remove(): Promise<void> {
    const folder = await this.#folder;
    this.#folder = undefined;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what a killed process left. Nothing of it is used again: the builds start anew. */
export async function removeScratch(storeFolder: string): Promise<void> {
  await rm(join(storeFolder, name), { recursive: true, force: true });
}
