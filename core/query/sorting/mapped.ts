// Work on many items: other requests run between.

import type { Work } from "../../ground/work.ts";

/** Items between two pauses. */
const blockItems = 2_048;

/** `items.map(map)` with pauses. */
export function* mapped<Item, Result>(items: readonly Item[], map: (item: Item, place: number) => Result): Work<readonly Result[]> {
  if (items.length <= blockItems) return items.map(map);
  const results: Result[] = [];
  for (let place = 0; place < items.length; place++) {
    const item = items[place];
    if (item !== undefined) results.push(map(item, place));
    if (place % blockItems === blockItems - 1) yield;
  }
  return results;
}

/** The results of `work` in the order of `items`, one after the other. */
export function* each<Item, Result>(items: Iterable<Item>, work: (item: Item) => Work<Result>): Work<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    yield;
    results.push(yield* work(item));
  }
  return results;
}

/** As `lists.flat()`, which takes 15 ms for 130,000 items instead of 0.6 ms. */
export function concatenated<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const none: readonly Item[] = [];
  return none.concat(...lists);
}
