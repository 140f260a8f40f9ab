// `@cascade`: which of a level's fields must have a value, and what the levels below take over.

import { type DirectiveNode, type FieldNode, Kind, type ValueNode } from "graphql";
import type { NodeType, UnionType } from "../../contracts/model.ts";
import type { Variables } from "../level/selection.ts";

/** `every` selected field, or those with these storage names. The levels below inherit it unless they have their own. */
export type Cascade = "none" | "every" | ReadonlySet<string>;

export function cascadeOf(nodes: readonly FieldNode[], target: NodeType | UnionType, inherited: Cascade, variables: Variables | undefined): Cascade {
  const directive = nodes.flatMap((node) => node.directives ?? []).find((each) => each.name.value === "cascade");
  if (!directive) return inherited;
  const names = namesOf(argumentOf(directive), variables);
  return names.length === 0 ? "every" : storedNames(names, target);
}

export function requires(cascade: Cascade, stored: string): boolean {
  return cascade === "every" || (cascade !== "none" && cascade.has(stored));
}

/** The measures of the aggregate beside a link; a count is always there. */
export function requiresMeasures(cascade: Cascade, link: string): boolean {
  return requires(cascade, aggregateOf(link));
}

/** No storage name has a blank. */
function aggregateOf(link: string): string {
  return `aggregate ${link}`;
}

function argumentOf(directive: DirectiveNode): ValueNode | undefined {
  return directive.arguments?.find((each) => each.name.value === "fields")?.value;
}

function namesOf(value: ValueNode | undefined, variables: Variables | undefined): readonly string[] {
  switch (value?.kind) {
    case Kind.STRING:
      return [value.value];
    case Kind.LIST:
      return value.values.flatMap((each) => namesOf(each, variables));
    case Kind.VARIABLE:
      return texts(variables?.[value.name.value]);
    default:
      return [];
  }
}

function texts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.flatMap(texts) : [];
}

const aggregateSuffix = "Aggregate";

/** The id is always there, so naming it asks for nothing. */
function storedNames(names: readonly string[], target: NodeType | UnionType): ReadonlySet<string> {
  if (target.kind === "union") return new Set();
  return new Set(
    names.flatMap((name) => {
      const field = target.fields.get(name);
      if (field?.role === "value" || field?.role === "link") return [field.stored];
      const link = name.endsWith(aggregateSuffix) ? target.fields.get(name.slice(0, -aggregateSuffix.length)) : undefined;
      return link?.role === "link" && !field ? [aggregateOf(link.stored)] : [];
    }),
  );
}
