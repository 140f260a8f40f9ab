// Measures over fields that a caller may not see everywhere: each looks only at the nodes that show its field.

import { and } from "../../contracts/predicate.ts";
import type { AggregateRequest, Measure } from "../../contracts/storage/requests.ts";
import type { MeasureRow } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { concurrently } from "../level/concurrently.ts";
import type { Mask, Masks } from "../level/masks.ts";

export function measure(request: AggregateRequest, masks: Masks | undefined, snapshot: Snapshot): MaybePromise<readonly MeasureRow[]> {
  const maskOf = (each: Measure): Mask | undefined => (each.kind === "count" ? undefined : masks?.get(each.field));
  const { over, measures } = request;
  if (!measures.some(maskOf)) return snapshot.aggregate(request);
  const visible = new Set(measures.map((each) => maskOf(each)?.visible));
  const shared = [...visible].map((condition) => ({
    condition,
    places: [...measures.keys()].filter((place) => maskOf(measures[place] ?? { kind: "count" })?.visible === condition),
  }));
  const asked = shared.map(({ condition, places }) => () => {
    const where = condition ? { where: and(over.where ?? { kind: "all" }, condition) } : {};
    return snapshot.aggregate({ over: { ...over, ...where }, measures: places.flatMap((place) => measures[place] ?? []) });
  });
  return andThen(concurrently(asked), (answers) => {
    const rows = answers[0]?.map(() => new Array<MeasureRow[number]>(measures.length).fill(undefined)) ?? [];
    for (const [i, { places }] of shared.entries()) {
      for (const [r, row] of rows.entries()) for (const [m, place] of places.entries()) row[place] = answers[i]?.[r]?.[m];
    }
    return rows;
  });
}
