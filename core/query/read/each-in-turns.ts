// Work on many items in turns: other requests run between.

import { andThen, isPromise } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { OperationBudget } from "../operation-context.ts";

/** The results of `work` in the order of `items`, one after the other; at once when they take no longer than a turn. */
export function eachInTurns<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => MaybePromise<Result>,
  budget: Pick<OperationBudget, "isTurnOver" | "turn">,
): MaybePromise<Result[]> {
  const left = items[Symbol.iterator]();
  const results: Result[] = [];
  const goOn = (): MaybePromise<Result[]> => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const { value } = next;
      const result = budget.isTurnOver ? andThen(budget.turn(), () => work(value)) : work(value);
      if (isPromise(result)) {
        return andThen(result, (made) => {
          results.push(made);
          return goOn();
        });
      }
      results.push(result);
    }
    return results;
  };
  return goOn();
}
