// Groups of the nodes of a type in SDL: `<T>GroupBy...` types, and the arguments of the fields that give them.

import {
  aggregateMeasures,
  argumentText,
  type LinkField,
  listArguments,
  type NodeType,
  type OutputMeasure,
  type ValueField,
  type ValueKind,
} from "../../core/plugin.ts";

type Part = "Field" | "Key" | "Keys" | "Having" | "Orderable" | "Order" | "Result";

/** `PostGroupByResult` */
export const groupName = (part: Part, node: NodeType): string => `${node.name}GroupBy${part}`;

/** A type, and what its nodes can be grouped by. */
export interface Grouped {
  readonly type: NodeType;
  readonly fields: readonly (ValueField | LinkField)[];
}

/** Arguments and type of a field that gives groups. */
export function groupSignature(node: NodeType): string {
  const filter = listArguments(node).filter(({ name }) => name === "filter");
  return `(
    "What the objects of a group have in common." by: [${groupName("Key", node)}!]!
    ${filter.map(argumentText).join("\n    ")}
    "Leaves only groups whose count and measures satisfy it." having: ${groupName("Having", node)}
    "Without it, and between equals: by key, ascending. What is missing comes last." order: ${groupName("Order", node)}
    "Returns at most this many groups; 0: all." first: Int
    "Leaves out this many groups at the start." offset: Int
  ): [${groupName("Result", node)}]`;
}

export const timeUnit = `
"A calendar unit in UTC."
enum TimeUnit {
${["year", "month", "day", "hour"].map((unit) => `  "Instants of one ${unit} are together."\n  ${unit.toUpperCase()}`).join("\n")}
}`;

export function groupTypes({ type: node, fields }: Grouped): string {
  const measures = [...aggregateMeasures(node)];
  const keys = fields.map(({ name, definition }) => `${described(definition.description?.value)}${name}`);
  return `
"What objects can be grouped by."
enum ${groupName("Field", node)} {
  ${keys.join("\n  ")}
}
"What the objects of a group have in common."
input ${groupName("Key", node)} {
  "The field with the same value, or the same linked object."
  field: ${groupName("Field", node)}!
  "Of a DateTime. Without it: by instant."
  unit: TimeUnit
}
"Conditions on groups. All must hold."
input ${groupName("Having", node)} {
  ${measures.flatMap(([name, measure]) => condition(name, measure)).join("\n  ")}
}
"What groups can be ordered by."
enum ${groupName("Orderable", node)} {
  ${[...keys, ...measures.map(([name, measure]) => described(measureText(measure)) + name)].join("\n  ")}
}
"The order of groups."
input ${groupName("Order", node)} {
  "The least first."
  asc: ${groupName("Orderable", node)}
  "The greatest first."
  desc: ${groupName("Orderable", node)}
  "Between equals."
  then: ${groupName("Order", node)}
}
"What the objects of a group have in common: null for a field that they are not grouped by, and for objects without a value."
type ${groupName("Keys", node)} {
  ${fields.map(({ name, type, definition }) => `${described(definition.description?.value)}${name}: ${type.name}`).join("\n  ")}
}
"A group of objects."
type ${groupName("Result", node)} {
  "What its objects have in common."
  key: ${groupName("Keys", node)}!
  ${measures.map(([name, measure]) => `${described(measureText(measure))}${name}: ${typeOf(measure)}`).join("\n  ")}
}`;
}

function described(text: string | undefined): string {
  return text === undefined ? "" : `${JSON.stringify(text)} `;
}

function condition(name: string, measure: OutputMeasure): readonly string[] {
  const type = filters[measure.kind];
  return type === undefined ? [] : [`${described(measureText(measure))}${name}: ${type}`];
}

function typeOf({ measure, field }: OutputMeasure): string {
  if (measure.kind === "count") return "Int!";
  return measure.kind === "avg" ? "Float" : (field?.type.name ?? "");
}

function measureText({ measure, field }: OutputMeasure): string {
  return measure.kind === "count" ? "The number of objects." : `The ${superlatives[measure.kind]} ${field?.name}.`;
}

const superlatives = { min: "least", max: "greatest", sum: "sum of", avg: "average of" } as const;

/** The built-in filter that compares a measure of a kind. */
const filters: Readonly<Partial<Record<ValueKind, string>>> = {
  int: "IntFilter",
  int64: "Int64Filter",
  float: "FloatFilter",
  dateTime: "DateTimeFilter",
  string: "StringExactFilter",
};
