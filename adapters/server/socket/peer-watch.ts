// Whether somebody is still there at the other end: pings now and then, and no patience with a peer that answers none.

import type { Socket } from "../../../core/index.ts";

export class PeerWatch {
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout | undefined;
  #heard = true;

  /** @param everyMs 0: nobody is asked */
  constructor(socket: Socket, everyMs: number) {
    this.#socket = socket;
    if (everyMs > 0) this.#timer = setInterval(() => this.#ask(), everyMs);
  }

  /** The peer has said or taken something. */
  heard(): void {
    this.#heard = true;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #ask(): void {
    // A ping would wait behind what the peer has not taken yet. Whoever takes nothing at all is dropped by the transport.
    if (this.#socket.waiting > 0) return;
    if (this.#heard) this.#socket.ping();
    else this.#socket.terminate();
    this.#heard = false;
  }
}
