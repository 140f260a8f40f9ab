// A real ordered store whose writes can be made to wait or to fail, and that can be made not to open.

import type { KeyRange, OrderedStore, StoreOperation, StoreView } from "../../adapters/ordered/index.ts";

export class FaultyStore implements OrderedStore {
  readonly name: string;
  readonly #store: OrderedStore;
  #behaviour: "pass" | "wait" | "fail" = "pass";
  #waiting: (() => void)[] = [];
  /** Why it does not open; undefined: it opens. */
  unopened: Error | undefined;
  /** Calls of `open`. */
  openings = 0;

  constructor(store: OrderedStore) {
    this.name = store.name;
    this.#store = store;
  }

  /** Those that wait look again. */
  readonly writes = (behaviour: "pass" | "wait" | "fail"): void => {
    this.#behaviour = behaviour;
    for (const wake of this.#waiting.splice(0)) wake();
  };

  async batch(operations: readonly StoreOperation[], options: { readonly sync: boolean }): Promise<void> {
    while (this.#behaviour === "wait") await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#behaviour === "fail") throw new Error("no space left on device");
    await this.#store.batch(operations, options);
  }

  async open() {
    this.openings++;
    if (this.unopened !== undefined) throw this.unopened;
    await this.#store.open();
  }
  close() {
    return this.#store.close();
  }
  getSync(key: string, view?: StoreView) {
    return this.#store.getSync(key, view);
  }
  getMany(keys: readonly string[], view?: StoreView) {
    return this.#store.getMany(keys, view);
  }
  cursor(range: KeyRange, view?: StoreView) {
    return this.#store.cursor(range, view);
  }
  view() {
    return this.#store.view();
  }
  async canReopen() {
    return this.#behaviour !== "fail" && ((await this.#store.canReopen?.()) ?? true);
  }
  approximateSize(range: KeyRange) {
    return this.#store.approximateSize(range);
  }
}
