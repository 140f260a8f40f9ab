// Detects dead peers: pings at an interval, and drops a peer that does not answer.

import type { Socket } from "../../../core/transport.ts";

export class PeerWatch {
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout | undefined;
  #heard = true;

  /** @param everyMs the interval in milliseconds; 0: no pings */
  constructor(socket: Socket, everyMs: number) {
    this.#socket = socket;
    if (everyMs > 0) this.#timer = setInterval(() => this.#ask(), everyMs);
  }

  /** The peer has sent or read something. */
  heard(): void {
    this.#heard = true;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #ask(): void {
    // A ping would queue behind buffered data. The transport drops a peer that reads nothing at all.
    if (this.#socket.waiting > 0) return;
    if (this.#heard) this.#socket.ping();
    else this.#socket.terminate();
    this.#heard = false;
  }
}
