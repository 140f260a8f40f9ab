// Reads `@custom(dql:)` from a schema and reports mistakes.

import { type ArgumentNode, type DirectiveNode, type FieldDefinitionNode, Kind, type TypeDefinitionNode, type TypeNode } from "graphql";
import { type ModelContext, QuernError, type SchemaWarning } from "../../../core/plugin.ts";
import type { Document } from "../language/syntax.ts";
import { checkedDocument } from "../request/run-text.ts";

/** A field of `Query` that DQL answers. */
export interface CustomField {
  readonly name: string;
  readonly field: FieldDefinitionNode;
  /** The parsed text, or the mistake in it: Dgraph deploys such a schema, and the field fails. */
  readonly document: Document | QuernError;
}

export interface CustomFields {
  readonly fields: readonly CustomField[];
  readonly warnings: readonly SchemaWarning[];
}

/** The scalars that an argument may have. */
const scalars: ReadonlySet<string> = new Set(["ID", "Boolean", "Int", "Int64", "Float", "String", "DateTime"]);

export function readCustomFields({ uses, report }: ModelContext): CustomFields {
  for (const { node, definition, field } of uses("custom")) {
    const dql = dqlOf(node);
    if (dql && field)
      for (const text of problemsOf(dql, { field: field.definition, isQuery: false })) report(`${placeOf(definition, field)} ${text}`, dql);
  }
  const fields: CustomField[] = [];
  const warnings: SchemaWarning[] = [];
  for (const { node, definition, field } of uses("custom", "unstored")) {
    const dql = dqlOf(node);
    if (!dql || field.kind !== Kind.FIELD_DEFINITION) continue;
    const place = placeOf(definition, { name: field.name.value });
    const problems = problemsOf(dql, { field, isQuery: definition.name.value === "Query" });
    for (const text of problems) report(`${place} ${text}`, dql);
    // With `http` beside it, the plugin that reads `http` reports the use.
    if (problems.length > 0 || (node.arguments?.length ?? 0) > 1) continue;
    const document = parsed(dql.value.kind === Kind.STRING ? dql.value.value : "");
    if (document instanceof QuernError)
      warnings.push({ message: `${place} the DQL cannot run, so the field always fails: ${document.message}`, at: dql });
    fields.push({ name: field.name.value, field, document });
  }
  return { fields, warnings };
}

function placeOf(definition: TypeDefinitionNode, field: { readonly name: string }): string {
  return `Type ${definition.name.value}; Field ${field.name}:`;
}

function dqlOf({ arguments: given = [] }: DirectiveNode): ArgumentNode | undefined {
  return given.find(({ name }) => name.value === "dql");
}

interface Place {
  readonly field: FieldDefinitionNode;
  readonly isQuery: boolean;
}

/** All that is wrong, as Dgraph says it. */
function problemsOf({ value }: ArgumentNode, { field, isQuery }: Place): readonly string[] {
  const wrong = (field.arguments ?? []).filter(({ type }) => !isScalar(type));
  return [
    ...(isQuery ? [] : ["@custom directive with `dql` can be used only on queries."]),
    ...(value.kind === Kind.STRING ? [] : ["dql argument for @custom directive must be of type String."]),
    ...(value.kind === Kind.STRING && value.value.trim() === "" ? ["dql argument for @custom directive must not be empty."] : []),
    ...wrong.map(({ name }) => `Argument ${name.value}: must be of a scalar type. @custom DQL queries accept only scalar arguments.`),
  ];
}

function isScalar(type: TypeNode): boolean {
  if (type.kind === Kind.NON_NULL_TYPE) return isScalar(type.type);
  return type.kind === Kind.NAMED_TYPE && scalars.has(type.name.value);
}

function parsed(text: string): Document | QuernError {
  try {
    return checkedDocument(text);
  } catch (thrown) {
    if (thrown instanceof QuernError) return thrown;
    throw thrown;
  }
}
