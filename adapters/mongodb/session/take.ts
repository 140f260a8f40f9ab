// Takes documents in slices, with pauses in which others run.

import { type Budget, type MaybePromise, run, type Work } from "../../../core/storage.ts";
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
  const visitAll = function* (docs: readonly Doc[]): Work<boolean> {
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i];
      if (i % askEvery === 0) {
        if (i > 0) yield;
        budget?.spend(Math.min(askEvery, docs.length - i));
      }
      if (doc !== undefined && visit(doc) === false) return false;
    }
    return true;
  };
  return (docs) => {
    turns.restart();
    return run(visitAll(docs), turns);
  };
}
