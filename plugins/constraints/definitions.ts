// The definitions of the directives. A schema has those that it uses, so that a schema without them stays as it is.

import { type DocumentNode, visit } from "graphql";

const definitions: Readonly<Record<string, string>> = {
  version: "directive @version on FIELD_DEFINITION",
  increment: "directive @increment on FIELD_DEFINITION",
  unique: "directive @unique(fields: [String!]) repeatable on FIELD_DEFINITION | OBJECT | INTERFACE",
  onDelete: `
    enum OnDelete { UNLINK DELETE RESTRICT }
    directive @onDelete(linked: OnDelete!) on FIELD_DEFINITION
  `,
};

export const allDefinitions = Object.values(definitions).join("\n");

export function definitionsFor(schema: DocumentNode): string {
  const used = new Set<string>();
  visit(schema, { Directive: ({ name }) => void used.add(name.value) });
  return Object.entries(definitions)
    .filter(([name]) => used.has(name))
    .map(([, text]) => text)
    .join("\n");
}
