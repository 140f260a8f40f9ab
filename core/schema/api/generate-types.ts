// Generates all types for stored types and unions, except root types.

import type { Model, NodeType, UnionType } from "../../contracts/model.ts";
import type { FieldFilter } from "../../contracts/plugin/field-filter.ts";
import type { LinkFilter } from "../../contracts/plugin/link-filter.ts";
import type { Additions } from "./additions.ts";
import type { Definition, FieldsDefinition } from "./definition.ts";
import { addInput } from "./inputs/add.ts";
import { cleanInputs } from "./inputs/clean.ts";
import { filterInput, unionFilterInput, unionMemberTypes } from "./inputs/filter.ts";
import { hasFilter } from "./inputs/has.ts";
import { orderable, orderInput } from "./inputs/order.ts";
import { patchInput, updateInput } from "./inputs/patch.ts";
import { refInput, unionRefInput } from "./inputs/ref.ts";
import { addInputName, patchName, refName } from "./names.ts";
import { aggregateResult } from "./outputs/aggregate.ts";
import { payloads } from "./outputs/payloads.ts";

/** Types of the API. Inputs of plugins come last, without members of types that the API does not have. */
export function generateTypes(model: Model, additions: Additions): readonly Definition[] {
  const nodes = [...model.nodeTypes.values()];
  const unions = [...model.unions.values()];
  const written = [...nodes.flatMap((node) => writeInputs(node, additions)), ...unions.map(unionRefInput)];
  const before = new Set(written.map(({ name }) => name));
  const added = additions.definitions.filter((definition): definition is FieldsDefinition => definition.kind === "input");
  const addedNames = new Set(added.map(({ name }) => name));
  const uncertain = new Set([...mayBeMissing(nodes, unions), ...addedNames]);
  const cleaned = cleanInputs([...written, ...added], (name) => uncertain.has(name));
  return [
    ...cleaned.filter(({ name }) => !addedNames.has(name)),
    ...nodes.flatMap((node) => readTypes(node, additions)),
    ...nodes.flatMap((node) => payloads(node, { canAdd: before.has(addInputName(node)) })),
    ...unions.flatMap((union) => [unionFilterInput(union), unionMemberTypes(union)]),
    ...listTypes(nodes, additions),
    ...withCleaned(additions.definitions, cleaned),
  ];
}

/** Types that belong to kinds of lists. Kinds may share one. */
function listTypes(nodes: readonly NodeType[], { listsOf }: Additions): readonly Definition[] {
  const types = new Map<string, Definition>();
  for (const { definitions } of nodes.flatMap(listsOf)) for (const each of definitions) if (!types.has(each.name)) types.set(each.name, each);
  return [...types.values()];
}

/** In their order. */
function withCleaned(definitions: readonly Definition[], cleaned: readonly FieldsDefinition[]): readonly Definition[] {
  const inputs = new Map(cleaned.map((input) => [input.name, input]));
  return definitions.flatMap((definition) => (definition.kind === "input" ? (inputs.get(definition.name) ?? []) : [definition]));
}

/** Mutation inputs of a type; a type without writable or identifying fields has none. */
function writeInputs(node: NodeType, additions: Additions): readonly FieldsDefinition[] {
  const more = additions.updatesOf(node).map(({ member }) => member);
  return [refInput(node), patchInput(node), updateInput(node, more), addInput(node)].filter((input) => input !== undefined);
}

/** Names that other inputs refer to even if the type was not generated. */
function mayBeMissing(nodes: readonly NodeType[], unions: readonly UnionType[]): ReadonlySet<string> {
  return new Set([...nodes.flatMap((node) => [refName(node), patchName(node)]), ...unions.map(refName)]);
}

function readTypes(node: NodeType, additions: Additions): readonly Definition[] {
  const filter = filterInput(node, new Map<string, FieldFilter | LinkFilter>([...additions.filtersOf(node), ...additions.linkFiltersOf(node)]));
  return [filter, orderInput(node, additions.linkOrdersOf(node)), orderable(node), hasFilter(node), aggregateResult(node)].filter(
    (definition) => definition !== undefined,
  );
}
