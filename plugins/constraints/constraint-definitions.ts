// The definitions of the directives. A schema has those that it uses, so that a schema without them stays as it is.

import { type DocumentNode, visit } from "graphql";

const definitions: Readonly<Record<string, string>> = {
  version: `
    "Counts the states of the object: 1 when it is made, one more with each change of its values."
    directive @version on FIELD_DEFINITION
  `,
  increment: `
    "An update can add to the stored number."
    directive @increment on FIELD_DEFINITION
  `,
  unique: `
    "No two objects have the same value, or the same values in all of the fields."
    directive @unique(fields: [String!]) repeatable on FIELD_DEFINITION | OBJECT | INTERFACE
  `,
  onDelete: `
    "What becomes of linked objects."
    enum OnDelete {
      "They stay, without the link."
      UNLINK
      "They are deleted too."
      DELETE
      "They forbid the deletion."
      RESTRICT
    }
    "What becomes of the linked objects when the object that holds the field is deleted."
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
