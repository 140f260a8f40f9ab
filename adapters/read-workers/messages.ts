// What the kernel's thread and a read worker send each other. All of it is plain data.

import type { HandedAnswer, HandedQuery, LogEntry, ReadSettings } from "../../core/index.ts";

/** What a thread starts with. */
export interface ThreadStart {
  /** URL of the module whose default export is the configuration, or a function that makes it. */
  readonly config: string;
  /** The argument of that function. */
  readonly argument: unknown;
  /** Where it reads: `ReaderSeat.data`. */
  readonly seat: unknown;
  readonly settings: ReadSettings;
  readonly collectWhenIdle: boolean;
}

export type ToThread =
  | { readonly kind: "query"; readonly id: number; readonly query: HandedQuery }
  /** The client of a query has gone. */
  | { readonly kind: "gone"; readonly id: number }
  /** What clients have not taken has changed by so many bytes. */
  | { readonly kind: "unsent"; readonly bytes: number }
  /** Closes the store and ends. */
  | { readonly kind: "close" };

export type FromThread =
  | { readonly kind: "ready"; readonly deployed: Deployed | undefined }
  /** It cannot start. */
  | { readonly kind: "failed"; readonly reason: string }
  /** Undefined: it serves another deployment. */
  | { readonly kind: "answer"; readonly id: number; readonly answer: HandedAnswer | undefined }
  | { readonly kind: "log"; readonly entry: LogEntry };

/** The schema that a worker serves. */
export interface Deployed {
  readonly version: number;
  readonly document: string;
}
