// A cursor of the database, as the reads see it.

/** The BSON bytes of a document. */
export type RawDocument = Uint8Array;

/** What reads of a cursor need. */
export interface Cursor {
  hasNext(): Promise<boolean>;
  /** Zero: the database has sent all documents. */
  readonly id?: { isZero(): boolean } | undefined;
  readBufferedDocuments(most?: number): RawDocument[];
  close(): Promise<void>;
}
