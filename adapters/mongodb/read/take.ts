// Takes documents in slices, with pauses in which others run.

import { type Budget, type MaybePromise, nextTurn, TurnClock } from "../../../core/storage.ts";
import type { Doc } from "../connection.ts";

/** Receives documents in order; returns false to end. */
export type Take = (docs: readonly Doc[]) => MaybePromise<boolean | undefined>;

/** Rows between two checks of the budget and the clock. */
const askEvery = 256;

/**
 * Each document counts as a touched node.
 *
 * @param visit returns false to end
 */
export function inSlices(budget: Budget | undefined, visit: (doc: Doc) => unknown): Take {
  const clock = new TurnClock();
  const take = (docs: readonly Doc[], first: number): MaybePromise<boolean> => {
    for (let from = first; from < docs.length; from += askEvery) {
      if (clock.isOver) {
        return (budget?.turn?.() ?? nextTurn()).then(() => {
          clock.restart();
          return take(docs, from);
        });
      }
      const to = Math.min(docs.length, from + askEvery);
      budget?.spend(to - from);
      for (let i = from; i < to; i++) {
        const doc = docs[i];
        if (doc !== undefined && visit(doc) === false) return false;
      }
    }
    return true;
  };
  return (docs) => {
    clock.restart();
    return take(docs, 0);
  };
}
