// Takes documents in slices, with pauses in which others run.

import type { Budget, MaybePromise } from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import type { ReaderTurns } from "./turns.ts";

/** Receives documents in order; returns false to end. */
export type Take = (docs: readonly Doc[]) => MaybePromise<boolean | undefined>;

/** Rows between two checks of the budget and the clock. A condition on one may take a tenth of a millisecond. */
const askEvery = 32;

/**
 * Each document counts as a touched node.
 *
 * @param visit returns false to end
 */
export function inSlices(
  { budget, turns }: { readonly budget: Budget | undefined; readonly turns: ReaderTurns },
  visit: (doc: Doc) => unknown,
): Take {
  const take = (docs: readonly Doc[], first: number): MaybePromise<boolean> => {
    for (let from = first; from < docs.length; from += askEvery) {
      if (from > first && turns.isDue(askEvery)) return turns.turn().then(() => take(docs, from));
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
    turns.restart();
    return take(docs, 0);
  };
}
