// A cursor whose documents stay as the database has sent them until they are decoded: so their bytes are known, and none is decoded before its turn.

import { type AggregationCursor, BSON, type Document, type FindCursor } from "mongodb";
import { type Doc, valueOptions } from "../connection/connection.ts";
import type { Cursor, RawDocument } from "./cursor.ts";

export function decoded(raw: RawDocument): Doc {
  return BSON.deserialize(raw, valueOptions) as Doc;
}

export class RawCursor implements Cursor {
  readonly #cursor: FindCursor | AggregationCursor;

  /** @param cursor has the option `raw` */
  constructor(cursor: FindCursor | AggregationCursor) {
    this.#cursor = cursor;
  }

  get id() {
    return this.#cursor.id;
  }

  hasNext(): Promise<boolean> {
    return this.#cursor.hasNext();
  }

  readBufferedDocuments(most?: number): RawDocument[] {
    return this.#cursor.readBufferedDocuments(most).map(rawDocument);
  }

  close(): Promise<void> {
    return this.#cursor.close();
  }
}

/** The types of the driver do not say that a document of such a cursor is its bytes. */
function rawDocument(document: Document): RawDocument {
  if (document instanceof Uint8Array) return document;
  throw new TypeError("the driver has decoded a document that was to stay raw");
}
