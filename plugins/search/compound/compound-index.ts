// `@index(fields: ["section", "size"])`: one index over several fields. It adds nothing to the API: lists that are filtered by the leading fields and sorted
// by the last one become as quick as their page.

import {
  type DirectiveUse,
  didYouMean,
  type Field,
  type IndexLayout,
  type ModelContext,
  type NodeType,
  QuernError,
  type ValueField,
} from "../../../core/plugin.ts";

export const indexDefinition = `
  """
  An index over several fields, for lists that give one value for each of them but the last and are sorted, narrowed or measured by the last one.
  """
  directive @index(fields: [String!]!) repeatable on OBJECT | INTERFACE
`;

/** The fields of one use, as names. */
interface CompoundIndexUse {
  readonly type: NodeType;
  readonly names: readonly string[];
}

const orderedKinds = ["string", "int", "int64", "float", "boolean", "dateTime"];

export function readCompoundIndexes(context: ModelContext): readonly CompoundIndexUse[] {
  return context.uses("index").flatMap((use) => (use.inherited || !use.type ? [] : (readUse(use, use.type, context) ?? [])));
}

function readUse(use: DirectiveUse, type: NodeType, { report }: ModelContext): CompoundIndexUse | undefined {
  const names = namesOf(use);
  const problem = typeof names === "string" ? names : problemOf(names, type);
  if (problem === undefined && typeof names !== "string") return { type, names };
  report(
    `Type ${type.name}: @index ${problem}`,
    use.node,
    'Write @index(fields: ["section", "size"]): first what a list is filtered by, at the end what it is sorted by.',
  );
  return undefined;
}

/** A text: what is wrong with the argument. */
function namesOf(use: DirectiveUse): readonly string[] | string {
  try {
    const { fields } = use.args;
    return Array.isArray(fields) ? fields.map(String) : "needs the names of its fields.";
  } catch (thrown) {
    if (thrown instanceof QuernError) return "takes one argument, fields, a list of names.";
    throw thrown;
  }
}

function problemOf(names: readonly string[], type: NodeType): string | undefined {
  if (names.length < 2) return "needs two fields or more: for one field there is @search.";
  for (const [i, name] of names.entries()) {
    const field = type.fields.get(name);
    if (field === undefined) return `names the field ${name}, which ${type.name} does not have${didYouMean(name, [...type.fields.keys()]) || "."}`;
    if (names.indexOf(name) < i) return `names the field ${name} twice.`;
    if (!hasOneOrderedValue(field)) return `names the field ${name}, which has not one number, text, date, Boolean or enum value.`;
  }
  return undefined;
}

function hasOneOrderedValue(field: Field): field is ValueField {
  return field.role === "value" && !field.type.list && orderedKinds.includes(field.kind);
}

/** One index for each combination of stored fields. A later plugin may have made a field computed: such an index is left out. */
export function compoundIndexes(uses: readonly CompoundIndexUse[]): readonly IndexLayout[] {
  const indexes = uses.flatMap(({ type, names }): readonly IndexLayout[] => {
    const fields = names.flatMap((name) => storedOf(type.fields.get(name)) ?? []);
    const field = fields.at(-1);
    const within = fields.slice(0, -1);
    if (field === undefined || fields.length < names.length) return [];
    return [{ name: `${field} within ${within.join(", ")}`, field, by: "compound", within }];
  });
  return [...new Map(indexes.map((index) => [index.name, index])).values()];
}

function storedOf(field: Field | undefined): string | undefined {
  return field !== undefined && hasOneOrderedValue(field) ? field.stored : undefined;
}
