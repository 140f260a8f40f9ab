// Drops a connection whose client takes no byte of what waits for it.

import type { Socket } from "node:net";

export class StallGuard {
  readonly #socket: Socket;
  readonly #timeoutMs: number;
  #waits = false;

  /** `node:net` counts bytes of a long piece that go out one by one as signs of life. */
  constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    socket.on("timeout", this.#drop);
  }

  /** @param waits whether the client has something to take now */
  look(waits: boolean): void {
    if (waits === this.#waits) return;
    this.#waits = waits;
    this.#socket.setTimeout(waits ? this.#timeoutMs : 0);
  }

  /** The connection goes on to other things, and may have a timeout for those. */
  end(): void {
    this.#socket.off("timeout", this.#drop);
  }

  readonly #drop = (): void => {
    if (this.#waits) this.#socket.destroy();
  };
}
