// Reads `@lambda`: which fields a handler resolves.

import { type ASTNode, type FieldDefinitionNode, Kind } from "graphql";
import type { DirectiveUse, Field, ModelContext, NodeType, ValueField } from "../../../core/plugin.ts";

/** A field of `Query` or `Mutation`. */
export interface LambdaRoot {
  readonly operation: "query" | "mutation";
  readonly name: string;
  readonly resolver: string;
  readonly definition: FieldDefinitionNode;
  readonly at: ASTNode;
}

/** A field of a stored type or interface. */
export interface LambdaField {
  readonly type: NodeType;
  readonly field: Field;
  readonly at: ASTNode;
}

export interface LambdaFields {
  readonly roots: readonly LambdaRoot[];
  readonly fields: readonly LambdaField[];
}

const directive = "lambda";

interface Handling {
  /** False: there is nobody to resolve fields, so what else is wrong with them does not matter. */
  readonly isHandled: boolean;
}

export function readLambdaFields(context: ModelContext, handling: Handling): LambdaFields {
  const roots = context.uses(directive, "unstored").flatMap(({ definition, field, node }): LambdaRoot[] => {
    const type = definition.name.value;
    if (field.kind !== Kind.FIELD_DEFINITION || (type !== "Query" && type !== "Mutation")) return [];
    const name = field.name.value;
    const misplaced = handling.isHandled ? misplacedWith(field) : [];
    for (const problem of misplaced) context.report(`While building @custom for @lambda: Type ${type}; Field ${name}${problem}`, node.name);
    return [{ operation: type === "Query" ? "query" : "mutation", name, resolver: `${type}.${name}`, definition: field, at: node.name }];
  });
  const fields = context.uses(directive).flatMap((use) => lambdaField(use, context, handling));
  return { roots, fields };
}

/** An inherited field is resolved with that of its interface. */
function lambdaField(use: DirectiveUse, { report, record }: ModelContext, { isHandled }: Handling): readonly LambdaField[] {
  const { type, field, inherited } = use;
  if (!type || !field || inherited) return [];
  const problems = isHandled ? problemsOf(type, field) : [];
  for (const problem of problems) report(`While building @custom for @lambda: Type ${type.name}; Field ${field.name}${problem}`, use.node.name);
  if (!isIdentifying(type, field)) record.computed(field);
  if (problems.length > 0) return [];
  return [{ type, field, at: use.node.name }];
}

function isIdentifying(type: NodeType, field: Field): boolean {
  return field.role === "id" || type.keys.some((key) => key.field === field);
}

/** Dgraph builds a `@custom` from `@lambda`, and reports what is wrong with that. */
function problemsOf(type: NodeType, field: Field): readonly string[] {
  const identifying = [...(type.idField ? [type.idField] : []), ...type.keys.map((key) => key.field)];
  return [
    ...misplacedWith(field.definition),
    ...(identifying.length > 0
      ? []
      : ["; @custom directive is only allowed on fields where the type definition has a field with type ID! or a field with @id directive."]),
    ...(identifying.some((each) => each === field) ? ["; custom directive not allowed on field of type ID! or field with @id directive."] : []),
    ...(identifying.some(({ definition }) => !hasDirective(definition, directive))
      ? []
      : [": @custom directive, body template must use a field with type ID! or a field with @id directive."]),
  ];
}

/** Directives that a field with a resolver must not have. */
function misplacedWith(field: FieldDefinitionNode): readonly string[] {
  const misplaced = ["search", "dgraph"].filter((name) => hasDirective(field, name));
  return misplaced.map((name) => `; custom directive not allowed along with @${name} directive.`);
}

function hasDirective({ directives = [] }: FieldDefinitionNode, name: string): boolean {
  return directives.some((each) => each.name.value === name);
}

/** What a handler gets of a parent: its id, and the values of its fields that are neither enums nor passwords nor computed. */
export interface ParentFields {
  readonly idName: string | undefined;
  readonly values: readonly ValueField[];
  /** Identifies a parent: one without a value is not asked for. Undefined: its id does. */
  readonly key: ValueField | undefined;
}

export function parentFields(type: NodeType): ParentFields {
  const fields = [...type.fields.values()];
  const values = fields.filter((field): field is ValueField => field.role === "value" && field.kind !== "password" && !field.enum);
  return { idName: type.idField?.name, values, key: type.idField ? undefined : type.keys[0]?.field };
}
