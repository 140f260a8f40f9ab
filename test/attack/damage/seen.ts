// What the program of the flips and its spec say to each other.

export interface Flip {
  readonly kind: string;
  /** The path in the folder of the store. */
  readonly file: string;
  readonly bit: number;
}

/** How damage showed itself. */
export type Told = "answer" | "opening" | "check of files" | "check of entries" | "other error";

export interface Seen {
  readonly told: readonly Told[];
  /** Questions and writes that were answered otherwise than by the whole store, without an error. */
  readonly wrong: readonly string[];
}
