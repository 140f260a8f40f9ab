// Turns of the event loop for the work on what a read has found: it may be long, and other requests run between.

import { type Budget, nextTurn, TurnClock, type Turns } from "../../../core/storage.ts";

/** Rows, pairs and the like between two looks at the clock. */
const askEvery = 32;

/** All work of one reader takes its turns here. */
export class ReaderTurns implements Turns {
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
  get isTurnOver(): boolean {
    return this.#clock.isOver;
  }

  /** Counts work that comes next, in rows and the like. True: it should wait for the next turn. */
  isDue(work = 1): boolean {
    this.#done += work;
    if (this.#done < askEvery) return false;
    this.#done = 0;
    return this.isTurnOver;
  }

  /** Waits for the next turn. Rejects as `Budget.spend` throws. */
  async turn(): Promise<void> {
    this.#budget?.spend(0);
    await (this.#budget?.turn?.() ?? nextTurn());
    this.restart();
  }

  async each<Item>(items: Iterable<Item>, visit: (item: Item) => void): Promise<void> {
    for (const item of items) {
      if (this.isDue()) await this.turn();
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
}
