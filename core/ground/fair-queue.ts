// A queue that callers take in turns: who asks for much waits behind what it has asked for itself.

/** First in, first out for each caller; the callers one after the other. Each item is in the queue once. */
export class FairQueue<T extends object> {
  /** By caller. The first is the next one; what a caller asks for is in the order in which it came. */
  readonly #lanes = new Map<string, Set<T>>();
  #length = 0;

  /** Items of all callers. */
  get length(): number {
    return this.#length;
  }

  /** How much of `caller` waits. */
  lengthOf(caller: string): number {
    return this.#lanes.get(caller)?.size ?? 0;
  }

  /** A caller that has nothing here waits at most for one item of each other one. */
  push(caller: string, item: T): void {
    const lane = this.#lanes.get(caller) ?? new Set();
    this.#lanes.set(caller, lane.add(item));
    this.#length++;
  }

  /** Undefined: it is empty. */
  shift(): T | undefined {
    for (const [caller, lane] of this.#lanes) {
      for (const item of lane) {
        this.#lanes.delete(caller);
        lane.delete(item);
        if (lane.size > 0) this.#lanes.set(caller, lane);
        this.#length--;
        return item;
      }
    }
    return undefined;
  }

  /** False: it does not wait any more. */
  delete(caller: string, item: T): boolean {
    const lane = this.#lanes.get(caller);
    if (!lane?.delete(item)) return false;
    if (lane.size === 0) this.#lanes.delete(caller);
    this.#length--;
    return true;
  }

  /**
   * Makes room for one more item of `caller`: removes the newest one of the caller that has most, and returns it. Undefined: nobody has more than
   * `caller` would have then.
   */
  giveWay(caller: string): T | undefined {
    const [longest, lane] = this.#longest();
    const newest = lane && [...lane].at(-1);
    if (lane === undefined || newest === undefined || lane.size <= this.lengthOf(caller) + 1) return undefined;
    this.delete(longest, newest);
    return newest;
  }

  #longest(): readonly [caller: string, lane: ReadonlySet<T> | undefined] {
    let found: readonly [string, ReadonlySet<T> | undefined] = ["", undefined];
    for (const each of this.#lanes) if (each[1].size > (found[1]?.size ?? 0)) found = each;
    return found;
  }
}
