// One WebSocket of the `ws` library as the kernel sees it. Masks, fragments, UTF-8 and packing are the library's.

import type { Socket as NetSocket } from "node:net";
import { WebSocket } from "ws";
import type { Socket, SocketAcceptance, SocketListener } from "../../core/index.ts";
import { StallGuard } from "./stall-guard.ts";

/** A client that asks much and takes few answers is not listened to for a while. */
const listenUpToBytes = 65_536;

export class WireSocket implements Socket {
  readonly #ws: WebSocket;
  readonly #stalled: StallGuard;
  readonly #listener: SocketListener;
  #over = false;

  constructor(
    ws: WebSocket,
    net: NetSocket,
    { stalledClientMs, acceptance }: { readonly stalledClientMs: number; readonly acceptance: SocketAcceptance },
  ) {
    this.#ws = ws;
    this.#stalled = new StallGuard(net, stalledClientMs);
    const listener = acceptance.open(this);
    this.#listener = listener;
    ws.on("message", (data) => this.#message(String(data)));
    ws.on("pong", () => {
      if (!this.#over) listener.pong();
    });
    // The library has told the peer what was wrong with its frames, and closes.
    ws.on("error", () => undefined);
    ws.once("close", () => this.#closed());
  }

  get waiting(): number {
    return this.#ws.bufferedAmount;
  }

  send(text: string): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    this.#ws.send(text, this.#sent);
    this.#stalled.look(this.waiting > 0);
  }

  end(): void {
    this.close(1000, "");
  }

  ping(): void {
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.ping();
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
    // The answer to the close frame must be heard.
    if (this.#ws.isPaused) this.#ws.resume();
  }

  terminate(): void {
    this.#ws.terminate();
  }

  leave(): void {
    if (!this.#over) this.#listener.leaving();
  }

  #message(text: string): void {
    if (this.#over) return;
    this.#listener.message(text);
    if (this.waiting > listenUpToBytes) this.#ws.pause();
  }

  readonly #sent = (): void => {
    if (this.#over || this.waiting > 0) return;
    this.#stalled.look(false);
    if (this.#ws.isPaused) this.#ws.resume();
    this.#listener.drained();
  };

  #closed(): void {
    this.#over = true;
    this.#stalled.end();
    this.#listener.closed();
  }
}
