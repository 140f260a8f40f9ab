// Turns of the event loop for the work on what a read has found: it may be long, and other requests run between.

import { type Budget, nextTurn, type Steps, TurnClock } from "../../../core/storage.ts";

/** Rows, pairs and the like between two looks at the clock. */
const askEvery = 32;

/** All work of one reader takes its turns here. */
export class Turns {
  readonly #budget: Budget | undefined;
  readonly #clock = new TurnClock();
  #done = 0;

  constructor(budget: Budget | undefined) {
    this.#budget = budget;
  }

  /** Work begins: until now the reader has waited. */
  restart(): void {
    this.#clock.restart();
  }

  /** The present turn has lasted for long enough. */
  get isUsedUp(): boolean {
    return this.#clock.isOver;
  }

  /** Counts work that comes next, in rows and the like. True: it should wait for the next turn. */
  isOver(work = 1): boolean {
    this.#done += work;
    if (this.#done < askEvery) return false;
    this.#done = 0;
    return this.isUsedUp;
  }

  /** Waits for the next turn. Rejects as `Budget.spend` throws. */
  async next(): Promise<void> {
    this.#budget?.spend(0);
    await (this.#budget?.turn?.() ?? nextTurn());
    this.restart();
  }

  async each<Item>(items: Iterable<Item>, visit: (item: Item) => void): Promise<void> {
    for (const item of items) {
      if (this.isOver()) await this.next();
      visit(item);
    }
  }

  async map<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Promise<Result[]> {
    const results: Result[] = [];
    await this.each(items, (item) => void results.push(map(item)));
    return results;
  }

  async distinct<Item>(items: Iterable<Item>): Promise<Item[]> {
    const seen = new Set<Item>();
    await this.each(items, (item) => void seen.add(item));
    return [...seen];
  }

  /** The result of steps that take less than a millisecond each. */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (this.isUsedUp) await this.next();
    }
  }
}
