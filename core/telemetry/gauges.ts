// Gauges: current values that are read on demand and cost nothing otherwise.

/** A registry of gauges. */
export class Gauges {
  readonly #reads = new Map<string, () => number>();

  /**
   * Registers a gauge.
   *
   * @param name in camelCase (`liveSubscriptions`). A name that ends in `Total` is a counter: it never decreases
   * @returns a function that removes it
   */
  add(name: string, read: () => number): () => void {
    this.#reads.set(name, read);
    return () => {
      if (this.#reads.get(name) === read) this.#reads.delete(name);
    };
  }

  /** The current value of each gauge, by name. */
  read(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#reads].map(([name, read]) => [name, read()]));
  }
}
