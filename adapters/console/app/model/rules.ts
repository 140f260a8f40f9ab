// Rules: those of the schema as they are written, and those that the server says it applied to a request.

import { type ASTNode, type DirectiveNode, Kind, parse, print, type TypeDefinitionNode, type ValueNode } from "graphql";
import { type Json, objectsIn, textOf } from "../api/json.ts";

/** One rule of `@auth`. */
export interface WrittenRule {
  readonly type: string;
  /** Undefined: the rule is about nodes. */
  readonly field: string | undefined;
  /** `query`, `add`, `update`, `delete`, `password`. */
  readonly operation: string;
  /** On several lines. */
  readonly text: string;
}

/** What one plugin left of a type, or of a field, for a request. */
export interface AppliedRule {
  readonly plugin: string;
  readonly type: string;
  readonly field: string;
  readonly purpose: string;
  /** `everything`, `nothing`, or a condition. */
  readonly leaves: string;
}

/** The rules of a schema text, in its order; none of a text that cannot be parsed. */
export function writtenRules(schema: string): readonly WrittenRule[] {
  try {
    return parse(schema, { noLocation: true }).definitions.flatMap((definition) => (isType(definition) ? rulesOfType(definition) : []));
  } catch {
    return [];
  }
}

export function appliedRules(rules: Json | undefined): readonly AppliedRule[] {
  return objectsIn(rules).map(({ plugin, type, field, purpose, leaves }) => ({
    plugin: textOf(plugin),
    type: textOf(type),
    field: textOf(field),
    purpose: textOf(purpose),
    leaves: textOf(leaves),
  }));
}

/** The rules in the schema that an applied one may come from: of the type itself, or of an interface of it. */
export function sourcesOf(applied: AppliedRule, written: readonly WrittenRule[], supertypes: readonly string[]): readonly WrittenRule[] {
  const operation = applied.field === "" ? (operationOf[applied.purpose] ?? applied.purpose) : "query";
  const owners = [applied.type, ...supertypes];
  return written.filter((rule) => owners.includes(rule.type) && (rule.field ?? "") === applied.field && rule.operation === operation);
}

/** The rule that decides about nodes that are needed for other purposes. */
const operationOf: Readonly<Record<string, string>> = {
  choose: "query",
  rule: "query",
  reference: "query",
  displaced: "update",
  updated: "updateAfter",
};

function isType(definition: ASTNode): definition is TypeDefinitionNode {
  return definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION;
}

function rulesOfType(definition: TypeDefinitionNode): readonly WrittenRule[] {
  const type = definition.name.value;
  const fields = "fields" in definition ? (definition.fields ?? []) : [];
  const onFields = fields.flatMap((field) => rulesIn(field.directives, { type, field: field.name.value }));
  return [...rulesIn(definition.directives, { type, field: undefined }), ...onFields];
}

function rulesIn(directives: readonly DirectiveNode[] | undefined, of: Pick<WrittenRule, "type" | "field">): readonly WrittenRule[] {
  return (directives ?? [])
    .filter(({ name }) => name.value === "auth")
    .flatMap(({ arguments: given }) => given ?? [])
    .filter(({ value }) => value.kind === Kind.OBJECT)
    .map(({ name, value }) => ({ ...of, operation: name.value, text: ruleText(value) }));
}

/** `A and B` of a tree of rules, each as GraphQL prints it. */
function ruleText(value: ValueNode): string {
  if (value.kind !== Kind.OBJECT) return print(value);
  return value.fields
    .map(({ name, value: inner }) => {
      if (name.value === "rule") return inner.kind === Kind.STRING ? queryText(inner.value) : print(inner);
      if (name.value === "not") return `not (${ruleText(inner)})`;
      const members = inner.kind === Kind.LIST ? inner.values : [inner];
      return members.map((each) => `(${ruleText(each)})`).join(`\n${name.value} `);
    })
    .join("\n");
}

function queryText(text: string): string {
  if (text.trim().startsWith("{ $") || text.trim().startsWith("{$")) return text.trim();
  try {
    return print(parse(text, { noLocation: true }));
  } catch {
    return text.trim();
  }
}
