// Work on many items in turns: other requests run between.

import { andThen, isPromise } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { OperationBudget } from "../operation-context.ts";

type Turns = Pick<OperationBudget, "isTurnOver" | "turn">;

/** The results of `work` in the order of `items`, one after the other; at once when they take no longer than a turn. */
export function eachInTurns<Item, Result>(items: Iterable<Item>, work: (item: Item) => MaybePromise<Result>, budget: Turns): MaybePromise<Result[]> {
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

/** Items between two looks at the clock. */
const blockItems = 2_048;

/** `items.map(map)`, a block after the other. */
export function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, place: number) => Result,
  budget: Turns,
): MaybePromise<readonly Result[]> {
  if (items.length <= blockItems) return items.map(map);
  const starts = Array.from({ length: Math.ceil(items.length / blockItems) }, (_, block) => block * blockItems);
  const mapped = eachInTurns(starts, (start) => items.slice(start, start + blockItems).map((item, i) => map(item, start + i)), budget);
  return andThen(mapped, concatenated);
}

/** As `lists.flat()`, which takes 15 ms for 130,000 items instead of 0.6 ms. */
export function concatenated<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const none: readonly Item[] = [];
  return none.concat(...lists);
}
