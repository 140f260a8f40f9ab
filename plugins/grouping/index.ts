// `@groupBy`: the objects of a type in groups, with counts and aggregates of each group.

import { type DocumentNode, visit } from "graphql";
import {
  aggregateMeasures,
  type DirectivePlugin,
  type DirectiveUse,
  didYouMean,
  type Field,
  type LinkField,
  type ListKind,
  type ModelContext,
  type NodeType,
  type ValueField,
} from "../../core/plugin.ts";
import { groupSignature, groupTypes, timeUnit } from "./definitions.ts";
import { planGroups } from "./group-step.ts";

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
        api: () => ({ definitions: timeUnit, lists: uses.map(({ type, names }) => kindOf(type, names)) }),
        compile: ({ report }) => reportTransformed(uses, report),
      };
    },
  };
}

function kindOf(type: NodeType, names: readonly string[]): ListKind {
  const grouped = { type, fields: names.flatMap((name) => groupable(type.fields.get(name)) ?? []) };
  const shape = { keys: new Map(grouped.fields.map((field) => [field.name, field])), measures: aggregateMeasures(type) };
  return {
    type,
    definitions: groupTypes(grouped),
    signature: groupSignature(type),
    description: "Objects in groups, and counts, sums and the like of each group.",
    query: `group${type.name}`,
    companion: ({ name, type: { list }, exposure }) => (list && exposure.output ? `${name}Group` : undefined),
    plan: (field, planner) => planGroups(grouped, shape, field, planner),
  };
}

/** A schema without the directive stays as it is. */
function isUsed(schema: DocumentNode): boolean {
  const used = new Set<string>();
  visit(schema, { Directive: ({ name }) => void used.add(name.value) });
  return used.has(directive);
}

interface Use extends Pick<DirectiveUse, "node"> {
  readonly type: NodeType;
  readonly names: readonly string[];
}

/** The problems are reported when there are some. */
function readUse({ node, args, definition, type }: DirectiveUse, { report }: ModelContext): Use | undefined {
  if (!type) {
    report(`Type ${definition.name.value}: has the @${directive} directive, but its objects are not stored. Remove it.`, node);
    return undefined;
  }
  const names = Array.isArray(args.fields) ? args.fields.map(String) : [];
  const problems = names.length === 0 ? ["names no field"] : names.flatMap((name, i) => problemOf(name, type, names.slice(0, i)) ?? []);
  for (const problem of problems) report(`Type ${type.name}: @${directive} ${problem}.`, node);
  return problems.length > 0 ? undefined : { type, names, node };
}

/** Groups would have what is stored in common, and not what callers get. Which fields these are, is known when all plugins have read the schema. */
function reportTransformed(uses: readonly Use[], report: ModelContext["report"]): void {
  for (const { type, names, node } of uses) {
    for (const name of names) {
      const field = type.fields.get(name);
      if (field?.role !== "value" || !field.transformed) continue;
      report(`Type ${type.name}: @${directive} names the field ${name}, of which a plugin shows other values than the stored ones.`, node);
    }
  }
}

function problemOf(name: string, type: NodeType, before: readonly string[]): string | undefined {
  const field = type.fields.get(name);
  if (!field) return `names the field ${name}, which ${type.name} does not have${didYouMean(name, [...type.fields.keys()])}`;
  if (before.includes(name)) return `names the field ${name} twice`;
  if (!groupable(field))
    return `names the field ${name} of type ${typeText(field)}; it takes fields of one value (no geometry, vector, password or ID), and links to one object`;
  if (aggregateMeasures(type).has(name)) return `names the field ${name}, but groups show a measure of that name; give the field another name`;
  return undefined;
}

function groupable(field: Field | undefined): ValueField | LinkField | undefined {
  if (!field || field.type.list || !field.exposure.output) return undefined;
  if (field.role === "link") return field;
  return field.role === "value" && !ungroupable.includes(field.kind) ? field : undefined;
}

const ungroupable: readonly string[] = ["geo", "vector", "password"];

function typeText({ type: { name, list } }: Field): string {
  return list ? `[${name}]` : name;
}
