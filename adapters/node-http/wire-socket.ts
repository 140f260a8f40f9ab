// A WebSocket of the `ws` library as the kernel's `Socket`. The library handles masks, fragments, UTF-8 and compression.

import type { Socket as NetSocket } from "node:net";
import { WebSocket } from "ws";
import type { HeldBytes, Socket, SocketAcceptance, SocketListener } from "../../core/transport.ts";
import type { SendOptions } from "./body-sender.ts";
import type { GatheredFrames, Holding } from "./gathered-frames.ts";
import { StallGuard } from "./stall-guard.ts";
import type { Starts } from "./starts.ts";

/** Frames of more bytes are not held back for others. */
const maxHeldBytes = 65_536;

/** Above this many buffered bytes nothing is read from the client until it has taken them. */
const pauseAboveBytes = 65_536;

export interface WireSocketOptions extends SendOptions {
  readonly acceptance: SocketAcceptance;
  /** Where what its messages ask for begins. */
  readonly starts: Starts;
  readonly gathered: GatheredFrames;
  readonly caller: () => string;
}

export class WireSocket implements Socket, Holding {
  readonly #ws: WebSocket;
  readonly #net: NetSocket;
  readonly #gathered: GatheredFrames;
  readonly #stallGuard: StallGuard;
  readonly #listener: SocketListener;
  readonly #held: HeldBytes | undefined;
  #isClosed = false;
  /** Its frames wait for the end of the turn. */
  #holds = false;
  /** The kernel wants no more messages for now. */
  #isHeldBack = false;
  /** Messages that wait for their turn. Their order stays. */
  #arriving = 0;

  constructor(ws: WebSocket, net: NetSocket, { stalledClientMs, unsent, acceptance, starts, gathered, caller }: WireSocketOptions) {
    this.#ws = ws;
    this.#net = net;
    this.#gathered = gathered;
    this.#held = unsent?.open(() => ws.terminate());
    this.#stallGuard = new StallGuard(net, stalledClientMs);
    const listener = acceptance.open(this);
    this.#listener = listener;
    ws.on("message", (data) => {
      this.#arriving++;
      starts.add({ caller, begin: () => this.#begin(String(data)) });
      if (this.#arriving > 0) ws.pause();
    });
    ws.on("pong", () => {
      if (!this.#isClosed) listener.pong();
    });
    // The library has sent a close frame that names the protocol error.
    ws.on("error", () => undefined);
    ws.once("close", () => this.#closed());
  }

  /** What is held back waits for no client. */
  get waiting(): number {
    return this.#holds ? 0 : this.#ws.bufferedAmount;
  }

  send(text: string): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    if (this.#ws.bufferedAmount === 0) this.#hold();
    this.#ws.send(text, this.#sent);
    if (this.#ws.bufferedAmount > maxHeldBytes) this.#gathered.release();
    else if (this.#holds) this.#gathered.releaseWhenDue();
    this.#update();
  }

  #hold(): void {
    if (this.#holds) return;
    this.#holds = true;
    this.#net.cork();
    this.#gathered.hold(this);
  }

  release(): void {
    this.#holds = false;
    this.#net.uncork();
    if (!this.#isClosed) this.#update();
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

  pause(): void {
    this.#isHeldBack = true;
    this.#ws.pause();
  }

  resume(): void {
    this.#isHeldBack = false;
    if (this.waiting <= pauseAboveBytes) this.#readOn();
  }

  #begin(text: string): void {
    this.#arriving--;
    this.#message(text);
    if (this.#arriving === 0 && this.waiting <= pauseAboveBytes) this.#readOn();
  }

  #readOn(): void {
    if (this.#ws.isPaused && !this.#isHeldBack && this.#arriving === 0) this.#ws.resume();
  }

  #update(): void {
    this.#stallGuard.update(this.waiting);
    this.#held?.update(this.waiting);
  }

  #message(text: string): void {
    if (this.#isClosed) return;
    this.#listener.message(text);
    if (this.waiting > pauseAboveBytes) this.#ws.pause();
  }

  readonly #sent = (): void => {
    if (this.#isClosed) return;
    this.#update();
    if (this.waiting > 0) return;
    this.#readOn();
    this.#listener.drained();
  };

  #closed(): void {
    this.#isClosed = true;
    this.#held?.update(0);
    this.#stallGuard.end();
    this.#listener.closed();
  }
}
