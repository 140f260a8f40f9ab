// Sentences on data that a new layout forbids; each names up to ten offenders.

import { formatUid, type Uid } from "../../../core/index.ts";
import type { CellView } from "../cells/family.ts";
import { shownValue } from "../write/writer.ts";
import type { KeyRuntime, Schema } from "./schema.ts";

const listed = 10;

/** On values that several nodes hold. */
export function keyViolation(
  schema: Schema,
  view: CellView,
  { key, groups }: { readonly key: KeyRuntime; readonly groups: readonly (readonly Uid[])[] },
): string {
  const shown = groups.slice(0, listed).map((uids) => {
    const record = schema.nodes.records.family.read(uids[0] ?? 0, view);
    const values = key.fields.map((field) => shownValue(record && field.read(record))).join(", ");
    return `${values} is held by ${several(uids)}`;
  });
  return `${key.layout.fields.join(" and ")} must be unique, but ${shown.join("; ")}${rest(groups.length)}`;
}

/** On nodes that a single end would lead from to several. */
export function endViolation(end: string, offenders: readonly { readonly uid: Uid; readonly partners: readonly Uid[] }[]): string {
  const shown = offenders.slice(0, listed).map(({ uid, partners }) => `${formatUid(uid)} leads to ${several(partners)}`);
  return `${end} leads to one node at most, but ${shown.join("; ")}${rest(offenders.length)}`;
}

function several(uids: readonly Uid[]): string {
  const shown = uids.slice(0, 3).map(formatUid).join(" and ");
  return uids.length > 3 ? `${shown} and ${uids.length - 3} more` : shown;
}

function rest(count: number): string {
  return count > listed ? `; and ${count - listed} more` : "";
}
