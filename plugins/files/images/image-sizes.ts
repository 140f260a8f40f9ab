// Images in the sizes that are asked for. Each is made once, when its address is read first, and kept beside the image.

import { buffer } from "node:stream/consumers";
import { type KernelAccess, type NodeType, QuernError, type Uid } from "../../../core/plugin.ts";
import type { FilesSettings } from "../ground/options.ts";
import { writeInsured } from "../records/insured.ts";
import { addSize, findSize } from "../records/sizes.ts";
import { missingFile } from "../stores/store-errors.ts";
import { Turns } from "../stores/turns.ts";
import { resized } from "./resize.ts";
import { imageFormats, maxSourceBytes } from "./widths.ts";

export interface WantedSize {
  /** The file that has the image. */
  readonly file: { readonly uid: Uid; readonly type: NodeType };
  /** Where the image is. */
  readonly key: string;
  /** Its media type. */
  readonly type: string;
  readonly width: number;
}

/** Where the bytes of a size are. */
export interface FoundSize {
  readonly key: string;
  readonly bytes: number;
}

/** Each works on several threads, and holds an image and its pixels. */
const atOnce = 2;
const maxWaiting = 64;
/** Images that cannot be read, or take too long, are remembered for a while, so that nobody keeps the server busy with one. */
const maxRefused = 1_000;
const refusedMs = 60_000;
const lastsMs = 600_000;

export class ImageSizes {
  readonly #kernel: KernelAccess;
  readonly #settings: Pick<FilesSettings, "store" | "maxImagePixels">;
  readonly #turns = new Turns(atOnce);
  readonly #running = new Map<string, Promise<FoundSize>>();
  readonly #refused = new Map<string, { readonly error: QuernError; readonly until: number }>();

  constructor(kernel: KernelAccess, settings: Pick<FilesSettings, "store" | "maxImagePixels">) {
    this.#kernel = kernel;
    this.#settings = settings;
  }

  /** @throws `VALUE_INVALID` for an image that cannot be read, `OVERLOADED`, or an error of the store */
  async at(wanted: WantedSize): Promise<FoundSize> {
    const found = await this.#found(wanted);
    if (found?.bytes !== undefined) return { key: found.key, bytes: found.bytes };
    const refused = this.#refused.get(wanted.key);
    if (refused !== undefined && refused.until > performance.now()) throw refused.error;
    const name = `${wanted.key} ${wanted.width}`;
    const running = this.#running.get(name) ?? this.#make(wanted, found?.key).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return await running;
  }

  /** `bytes` is undefined where they are missing, as after a restore: copies have none of them. */
  async #found({ key: of, width }: WantedSize): Promise<{ readonly key: string; readonly bytes: number | undefined } | undefined> {
    const snapshot = this.#kernel.snapshot();
    const found = await findSize(snapshot, { of, width }).finally(() => snapshot.close());
    return found && { key: found.key, bytes: await this.#settings.store.size(found.key) };
  }

  async #make(wanted: WantedSize, missing: string | undefined): Promise<FoundSize> {
    if (this.#turns.waiting >= maxWaiting)
      throw new QuernError("OVERLOADED", `${maxWaiting} images wait to be made smaller.`, { hint: "Try again in a moment." });
    const { file, key: of, width } = wanted;
    const bytes = await this.#turns.run(() => this.#resized(wanted));
    const key = await writeInsured(this.#kernel, this.#settings.store, {
      lastsMs,
      bytes: only(bytes),
      commit: (transaction, fresh) => addSize(transaction, { of, width, file, key: fresh, missing }),
    });
    if (key !== undefined) return { key, bytes: bytes.byteLength };
    const other = await this.#found(wanted);
    if (other?.bytes === undefined) throw new QuernError("NOT_FOUND", "There is no file at this address any more.");
    return { key: other.key, bytes: other.bytes };
  }

  async #resized({ key, type, width }: WantedSize): Promise<Uint8Array> {
    const { store, maxImagePixels: maxPixels } = this.#settings;
    const length = (await store.size(key)) ?? missingFile(key);
    const source = await buffer(store.read(key, { start: 0, end: Math.min(length, maxSourceBytes) }));
    try {
      return await resized(source, { type, width, maxPixels });
    } catch (thrown) {
      if (thrown instanceof QuernError && thrown.code === "VALUE_INVALID") this.#refuse(key, thrown);
      throw thrown;
    }
  }

  #refuse(key: string, error: QuernError): void {
    const [oldest] = this.#refused.keys();
    if (oldest !== undefined && this.#refused.size >= maxRefused) this.#refused.delete(oldest);
    this.#refused.set(key, { error, until: performance.now() + refusedMs });
  }
}

/** The media type of an image in other sizes. */
export function sizedType(type: string): string {
  return `image/${imageFormats[type]?.becomes ?? "webp"}`;
}

/** With the ending of what it has become. */
export function sizedName(name: string, type: string): string {
  return `${name.replace(/\.[^.]*$/u, "")}.${imageFormats[type]?.becomes === "jpeg" ? "jpg" : "webp"}`;
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
