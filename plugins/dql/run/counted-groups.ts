// `@groupby` at the root of a block that only counts: the storage groups, and no node is read.

import { type FieldLayout, type GroupRequest, type Predicate, run, type TypeName } from "../../../core/plugin.ts";
import type { Block } from "../language/syntax.ts";
import { fieldsOf } from "../schema/languages.ts";
import { type DqlValue, fromStored } from "../schema/values.ts";
import { groupSource, plainKinds } from "./group-source.ts";
import { type CountedGroup, type GroupObject, shownGroups } from "./groups.ts";
import type { ReadContext } from "./rows.ts";

export interface Grouped {
  readonly types: readonly TypeName[];
  readonly where: Predicate;
}

/** Whether the storage can count the groups of a block. */
export function isCounted(block: Block, { catalog, snapshot }: ReadContext): boolean {
  const { kind, variable, groupBy = [], fields, slice, cascade, recurse, normalize } = block;
  if (kind !== "shown" || variable !== undefined || recurse || normalize || cascade !== undefined || !snapshot.group) return false;
  if (slice.order.length > 0 || slice.first || slice.offset || slice.after) return false;
  if (fields.length === 0 || fields.some((field) => field.kind !== "countUid" || field.variable !== undefined)) return false;
  const keys = groupBy.map(({ predicate }) => keyField(fieldsOf(predicate, catalog), { catalog }));
  const names = new Set(keys.map((key) => key?.name));
  return keys.length > 0 && names.size === keys.length && !names.has(undefined);
}

/** The field of a key whose equal values are one group for the storage too. Undefined: it is none. */
function keyField([name, ...others]: readonly string[], { catalog }: Pick<ReadContext, "catalog">): FieldLayout | undefined {
  const meaning = name === undefined || others.length > 0 ? undefined : catalog.meaningOf(name);
  if (meaning?.kind !== "value" || meaning.field.list || !plainKinds.has(meaning.field.kind)) return undefined;
  // Times of one instant may be written in several ways, and DQL keeps them apart.
  return meaning.field.kind === "dateTime" ? undefined : meaning.field;
}

/** The groups of a block for which `isCounted` holds. */
export async function countedGroups(block: Block, { types, where }: Grouped, context: ReadContext): Promise<readonly GroupObject[]> {
  const { catalog, snapshot, work } = context;
  const source = await groupSource(block, { uids: [], types: [], columns: new Map() }, context);
  const fields = (block.groupBy ?? []).flatMap(({ predicate }) => keyField(fieldsOf(predicate, catalog), context) ?? []);
  const request: GroupRequest = {
    over: { types, ...(where.kind !== "all" && { where }) },
    by: fields.map(({ name }) => ({ field: name })),
    measures: [{ kind: "count" }],
  };
  const groups: CountedGroup[] = [];
  for (const { keys, measures } of types.length === 0 ? [] : ((await snapshot.group?.(request)) ?? [])) {
    const known = keys.flatMap((key, i): readonly DqlValue[] => {
      const field = fields[i];
      // Empty texts are no keys.
      return key === undefined || key === "" || !field ? [] : [fromStored(key, field.kind)];
    });
    if (known.length === fields.length) groups.push({ keys: known, size: Number(measures[0] ?? 0), rows: [] });
  }
  return run(shownGroups(source, groups, work), work);
}
