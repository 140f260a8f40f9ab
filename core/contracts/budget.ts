// What one request may still spend. A plain object, asked per block of work.

/** Kept by the kernel for each request; storage reports to it and lets it stop the work. */
export interface Budget {
  /** Nodes touched so far, reads and writes together. */
  readonly touched: number;
  /** When the work must end, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Counts `nodes` and throws when the deadline is past, the client is gone, or a limit reached. Asked every 256 rows or sooner. */
  spend(nodes: number): void;
}
