// Measures over fields that a caller may not see everywhere: each looks only at the nodes that show its field.

import { and } from "../../contracts/predicate.ts";
import type { AggregateRequest, Measure } from "../../contracts/storage/requests.ts";
import type { MeasureRow } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run, together, type Work, wait } from "../../ground/work.ts";
import type { Mask, Masks } from "../level/masks.ts";

export function measure(request: AggregateRequest, masks: Masks | undefined, snapshot: Snapshot): MaybePromise<readonly MeasureRow[]> {
  const { measures } = request;
  const isMasked = masks !== undefined && measures.some((each) => maskOf(each, masks));
  return isMasked ? run(measureMasked(request, masks, snapshot)) : snapshot.aggregate(request);
}

function maskOf(measure: Measure, masks: Masks): Mask | undefined {
  return measure.kind === "count" ? undefined : masks.get(measure.field);
}

function* measureMasked({ over, measures }: AggregateRequest, masks: Masks, snapshot: Snapshot): Work<readonly MeasureRow[]> {
  const conditions = measures.map((each) => maskOf(each, masks)?.visible);
  const shared = [...new Set(conditions)].map((condition) => ({
    condition,
    places: [...measures.keys()].filter((place) => conditions[place] === condition),
  }));
  const asked = shared.map(({ condition, places }) => {
    const where = condition ? { where: and(over.where ?? { kind: "all" }, condition) } : {};
    return wait(snapshot.aggregate({ over: { ...over, ...where }, measures: places.flatMap((place) => measures[place] ?? []) }));
  });
  const answers = yield* together(asked);
  const rows = answers[0]?.map(() => new Array<MeasureRow[number]>(measures.length).fill(undefined)) ?? [];
  for (const [i, { places }] of shared.entries()) {
    for (const [r, row] of rows.entries()) for (const [m, place] of places.entries()) row[place] = answers[i]?.[r]?.[m];
  }
  return rows;
}
