// Which counts are kept in memory: those of all nodes of types, of all nodes with a value, of all links of nodes. All others are made each time.

import type { Compare, FollowRequest, Predicate, TypeName, Uid, Value } from "../../../core/storage.ts";
import type { EndRuntime, FieldRuntime, LayoutRuntime } from "../layout/layout-runtime.ts";
import { entriesName, linksName, nodesName } from "./known-counts.ts";
import { sideTypes } from "./rows.ts";

/** To count fewer keys takes a tenth of a millisecond. */
export const fewKeys = 100;
const mostLetters = 200;
/** Nodes whose links are kept apart. */
const mostSources = 1_000;

/** The counts that add up to that of the nodes of types which satisfy a condition. Undefined: they are not kept. */
export function namesOfNodes(schema: LayoutRuntime, types: readonly TypeName[], where: Predicate): readonly string[] | undefined {
  if (where.kind === "all") return types.map(nodesName);
  return where.kind === "compare" ? namesOfValue(schema, types, where) : undefined;
}

function namesOfValue(schema: LayoutRuntime, types: readonly TypeName[], { op, field: name, operands }: Compare): readonly string[] | undefined {
  const field = schema.fields.get(name);
  const index = field?.indexes.find(({ by }) => by === "value");
  const [operand] = operands;
  if (op !== "eq" || field === undefined || index === undefined || field.converted || operand === undefined || !isPlain(field, operand))
    return undefined;
  // The record of an entry does not say what type its node has.
  return [...field.holders].every((type) => types.includes(type)) ? [entriesName(index.name, operand)] : undefined;
}

/** A record holds the value as a filter does, and it is no long text. */
function isPlain({ kind }: FieldRuntime, value: Value): boolean {
  return kind === "boolean" || (kind === "string" && typeof value === "string" && value.length <= mostLetters && value.isWellFormed());
}

/** The count of the links of each node. Undefined: they are not kept. */
export function namesOfLinks(
  end: EndRuntime,
  sources: readonly Uid[],
  { types, where }: Pick<FollowRequest, "types" | "where">,
): readonly string[] | undefined {
  const all = types === undefined || [...end.partners].every((type) => types.includes(type));
  if (!all || (where !== undefined && where.kind !== "all") || sources.length > mostSources) return undefined;
  const { store, edge } = end;
  // The record of a link does not say what types its nodes have; a symmetric one may name them either way.
  if (store.symmetric || edge.layout.sides.length === 1 || Object.keys(sideTypes(end)).length > 0) return undefined;
  const side = (end.own === 0) === edge.flipped ? 1 : 0;
  return sources.map((uid) => linksName(edge.layout.name, side, uid));
}
