// Folders for sorted runs: inside the folder of the store, so that they lie on its disk, or else a temporary one.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `scratch`, and `threaded` of another thread: nothing of it is used after a kill. `build`: the runs of a build that goes on after one. */
export type Purpose = "scratch" | "threaded" | "build";

export class Scratch {
  readonly #storeFolder: string | undefined;
  readonly #purpose: Purpose;
  #folder: Promise<string> | undefined;
  #files = 0;

  constructor(storeFolder: string | undefined, purpose: Purpose = "scratch") {
    this.#storeFolder = storeFolder;
    this.#purpose = purpose;
  }

  /** Files are still there after a kill. */
  get isKept(): boolean {
    return this.#storeFolder !== undefined && this.#purpose === "build";
  }

  /** The path of a new file. */
  async path(): Promise<string> {
    return await this.pathOf(++this.#files);
  }

  async pathOf(file: number): Promise<string> {
    this.#folder ??= this.#make();
    return join(await this.#folder, `${file}.run`);
  }

  /** The number of the newest file. */
  get files(): number {
    return this.#files;
  }

  /** Goes on with the files of before. @param files their number: new ones get higher numbers */
  resume(files: number): void {
    if (this.#storeFolder === undefined) return;
    this.#files = files;
    this.#folder = Promise.resolve(join(this.#storeFolder, this.#purpose));
  }

  async #make(): Promise<string> {
    if (this.#storeFolder === undefined) return await mkdtemp(join(tmpdir(), "quern-build-"));
    const folder = join(this.#storeFolder, this.#purpose);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    return folder;
  }

  async remove(): Promise<void> {
    const folder = this.#storeFolder === undefined ? await this.#folder : join(this.#storeFolder, this.#purpose);
    this.#folder = undefined;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what a killed process left, except the runs of a build that goes on. */
export async function removeScratch(storeFolder: string, { isBuildPending }: { readonly isBuildPending: boolean }): Promise<void> {
  const purposes: readonly Purpose[] = isBuildPending ? ["scratch", "threaded"] : ["scratch", "threaded", "build"];
  for (const purpose of purposes) await rm(join(storeFolder, purpose), { recursive: true, force: true });
}
