// Drops a connection whose client reads nothing of the data that are buffered for it.

import type { Socket } from "node:net";

export class StallGuard {
  readonly #socket: Socket;
  readonly #timeoutMs: number;
  #isArmed = false;

  /** `node:net` restarts the timeout whenever the client takes some bytes, even of a single large write. */
  constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    socket.on("timeout", this.#drop);
  }

  /** Starts or stops the timeout. @param bufferedBytes what the client has not taken yet */
  update(bufferedBytes: number): void {
    const isArmed = bufferedBytes > 0;
    if (isArmed === this.#isArmed) return;
    this.#isArmed = isArmed;
    this.#socket.setTimeout(isArmed ? this.#timeoutMs : 0);
  }

  /** Stops guarding: the connection stays open and may have another timeout. */
  end(): void {
    this.#socket.off("timeout", this.#drop);
  }

  readonly #drop = (): void => {
    if (this.#isArmed) this.#socket.destroy();
  };
}
