// A queue, first in, first out.

/** Takes amortized constant time for `shift`, however long it is. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #next = 0;

  get length(): number {
    return this.#items.length - this.#next;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Undefined: the queue is empty. */
  shift(): T | undefined {
    const item = this.#items[this.#next];
    if (item === undefined) return undefined;
    // Else it stays in memory until the items before are cut off.
    this.#items[this.#next] = undefined;
    this.#next++;
    if (this.#next === this.#items.length || (this.#next > 1_000 && this.#next * 2 > this.#items.length)) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }
}
