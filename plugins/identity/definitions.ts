// The definitions of the directives. Schemas without scoped keys are served with the definition that Dgraph has.

import { type DocumentNode, visit } from "graphql";

const plainId = `
  "A key: no two objects of the type have the same value. With interface: true, no two objects of all types of the interface."
  directive @id(interface: Boolean) on FIELD_DEFINITION
`;

const scopedId = `
  "A key: no two objects of the type have the same value. With interface: true, no two objects of all types of the interface. With within, no two objects that also have the same values and links in these fields."
  directive @id(interface: Boolean, within: [String!]) on FIELD_DEFINITION
`;

const hasInverse = `
  "The field and the other one are two sides of one link: a change of the one is a change of the other."
  directive @hasInverse(field: String!) on FIELD_DEFINITION
`;

export const definitions = scopedId + hasInverse;

export function definitionsFor(schema: DocumentNode): string {
  let isScoped = false;
  visit(schema, {
    Directive({ name, arguments: given = [] }) {
      isScoped ||= name.value === "id" && given.some((argument) => argument.name.value === "within");
    },
  });
  return (isScoped ? scopedId : plainId) + hasInverse;
}
