// How documents are taken: in slices, with a pause between them for others to run.

import { setImmediate as pause } from "node:timers/promises";
import type { MaybePromise } from "../../../core/index.ts";
import type { Doc } from "../connection.ts";

/** Gets documents in order, and returns false to end. */
export type Take = (docs: readonly Doc[]) => MaybePromise<boolean | undefined>;

/** Rows between two questions to the budget and the clock. */
const askEvery = 256;
/** Long enough to be worth a pause, short enough that nobody notices. */
const sliceMs = 5;

/**
 * @param begin hears how many documents come next, before they are visited
 * @param visit returns false to end
 */
export function inSlices(begin: (count: number) => void, visit: (doc: Doc) => unknown): Take {
  let since = performance.now();
  const take = (docs: readonly Doc[], first: number): MaybePromise<boolean> => {
    for (let from = first; from < docs.length; from += askEvery) {
      if (performance.now() - since > sliceMs) {
        return pause().then(() => {
          since = performance.now();
          return take(docs, from);
        });
      }
      const to = Math.min(docs.length, from + askEvery);
      begin(to - from);
      for (let i = from; i < to; i++) {
        const doc = docs[i];
        if (doc !== undefined && visit(doc) === false) return false;
      }
    }
    return true;
  };
  return (docs) => {
    since = performance.now();
    return take(docs, 0);
  };
}
