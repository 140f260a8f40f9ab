// Reads `@custom(dql:)` from a schema and reports mistakes.

import { type ArgumentNode, type DirectiveNode, type FieldDefinitionNode, Kind, type TypeNode } from "graphql";
import { type ModelContext, QuernError, type SchemaWarning } from "../../../core/plugin.ts";
import type { Document } from "../language/syntax.ts";
import { checkedDocument } from "../run-text.ts";

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
  for (const { node, definition, field, inherited } of uses("custom")) {
    if (dqlOf(node) && field && !inherited) report(`${placeOf(definition.name.value, field.name)} ${onlyOnQueries}`, node.name);
  }
  const fields: CustomField[] = [];
  const warnings: SchemaWarning[] = [];
  for (const { node, definition, field } of uses("custom", "unstored")) {
    const dql = dqlOf(node);
    // With `http` beside it, the plugin that reads `http` reports the use.
    if (!dql || field.kind !== Kind.FIELD_DEFINITION || (node.arguments?.length ?? 0) > 1) continue;
    const place = placeOf(definition.name.value, field.name.value);
    const problem = problemOf(dql, { field, isQuery: definition.name.value === "Query" });
    if (problem !== undefined) {
      report(`${place} ${problem}`, node.name);
      continue;
    }
    const document = parsed(dql.value.kind === Kind.STRING ? dql.value.value : "");
    if (document instanceof QuernError)
      warnings.push({ message: `${place} the DQL cannot run, so the field always fails: ${document.message}`, at: dql });
    fields.push({ name: field.name.value, field, document });
  }
  return { fields, warnings };
}

const onlyOnQueries = "@custom directive with `dql` can be used only on queries.";

function placeOf(type: string, field: string): string {
  return `Type ${type}; Field ${field}:`;
}

function dqlOf({ arguments: given = [] }: DirectiveNode): ArgumentNode | undefined {
  return given.find(({ name }) => name.value === "dql");
}

interface Place {
  readonly field: FieldDefinitionNode;
  readonly isQuery: boolean;
}

/** What is wrong, as Dgraph says it; undefined: nothing. */
function problemOf({ value }: ArgumentNode, { field, isQuery }: Place): string | undefined {
  if (!isQuery) return onlyOnQueries;
  if (value.kind !== Kind.STRING) return "dql argument for @custom directive must be of type String.";
  if (value.value.trim() === "") return "dql argument for @custom directive must not be empty.";
  const wrong = field.arguments?.find(({ type }) => !isScalar(type));
  return wrong && `Argument ${wrong.name.value}: must be of a scalar type. @custom DQL queries accept only scalar arguments.`;
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
