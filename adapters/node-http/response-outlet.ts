// The body of a response that comes piece by piece.

import type { ServerResponse } from "node:http";
import type { HttpResponse, KernelEndpoint, Outlet, OutletListener } from "../../core/index.ts";
import { StallGuard } from "./stall-guard.ts";

export interface OpenStream {
  /** Tells the kernel that the transport is closing. */
  leave(): void;
}

/** The head is sent already. @param over is called once, when the exchange has come to its end */
export function openStream(
  response: ServerResponse,
  stream: NonNullable<HttpResponse["stream"]>,
  { stalledClientMs, over, endpoint }: { readonly stalledClientMs: number; readonly over: () => void; readonly endpoint: KernelEndpoint },
): OpenStream {
  const outlet = new ResponseOutlet(response, stalledClientMs);
  let ended = false;
  response.once("close", () => {
    ended = true;
    outlet.closed();
    over();
  });
  try {
    outlet.listener = stream(outlet);
  } catch (fault) {
    // Nobody else's answer may suffer from it.
    endpoint.fault?.(fault);
    response.destroy();
  }
  return {
    leave() {
      if (!ended) outlet.listener?.leaving();
    },
  };
}

class ResponseOutlet implements Outlet {
  listener: OutletListener | undefined;
  readonly #response: ServerResponse;
  readonly #stalled: StallGuard | undefined;

  constructor(response: ServerResponse, stalledClientMs: number) {
    this.#response = response;
    if (response.socket) this.#stalled = new StallGuard(response.socket, stalledClientMs);
  }

  get waiting(): number {
    return this.#response.writableLength;
  }

  send(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#response.write(text, this.#sent);
    this.#stalled?.look(this.waiting > 0);
  }

  end(): void {
    if (!this.#response.writableEnded) this.#response.end();
  }

  closed(): void {
    this.#stalled?.end();
    this.listener?.closed();
  }

  readonly #sent = (): void => {
    if (this.#response.closed || this.waiting > 0) return;
    this.#stalled?.look(false);
    this.listener?.drained();
  };
}
