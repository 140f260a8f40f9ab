// Bounds what the requests of one operation receive together: each reply is short enough, and a thousand of them are not.

import { RemoteFailure } from "./remote-failure.ts";

/** Counts the bytes of replies by operation, from its first request to its last, however many run at a time. */
export class OperationBytes {
  readonly #maxBytes: number;
  readonly #received = new WeakMap<object, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * @param operation the same object for all requests of one operation; the count ends with it
   * @returns counts received bytes. Throws RemoteFailure when the requests of the operation have received too much
   */
  counterOf(operation: object): (bytes: number) => void {
    return (bytes) => {
      const sum = (this.#received.get(operation) ?? 0) + bytes;
      this.#received.set(operation, sum);
      if (sum > this.#maxBytes) throw new RemoteFailure(`the replies to one operation are longer than ${this.#maxBytes} bytes together`);
    };
  }
}
