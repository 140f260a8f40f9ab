// What two schemas call by different names though storage knows it by one.

import type { Model } from "../model/model.ts";
import { namedFields } from "./kept-names.ts";

export interface Renamed {
  readonly kind: "type" | "field";
  /** `Author.name` in the schema before. */
  readonly from: string;
  readonly to: string;
}

/** Types first. Fields of a renamed type count only if they have another name than before themselves. */
export function renamedThings(before: Model, next: Model): readonly Renamed[] {
  return [...renamedTypes(before, next), ...renamedFields(before, next)];
}

function renamedTypes(before: Model, next: Model): readonly Renamed[] {
  const known = uniqueNames([...before.nodeTypes.values()].map(({ name, stored }) => [stored, name]));
  return [...next.nodeTypes.values()].flatMap(({ name, stored }) => {
    const from = known.get(stored);
    return from === undefined || from === name ? [] : [{ kind: "type" as const, from, to: name }];
  });
}

function renamedFields(before: Model, next: Model): readonly Renamed[] {
  const known = uniqueNames(namedFields(before).map((field) => [field.stored, `${field.origin.name}.${field.name}`]));
  return namedFields(next).flatMap((field) => {
    const from = known.get(field.stored);
    if (from === undefined || from.endsWith(`.${field.name}`)) return [];
    return [{ kind: "field" as const, from, to: `${field.origin.name}.${field.name}` }];
  });
}

/** Names that several share tell nothing. */
function uniqueNames(entries: readonly (readonly [stored: string, name: string])[]): ReadonlyMap<string, string> {
  const names = new Map(entries);
  for (const [stored, name] of entries) if (names.get(stored) !== name) names.delete(stored);
  return names;
}
