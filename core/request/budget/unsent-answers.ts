// Bytes that transports hold for clients that have not taken them, over all connections.

import type { HeldBytes, Unsent } from "../../contracts/transport.ts";

export interface UnsentOptions {
  /** Above it the connection that has waited longest for its client is cut. */
  readonly maxBytes: number;
  /** Called with each change of the sum. */
  readonly changed: (bytes: number) => void;
}

export class UnsentAnswers implements Unsent {
  readonly #options: UnsentOptions;
  /** Those with bytes; first the one whose client has taken nothing for the longest time. */
  readonly #holding = new Set<Held>();
  #bytes = 0;

  constructor(options: UnsentOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(cut: () => void): HeldBytes {
    return new Held(this, cut);
  }

  changed(held: Held, before: number): void {
    const change = held.bytes - before;
    this.#bytes += change;
    // A client that takes something waits anew.
    if (change < 0 || held.bytes === 0) this.#holding.delete(held);
    if (held.bytes > 0) this.#holding.add(held);
    this.#options.changed(change);
    if (change > 0) this.#cutSlowest();
  }

  #cutSlowest(): void {
    for (const held of this.#holding) {
      if (this.#bytes <= this.#options.maxBytes) return;
      held.cut();
    }
  }
}

class Held implements HeldBytes {
  bytes = 0;
  readonly #all: UnsentAnswers;
  readonly #cut: () => void;

  constructor(all: UnsentAnswers, cut: () => void) {
    this.#all = all;
    this.#cut = cut;
  }

  update(bytes: number): void {
    if (bytes === this.bytes) return;
    const before = this.bytes;
    this.bytes = bytes;
    this.#all.changed(this, before);
  }

  cut(): void {
    this.update(0);
    this.#cut();
  }
}
