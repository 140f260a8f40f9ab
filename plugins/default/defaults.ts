// Reads `@default`: validates its fields and its values.

import { type DirectiveNode, Kind, type ValueNode } from "graphql";
import type { DirectiveUse, Field, ModelContext, ValueField } from "../../core/plugin.ts";
import { valueOfText } from "./value-of-text.ts";

/** A default that means the time of the request. */
export const now = "$now";

export interface Default {
  readonly field: ValueField;
  readonly add: string | undefined;
  readonly update: string | undefined;
}

export function readDefaults(context: ModelContext): readonly Default[] {
  return context.uses("default").flatMap((use) => readDefault(use, context) ?? []);
}

function readDefault({ node, field, inherited }: DirectiveUse, { report, record }: ModelContext): Default | undefined {
  if (!field) return undefined;
  const given = { add: givenValue(node, "add"), update: givenValue(node, "update") };
  const problem = problemWith(field, [given.add, given.update]);
  if (problem !== undefined) report(`Type ${field.owner.name}; Field ${field.name}: ${problem}`, node);
  if (problem !== undefined || field.role !== "value") return undefined;
  if (given.add !== undefined && !inherited) record.optionalOnAdd(field);
  return { field, add: textOf(given.add), update: textOf(given.update) };
}

function problemWith(field: Field, values: readonly Given[]): string | undefined {
  const obstacle = obstacleTo(field);
  if (obstacle !== undefined) return `cannot use @default directive ${obstacle}`;
  if (values.includes("missing")) return '@default directive needs a value: {value: "..."}';
  const wrong = values.map(textOf).find((text) => text !== undefined && field.role === "value" && !canBe(field, text));
  return wrong === undefined ? undefined : `@default directive provides value "${wrong}" which cannot be used with ${field.type.name}`;
}

/** Directives that exclude a default. */
const excluding = ["id", "custom", "lambda"];

function obstacleTo(field: Field): string | undefined {
  const typeName = field.type.name;
  if (field.role === "link") return `on field with non-scalar type ${typeName}`;
  if (field.type.list) return `on field with list type [${typeName}]`;
  const other = excluding.find((name) => field.definition.directives?.some((directive) => directive.name.value === name));
  if (other === "id") return "on field with @id directive";
  if (field.role === "id") return "on field with type ID";
  return other && `on field with @${other} directive`;
}

/** Whether the text can be a value of the field. Numbers, booleans and `$now` are validated at deploy, other texts when they are used. */
function canBe(field: ValueField, text: string): boolean {
  if (text === now) return field.type.name === "DateTime";
  return !["int", "float", "boolean"].includes(field.kind) || valueOfText(field, text) !== undefined;
}

type Given = { readonly text: string } | "missing" | undefined;

/** The raw text, quoted or not: `value: 4` equals `value: "4"`. */
function givenValue(node: DirectiveNode, when: "add" | "update"): Given {
  const object = node.arguments?.find((argument) => argument.name.value === when)?.value;
  if (object === undefined) return undefined;
  const value: ValueNode | undefined = object.kind === Kind.OBJECT ? object.fields.find((field) => field.name.value === "value")?.value : undefined;
  return value && "value" in value ? { text: String(value.value) } : "missing";
}

function textOf(given: Given): string | undefined {
  return typeof given === "object" ? given.text : undefined;
}
