// `@groupBy`: the objects of a type in groups, with counts and aggregates of each group.

import { type DocumentNode, visit } from "graphql";
import {
  type DirectivePlugin,
  type DirectiveUse,
  didYouMean,
  type Field,
  type LinkField,
  type ModelContext,
  type NodeType,
  type ValueField,
} from "../../core/plugin.ts";

const directive = "groupBy";
const definitions = `"""
Groups of the objects of the type: the query groupPost, and the field postsGroup beside lists of the type.
"""
directive @${directive}(
  "Fields by which clients may group: of one value, or links to one object."
  fields: [String!]!
) on OBJECT | INTERFACE`;

/** `@groupBy(fields:)` on types: `group<Type>`, and `<field>Group` beside lists of the type. */
export function groupingPlugin(): DirectivePlugin {
  return {
    name: "grouping",
    definitions,
    definitionsFor: (schema) => (isUsed(schema) ? definitions : ""),
    model(context) {
      const uses = context.uses(directive).flatMap((use) => readUse(use, context) ?? []);
      if (uses.length === 0) return undefined;
      return {
        api: () => ({ groups: uses.map(({ type, names }) => ({ type, fields: names.flatMap((name) => groupable(type.fields.get(name)) ?? []) })) }),
      };
    },
  };
}

/** A schema without the directive stays as it is. */
function isUsed(schema: DocumentNode): boolean {
  const used = new Set<string>();
  visit(schema, { Directive: ({ name }) => void used.add(name.value) });
  return used.has(directive);
}

interface Grouped {
  readonly type: NodeType;
  readonly names: readonly string[];
}

/** The problems are reported when there are some. */
function readUse({ node, args, definition, type }: DirectiveUse, { report }: ModelContext): Grouped | undefined {
  if (!type) {
    report(`Type ${definition.name.value}: has the @${directive} directive, but its objects are not stored. Remove it.`, node);
    return undefined;
  }
  const names = Array.isArray(args.fields) ? args.fields.map(String) : [];
  const problems = names.length === 0 ? ["names no field"] : names.flatMap((name, i) => problemOf(name, type, names.slice(0, i)) ?? []);
  for (const problem of problems) report(`Type ${type.name}: @${directive} ${problem}.`, node);
  return problems.length > 0 ? undefined : { type, names };
}

function problemOf(name: string, type: NodeType, before: readonly string[]): string | undefined {
  const field = type.fields.get(name);
  if (!field) return `names the field ${name}, which ${type.name} does not have${didYouMean(name, [...type.fields.keys()])}`;
  if (before.includes(name)) return `names the field ${name} twice`;
  if (!groupable(field))
    return `names the field ${name} of type ${typeText(field)}; it takes fields of one value (no geometry, vector, password or ID), and links to one object`;
  if (measures(type).has(name)) return `names the field ${name}, but groups show a measure of that name; give the field another name`;
  return undefined;
}

function groupable(field: Field | undefined): ValueField | LinkField | undefined {
  if (!field || field.type.list || !field.exposure.output) return undefined;
  if (field.role === "link") return field;
  return field.role === "value" && !ungroupable.includes(field.kind) ? field : undefined;
}

const ungroupable: readonly string[] = ["geo", "vector", "password"];

function measures({ fields }: NodeType): ReadonlySet<string> {
  const suffixes = { none: [], range: ["Min", "Max"], sum: ["Min", "Max", "Sum", "Avg"] };
  return new Set(["count", ...[...fields.values()].flatMap(({ name, exposure }) => suffixes[exposure.aggregate].map((suffix) => name + suffix))]);
}

function typeText({ type: { name, list } }: Field): string {
  return list ? `[${name}]` : name;
}
