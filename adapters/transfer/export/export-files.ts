// The data files of an export, while they are written.

import { join } from "node:path";
import { syncFolder } from "../../storage-kit/index.ts";
import type { MarkedFile } from "./export-draft.ts";
import type { Form } from "./forms.ts";
import type { NodePart } from "./read-nodes.ts";
import { TextFile } from "./text-file.ts";

export class ExportFiles {
  readonly #folder: string;
  readonly #form: Form;
  readonly #gzip: boolean;
  readonly #files = new Map<string, { readonly file: TextFile; isEmpty: boolean }>();
  /** Characters that were added since the last mark. */
  #unmarked = 0;

  /** @param marked files of an interrupted export, which go on at these lengths */
  constructor(folder: string, form: Form, { gzip, marked }: { readonly gzip: boolean; readonly marked: readonly MarkedFile[] }) {
    this.#folder = folder;
    this.#form = form;
    this.#gzip = gzip;
    for (const { name, bytes, isEmpty } of marked) this.#files.set(name, { file: new TextFile(this.#pathOf(name), { gzip, bytes }), isEmpty });
  }

  get names(): readonly string[] {
    return [...this.#files.keys()].map((name) => this.#nameOf(name));
  }

  get unmarked(): number {
    return this.#unmarked;
  }

  #nameOf(name: string): string {
    return this.#gzip ? `${name}.gz` : name;
  }

  #pathOf(name: string): string {
    return join(this.#folder, this.#nameOf(name));
  }

  open(name: string) {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const opened = { file: new TextFile(this.#pathOf(name), { gzip: this.#gzip }), isEmpty: true };
    this.#files.set(name, opened);
    return opened;
  }

  async add(part: NodePart): Promise<void> {
    const lines = this.#form.lines(part);
    if (lines.length === 0) return;
    const opened = this.open(this.#form.fileOf(part));
    const { begin, between } = this.#form;
    const text = `${opened.isEmpty ? begin : between}${lines.join(between)}`;
    this.#unmarked += text.length;
    await opened.file.add(text);
    opened.isEmpty = false;
  }

  /** Resolves when all files are on the disk, as they are now. */
  async mark(): Promise<readonly MarkedFile[]> {
    const marked: MarkedFile[] = [];
    for (const [name, { file, isEmpty }] of this.#files) marked.push({ name, bytes: await file.mark(), isEmpty });
    await syncFolder(this.#folder);
    this.#unmarked = 0;
    return marked;
  }

  async close(): Promise<void> {
    const { begin, end } = this.#form;
    for (const { file, isEmpty } of this.#files.values()) {
      await file.add(isEmpty ? `${begin}${begin === "" ? "" : end}` : end);
      await file.mark();
    }
  }

  destroy(): void {
    for (const { file } of this.#files.values()) file.destroy();
  }
}
