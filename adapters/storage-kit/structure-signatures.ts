// What an index or a key is built for, as a text: another text needs another build.

import type { End, Layout } from "../../core/storage.ts";

/** Equal for two layouts when an index that was built for one serves the other. */
export function indexSignature(layout: Layout, index: Layout["indexes"][number]): string {
  const field = layout.fields.find((each) => each.name === index.field);
  const by = buildOf(index);
  return JSON.stringify([...by, index.field, field?.kind, field?.list, field?.derived?.id ?? null]);
}

/** What an index is built by. The breadth of a search is no part of it. */
function buildOf(index: Layout["indexes"][number]): readonly unknown[] {
  if (index.by === "value") return ["value", index.ordered];
  if (index.by === "tokens") return ["tokens", index.id];
  return ["nearest", index.metric, index.buildBreadth ?? null, index.quantize ?? null];
}

/** Equal for two layouts when a key that was built for one serves the other. */
export function keySignature(layout: Layout, key: Layout["keys"][number]): string {
  const fields = key.fields.map((name) => {
    const field = layout.fields.find((each) => each.name === name);
    return [name, field?.kind, field?.list, field?.derived?.id ?? null];
  });
  const ends = endsOfKey(layout, key).map(({ name, many, partners }) => [name, many, [...partners].sort()]);
  return JSON.stringify([fields, [...key.types].sort(), ...(ends.length > 0 ? [ends] : [])]);
}

/** The ends of a key, in its order. */
export function endsOfKey(layout: Layout, { ends = [] }: Layout["keys"][number]): readonly End[] {
  if (ends.length === 0) return [];
  const known = new Map(layout.edges.flatMap(({ sides }) => sides.flatMap((side) => side.ends.map((end) => [end.name, end] as const))));
  return ends.flatMap((name) => known.get(name) ?? []);
}
