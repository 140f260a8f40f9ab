// Takes documents in slices, with pauses in which others run.

import { setImmediate as pause } from "node:timers/promises";
import type { MaybePromise } from "../../../core/index.ts";
import type { Doc } from "../connection.ts";

/** Receives documents in order; returns false to end. */
export type Take = (docs: readonly Doc[]) => MaybePromise<boolean | undefined>;

/** Rows between two checks of the budget and the clock. */
const askEvery = 256;
/** The longest time without a pause, in milliseconds. */
const sliceMs = 5;

/**
 * @param begin called with the number of documents before they are visited
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
