// Reads `@id`: which fields may be keys, and among which objects a key is unique.

import { type ArgumentNode, print, type ValueNode } from "graphql";
import { type DirectiveUse, didYouMean, type Field, type LinkField, type ModelContext, type NodeType, type ValueField } from "../../core/plugin.ts";

const keyTypes = ["String", "Int", "Int64"];

/** Records every key and returns the fields of all types that have one, inherited ones included. */
export function readKeys(context: ModelContext): readonly ValueField[] {
  const { uses, report, record } = context;
  const keys: ValueField[] = [];
  const scopes: Scope[] = [];
  for (const use of uses("id")) {
    const { field } = use;
    if (!field) continue;
    const start = placeOf(field);
    if (!isKeyable(field)) {
      report(`${start} with @id directive must be of type String, Int or Int64, not ${print(field.definition.type)}`, use.node);
      continue;
    }
    if (acrossInterface(use) && field.origin.kind === "object") {
      report(`${start} @id field with interface argument can only be defined in interface,not in Type`, use.node);
    }
    const scope = readScope(use, field, context);
    if (!scope) continue;
    if (!use.inherited) record.key(field, acrossInterface(use) ? "interface" : "type", scope.within);
    if (scope.within.length > 0) scopes.push(scope);
    keys.push(field);
  }
  for (const scope of scopes) reportUnnameable(scope, context);
  return [...new Set(keys)];
}

const placeOf = (field: Field) => `Type ${field.owner.name}; Field ${field.name}:`;

function isKeyable(field: Field): field is ValueField {
  return field.role === "value" && !field.type.list && keyTypes.includes(field.type.name);
}

function acrossInterface({ node }: DirectiveUse): boolean {
  const value = argumentOf(node.arguments, "interface")?.value;
  return value !== undefined && "value" in value && String(value.value) === "true";
}

function argumentOf(given: readonly ArgumentNode[] | undefined, name: string): ArgumentNode | undefined {
  return given?.find((argument) => argument.name.value === name);
}

/** What a key is unique within; nothing for a key of its type. */
interface Scope {
  readonly use: DirectiveUse;
  readonly field: ValueField;
  readonly within: readonly (ValueField | LinkField)[];
}

/** Undefined when the argument does not fit, which is reported. */
function readScope(use: DirectiveUse, field: ValueField, { report }: ModelContext): Scope | undefined {
  const argument = argumentOf(use.node.arguments, "within");
  if (!argument) return { use, field, within: [] };
  const refuse = (problem: string, hint?: string) => {
    if (!use.inherited) report(`${placeOf(field)} @id(within:) ${problem}`, argument, hint);
    return undefined;
  };
  const names = namesIn(argument.value);
  if (!names || names.length === 0) return refuse("takes the names of fields.", 'Write @id(within: ["tenant"]).');
  const problem = names.map((name, i) => problemWith(name, { field, isRepeated: names.indexOf(name) < i })).find((each) => each !== undefined);
  if (problem !== undefined) return refuse(problem);
  return { use, field, within: names.flatMap((name) => field.owner.fields.get(name) ?? []).filter(isPart) };
}

/** A single text is a list of one. */
function namesIn(value: ValueNode): readonly string[] | undefined {
  if (value.kind === "StringValue") return [value.value];
  if (value.kind !== "ListValue") return undefined;
  const names = value.values.flatMap((each) => (each.kind === "StringValue" ? [each.value] : []));
  return names.length < value.values.length ? undefined : names;
}

function problemWith(name: string, { field, isRepeated }: { readonly field: ValueField; readonly isRepeated: boolean }): string | undefined {
  const { owner } = field;
  const part = owner.fields.get(name);
  if (!part) return `names the field ${name}, which ${owner.name} does not have${didYouMean(name, [...owner.fields.keys()]) || "."}`;
  if (part === field) return "names its own field.";
  if (isRepeated) return `names the field ${name} twice.`;
  if (part.role === "link" && part.type.list) return `names the field ${name}, which leads to many objects.`;
  if (part.role === "link" && part.reverseOf) return `names the field ${name}, which inputs do not have.`;
  return isPart(part) ? undefined : `names the field ${name}; it must be a String, Int, Int64, Boolean or enum, or a link to one object.`;
}

const partKinds = ["string", "int", "int64", "boolean"];

function isPart(field: Field): field is ValueField | LinkField {
  if (field.type.list) return false;
  return field.role === "link" || (field.role === "value" && partKinds.includes(field.kind));
}

/** When all keys are recorded: inputs name what a link leads to by its ID or a key. */
function reportUnnameable({ use, within }: Scope, { report }: ModelContext): void {
  if (use.inherited || !use.field) return;
  for (const part of within) {
    if (part.role !== "link") continue;
    const unnameable = (part.target.kind === "union" ? part.target.members : [part.target]).find((target) => !isNameable(target));
    if (!unnameable) continue;
    const problem = `${placeOf(use.field)} @id(within:) names the link ${part.name}, but ${unnameable.name} has no ID and no key by which an input could name its objects.`;
    report(problem, use.node, `Give ${unnameable.name} a field with @id, or of type ID.`);
  }
}

function isNameable({ idField, keys, scopedKeys }: NodeType): boolean {
  return idField !== undefined || keys.length > 0 || scopedKeys.length > 0;
}
