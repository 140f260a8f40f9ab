// Reads multipart forms as they arrive: their fields within bounds, and their files one after the other.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { BusboyFileStream } from "@fastify/busboy";
import { QuernError } from "../../../core/plugin.ts";

/** A file of a form. */
export interface FormFile {
  /** Of its field. */
  readonly field: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly name: string | undefined;
  readonly type: string;
}

/** What becomes of the parts. Both may throw to refuse the form. */
export interface FormReader {
  readonly field: (name: string, value: string) => void;
  /** Reads all bytes of the file. The next part comes when it is done. */
  readonly file: (file: FormFile) => Promise<void>;
}

export interface FormBounds {
  /** The most bytes of a field that is no file. */
  readonly maxFieldBytes: number;
  readonly maxFields: number;
  readonly maxFiles: number;
}

interface SentForm {
  readonly type: string;
  readonly incoming: AsyncIterable<Uint8Array>;
}

/** @throws what a reader throws, and `REQUEST_INVALID` for what is no form */
export async function readForm({ type, incoming }: SentForm, reader: FormReader, bounds: FormBounds): Promise<void> {
  const { Busboy } = await import("@fastify/busboy");
  const reading = new Reading(reader);
  const { maxFieldBytes: fieldSize, maxFields: fields, maxFiles: files } = bounds;
  const limits = { fieldSize, fields, files, headerPairs: 32, headerSize: 8 * 1024 };
  const form = wellFormed(() => new Busboy({ headers: { "content-type": type }, limits }));
  form.on("field", (name, value, _nameCut, valueCut) => {
    reading.take(() => (valueCut ? refuse(tooMuch(`the field ${JSON.stringify(name)}`, `${fieldSize} bytes`)) : reader.field(name, value)), form);
  });
  form.on("file", (field, bytes, name, _encoding, mime) => reading.file({ field, bytes, name: name || undefined, type: mime }, form));
  form.on("fieldsLimit", () => form.destroy(tooMuch("the form", `${fields} fields`)));
  form.on("filesLimit", () => form.destroy(tooMuch("the form", `${files} files`)));
  await pipeline(Readable.from(incoming), form).catch((thrown: unknown) => reading.fail(thrown));
  await reading.end();
}

class Reading {
  readonly #reader: FormReader;
  #current: BusboyFileStream | undefined;
  #files: Promise<void> = Promise.resolve();
  #refused: unknown;

  constructor(reader: FormReader) {
    this.#reader = reader;
  }

  take(work: () => void, form: Destroyable): void {
    try {
      work();
    } catch (thrown) {
      this.#refuse(thrown, form);
    }
  }

  file(file: FormFile & { readonly bytes: BusboyFileStream }, form: Destroyable): void {
    const { bytes } = file;
    this.#current = bytes;
    // Its reader may come later than its error.
    bytes.on("error", () => undefined);
    this.#files = this.#files.then(() => this.#reader.file(file)).catch((thrown: unknown) => this.#refuse(thrown, form));
  }

  /** The form has ended before its end. */
  fail(thrown: unknown): void {
    this.#refused ??= thrown;
    this.#current?.destroy(thrown instanceof Error ? thrown : new Error("The form has ended before its end."));
  }

  /** @throws what has refused the form */
  async end(): Promise<void> {
    await this.#files;
    const thrown = this.#refused;
    if (thrown === undefined) return;
    if (thrown instanceof QuernError) throw thrown;
    throw new QuernError("REQUEST_INVALID", `The form cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}.`, {
      cause: thrown,
    });
  }

  #refuse(thrown: unknown, form: Destroyable): void {
    this.#refused ??= thrown;
    form.destroy(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }
}

interface Destroyable {
  destroy(error: Error): unknown;
}

function wellFormed<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new QuernError("REQUEST_INVALID", "The form cannot be read: its content type has no boundary.", { cause });
  }
}

function refuse(error: QuernError): never {
  throw error;
}

function tooMuch(what: string, most: string): QuernError {
  return new QuernError("LIMIT_REACHED", `Of a form, ${what} may have no more than ${most}.`, { hint: "Send less." });
}
