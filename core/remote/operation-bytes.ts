// Bounds what the requests of one operation receive together: each reply is short enough, and a thousand of them are not.

import { RemoteFailure } from "./remote-failure.ts";

interface Running {
  requests: number;
  bytes: number;
}

/** One request among those of its operation. */
export interface OperationRequest {
  /** @throws RemoteFailure when the requests of the operation have received too much */
  readonly received: (bytes: number) => void;
  /** The request has ended. The count ends with the last one. */
  readonly leave: () => void;
}

/** Counts the bytes of replies by operation: by the signal with which its requests end. */
export class OperationBytes {
  readonly #maxBytes: number;
  readonly #running = new WeakMap<AbortSignal, Running>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  enter(signal: AbortSignal): OperationRequest {
    const running = this.#running.get(signal) ?? { requests: 0, bytes: 0 };
    running.requests++;
    this.#running.set(signal, running);
    return {
      received: (bytes) => {
        running.bytes += bytes;
        if (running.bytes > this.#maxBytes) throw new RemoteFailure(`the replies to one operation are longer than ${this.#maxBytes} bytes together`);
      },
      // Several operations may have a signal that never ends.
      leave: () => {
        if (--running.requests === 0) this.#running.delete(signal);
      },
    };
  }
}
