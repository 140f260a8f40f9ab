// What an index or a key is built for, as a text: another text needs another build.

import type { End, FieldName, Layout, TypeName } from "../../core/storage.ts";
import type { LayoutNames } from "./layout-names.ts";

/** Equal for two layouts when an index that was built for one serves the other. */
export function indexSignature(names: LayoutNames, index: Layout["indexes"][number]): string {
  const field = names.field(index.field);
  const by = buildOf(names, index);
  return JSON.stringify([...by, index.field, field?.kind, field?.list, field?.derived?.id ?? null]);
}

/** What an index is built by. The breadth of a search is no part of it. */
function buildOf(names: LayoutNames, index: Layout["indexes"][number]): readonly unknown[] {
  if (index.by === "value") return ["value", index.ordered];
  if (index.by === "tokens") return ["tokens", index.id];
  if (index.by === "compound") return ["compound", index.within.map((name) => partOf(names, name)), holdersOf(names, [index.field, ...index.within])];
  return ["nearest", index.metric, index.buildBreadth ?? null, index.quantize ?? null];
}

/** Equal for two layouts when a key that was built for one serves the other. */
export function keySignature(names: LayoutNames, key: Layout["keys"][number]): string {
  const fields = key.fields.map((name) => partOf(names, name));
  const ends = endsOfKey(names, key).map(({ name, many, partners }) => [name, many, [...partners].sort()]);
  return JSON.stringify([fields, [...key.types].sort(), ...(ends.length > 0 ? [ends] : [])]);
}

/** The types that have all of the fields: nodes of others are not in a compound index. */
function holdersOf(names: LayoutNames, fields: readonly FieldName[]): readonly TypeName[] {
  const [first = [], ...others] = fields.map((field) => names.holders(field));
  return first.filter((type) => others.every((holders) => holders.includes(type))).sort();
}

function partOf(names: LayoutNames, name: FieldName): readonly unknown[] {
  const field = names.field(name);
  return [name, field?.kind, field?.list, field?.derived?.id ?? null];
}

/** The ends of a key, in its order. */
function endsOfKey(names: LayoutNames, { ends = [] }: Layout["keys"][number]): readonly End[] {
  return ends.flatMap((name) => names.end(name) ?? []);
}
