// Groups of the nodes of a type: `<T>GroupBy...` types, `group<T>` and the fields beside lists of the type.

import type { LinkField, Model, NodeType } from "../../../contracts/model.ts";
import type { GroupedType } from "../../../contracts/plugin/grouped-type.ts";
import type { ValueKind } from "../../../ground/values/value.ts";
import type { OutputMeasure } from "../api.ts";
import type { Argument, Definition, Member } from "../definition.ts";
import { groupName } from "../names.ts";
import { aggregateMeasures, aggregateResult } from "./aggregate.ts";
import { filterArgument } from "./arguments.ts";

/** What plugins add. */
interface Groups {
  groupsOf(node: NodeType): GroupedType | undefined;
}

export function groupArguments(node: NodeType): readonly Argument[] {
  return [
    { name: "by", type: `[${groupName("Key", node)}!]!`, description: "What the objects of a group have in common." },
    filterArgument(node),
    { name: "having", type: groupName("Having", node), description: "Leaves only groups whose count and measures satisfy it." },
    { name: "order", type: groupName("Order", node), description: "Without it, and between equals: by key, ascending. What is missing comes last." },
    { name: "first", type: "Int", description: "Returns at most this many groups; 0: all." },
    { name: "offset", type: "Int", description: "Leaves out this many groups at the start." },
  ];
}

/** Of fields that give groups. */
export const groupDescription = "Objects in groups, and counts, sums and the like of each group.";

export function groupOutput(node: NodeType): string {
  return `[${groupName("Result", node)}]`;
}

export interface GroupCompanion {
  readonly of: LinkField;
  readonly target: NodeType;
  readonly member: Member;
}

/** A field for each list of objects that can be grouped. */
export function groupCompanions(node: NodeType, groups: Groups): readonly GroupCompanion[] {
  return [...node.fields.values()].flatMap((field) => {
    if (field.role !== "link" || !field.type.list || !field.exposure.output || field.target.kind === "union" || !groups.groupsOf(field.target))
      return [];
    const { target } = field;
    const member = { name: `${field.name}Group`, description: groupDescription, type: groupOutput(target), arguments: groupArguments(target) };
    return [{ of: field, target, member }];
  });
}

/** Of all grouped types; `TimeUnit` when there is one. */
export function groupTypes(model: Model, groups: Groups): readonly Definition[] {
  const grouped = [...model.nodeTypes.values()].flatMap((node) => groups.groupsOf(node) ?? []);
  return grouped.length === 0 ? [] : [...grouped.flatMap(typesOf), timeUnit];
}

const timeUnit: Definition = {
  kind: "enum",
  name: "TimeUnit",
  description: "A calendar unit in UTC.",
  values: ["year", "month", "day", "hour"].map((unit) => ({ name: unit.toUpperCase(), description: `Instants of one ${unit} are together.` })),
};

function typesOf({ type: node, fields }: GroupedType): readonly Definition[] {
  const generatedFor = node.name;
  const result = aggregateResult(node).members.map((member) => (member.name === "count" ? { ...member, type: "Int!" } : member));
  const measures = aggregateMeasures(node);
  const texts = new Map([...measures].map(([name, measure]) => [name, measureDescription(measure)]));
  const keys = fields.map(({ name, definition }) => ({ name, description: definition.description?.value }));
  return [
    { kind: "enum", name: groupName("Field", node), description: "What objects can be grouped by.", values: keys, generatedFor },
    {
      kind: "input",
      name: groupName("Key", node),
      description: "What the objects of a group have in common.",
      members: [
        { name: "field", type: `${groupName("Field", node)}!`, description: "The field with the same value, or the same linked object." },
        { name: "unit", type: "TimeUnit", description: "Of a DateTime. Without it: by instant." },
      ],
      generatedFor,
    },
    {
      kind: "input",
      name: groupName("Having", node),
      description: "Conditions on groups. All must hold.",
      members: [...measures].flatMap(([name, { kind }]) => {
        const type = filters[kind];
        return type === undefined ? [] : [{ name, type, description: texts.get(name) }];
      }),
      generatedFor,
    },
    {
      kind: "enum",
      name: groupName("Orderable", node),
      description: "What groups can be ordered by.",
      values: [...keys, ...[...texts].map(([name, description]) => ({ name, description }))],
      generatedFor,
    },
    {
      kind: "input",
      name: groupName("Order", node),
      description: "The order of groups.",
      members: [
        { name: "asc", type: groupName("Orderable", node), description: "The least first." },
        { name: "desc", type: groupName("Orderable", node), description: "The greatest first." },
        { name: "then", type: groupName("Order", node), description: "Between equals." },
      ],
      generatedFor,
    },
    {
      kind: "type",
      name: groupName("Keys", node),
      description: "What the objects of a group have in common: null for a field that they are not grouped by, and for objects without a value.",
      members: fields.map(({ name, type, definition }) => ({ name, type: type.name, description: definition.description?.value })),
      generatedFor,
    },
    {
      kind: "type",
      name: groupName("Result", node),
      description: "A group of objects.",
      members: [
        { name: "key", type: `${groupName("Keys", node)}!`, description: "What its objects have in common." },
        ...result.map((member) => ({ ...member, description: texts.get(member.name) })),
      ],
      generatedFor,
    },
  ];
}

function measureDescription({ measure, field }: OutputMeasure): string {
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
