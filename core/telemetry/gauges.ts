// Numbers of the moment that parts of the kernel keep anyway: read when somebody asks, free until then.

export class Gauges {
  readonly #reads = new Map<string, () => number>();

  /** `name` in camelCase (`liveSubscriptions`); one that ends in `Total` only rises. Returns how to take it away. */
  add(name: string, read: () => number): () => void {
    this.#reads.set(name, read);
    return () => {
      if (this.#reads.get(name) === read) this.#reads.delete(name);
    };
  }

  read(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#reads].map(([name, read]) => [name, read()]));
  }
}
