// The directives that a schema has, by its version of federation.

import type { DocumentNode } from "graphql";
import { type Dialect, dialectOf, directiveNames, type FederationDirective } from "./schema/dialect.ts";

const fieldSet = "scalar _FieldSet";

const version1: Partial<Record<FederationDirective, string>> = {
  key: "(fields: _FieldSet!) on OBJECT | INTERFACE",
  extends: " on OBJECT | INTERFACE",
  external: " on FIELD_DEFINITION",
  requires: "(fields: _FieldSet!) on FIELD_DEFINITION",
  provides: "(fields: _FieldSet!) on FIELD_DEFINITION",
};

const everywhere =
  "FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION";

const version2: Partial<Record<FederationDirective, string>> = {
  ...version1,
  key: "(fields: _FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE",
  shareable: " repeatable on OBJECT | FIELD_DEFINITION",
  inaccessible: ` on ${everywhere}`,
  override: "(from: String!, label: String) on FIELD_DEFINITION",
  tag: `(name: String!) repeatable on ${everywhere}`,
};

/** All directives of version 2, which include those of version 1. */
export const allDefinitions = written(directiveNames.map((directive) => `directive @${directive}${version2[directive]}`));

export function definitionsFor(schema: DocumentNode): string {
  const dialect = dialectOf(schema);
  return dialect === undefined ? "" : written(definitionsOf(dialect));
}

function definitionsOf({ version, namesOf }: Dialect): readonly string[] {
  const definitions = version === 1 ? version1 : version2;
  return directiveNames.flatMap((directive) => {
    const rest = definitions[directive];
    return rest === undefined ? [] : namesOf(directive).map((name) => `directive @${name}${rest}`);
  });
}

function written(definitions: readonly string[]): string {
  return [fieldSet, ...definitions].join("\n");
}
