// What this thread and the worker thread of a handler send to each other.

/** What the bodies of messages are. */
export interface Exchange {
  readonly call: unknown;
  readonly result: unknown;
  /** What a handler asks of this server, and the answer. */
  readonly question: unknown;
  readonly answer: unknown;
}

export type ToThread<X extends Exchange> =
  | { readonly kind: "call"; readonly id: number; readonly call: X["call"] }
  /** Nobody waits for the result of the call. */
  | { readonly kind: "gone"; readonly id: number }
  | { readonly kind: "answer"; readonly id: number; readonly answer: X["answer"] }
  | { readonly kind: "ping" };

export type FromThread<X extends Exchange> =
  /** It takes calls. `names` are those that it handles. */
  | { readonly kind: "ready"; readonly names: readonly string[] }
  /** What it should run threw while it was loaded. */
  | { readonly kind: "broken"; readonly reason: string }
  | { readonly kind: "result"; readonly id: number; readonly result: X["result"] }
  /** `isWorded`: the reason is the middle of the client's message, as that of a `Failure`. */
  | { readonly kind: "failed"; readonly id: number; readonly reason: string; readonly isWorded?: boolean }
  /** The handler asks this server. `id` of the question, `call` of the call that asks. */
  | { readonly kind: "ask"; readonly id: number; readonly call: number; readonly question: X["question"] }
  | { readonly kind: "log"; readonly text: string }
  | { readonly kind: "pong" };

/**
 * Memory that both threads see, so that the end of a thread has a culprit: the id of the call whose code runs (0: none), and the id of the last call that
 * has begun.
 */
export type CallCells = Int32Array;
export const runningCell = 0;
export const begunCell = 1;

export function callCells(): CallCells {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}
