// A WebSocket of the `ws` library as the kernel's `Socket`. The library handles masks, fragments, UTF-8 and compression.

import type { Socket as NetSocket } from "node:net";
import { WebSocket } from "ws";
import type { Socket, SocketAcceptance, SocketListener } from "../../core/index.ts";
import { StallGuard } from "./stall-guard.ts";

/** Above this many buffered bytes nothing is read from the client until it has taken them. */
const pauseAboveBytes = 65_536;

export class WireSocket implements Socket {
  readonly #ws: WebSocket;
  readonly #stallGuard: StallGuard;
  readonly #listener: SocketListener;
  #isClosed = false;

  constructor(
    ws: WebSocket,
    net: NetSocket,
    { stalledClientMs, acceptance }: { readonly stalledClientMs: number; readonly acceptance: SocketAcceptance },
  ) {
    this.#ws = ws;
    this.#stallGuard = new StallGuard(net, stalledClientMs);
    const listener = acceptance.open(this);
    this.#listener = listener;
    ws.on("message", (data) => this.#message(String(data)));
    ws.on("pong", () => {
      if (!this.#isClosed) listener.pong();
    });
    // The library has sent a close frame that names the protocol error.
    ws.on("error", () => undefined);
    ws.once("close", () => this.#closed());
  }

  get waiting(): number {
    return this.#ws.bufferedAmount;
  }

  send(text: string): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    this.#ws.send(text, this.#sent);
    this.#stallGuard.update(this.waiting);
  }

  end(): void {
    this.close(1000, "");
  }

  ping(): void {
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.ping();
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
    // A paused socket would not read the peer's close frame.
    if (this.#ws.isPaused) this.#ws.resume();
  }

  terminate(): void {
    this.#ws.terminate();
  }

  leave(): void {
    if (!this.#isClosed) this.#listener.leaving();
  }

  #message(text: string): void {
    if (this.#isClosed) return;
    this.#listener.message(text);
    if (this.waiting > pauseAboveBytes) this.#ws.pause();
  }

  readonly #sent = (): void => {
    if (this.#isClosed || this.waiting > 0) return;
    this.#stallGuard.update(0);
    if (this.#ws.isPaused) this.#ws.resume();
    this.#listener.drained();
  };

  #closed(): void {
    this.#isClosed = true;
    this.#stallGuard.end();
    this.#listener.closed();
  }
}
