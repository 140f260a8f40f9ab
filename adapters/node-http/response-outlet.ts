// A streamed response body.

import type { ServerResponse } from "node:http";
import type { HeldBytes, HttpResponse, KernelEndpoint, Outlet, OutletListener } from "../../core/transport.ts";
import type { SendOptions } from "./body-sender.ts";
import { StallGuard } from "./stall-guard.ts";

export interface OpenStream {
  /** Notifies the kernel that the transport is closing. */
  leave(): void;
}

/** Starts the body; the head has been sent. @param over called once, when the exchange has ended */
export function openStream(
  response: ServerResponse,
  stream: NonNullable<HttpResponse["stream"]>,
  { sending, over, endpoint }: { readonly sending: SendOptions; readonly over: () => void; readonly endpoint: KernelEndpoint },
): OpenStream {
  const outlet = new ResponseOutlet(response, sending);
  let ended = false;
  response.once("close", () => {
    ended = true;
    outlet.closed();
    over();
  });
  try {
    outlet.listener = stream(outlet);
  } catch (fault) {
    // The fault ends this response and no other.
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
  readonly #stallGuard: StallGuard | undefined;
  readonly #held: HeldBytes | undefined;

  constructor(response: ServerResponse, { stalledClientMs, unsent }: SendOptions) {
    this.#response = response;
    this.#held = unsent?.open(() => response.destroy());
    if (response.socket) this.#stallGuard = new StallGuard(response.socket, stalledClientMs);
  }

  get waiting(): number {
    return this.#response.writableLength;
  }

  send(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#response.write(text, this.#sent);
    this.#update();
  }

  end(): void {
    if (!this.#response.writableEnded) this.#response.end();
  }

  closed(): void {
    this.#stallGuard?.end();
    this.#held?.update(0);
    this.listener?.closed();
  }

  readonly #sent = (): void => {
    if (this.#response.closed) return;
    this.#update();
    if (this.waiting > 0) return;
    this.listener?.drained();
  };

  #update(): void {
    this.#stallGuard?.update(this.waiting);
    this.#held?.update(this.waiting);
  }
}
