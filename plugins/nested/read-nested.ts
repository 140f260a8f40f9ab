// Reads `@nested`: on a link, or on a type for all its links.

import { type DocumentNode, visit } from "graphql";
import type { LinkField, ModelContext } from "../../core/plugin.ts";

export const definition = `
  "An update can also write what the objects link to, through this link or all links of the type."
  directive @nested on FIELD_DEFINITION | OBJECT | INTERFACE
`;

export function usesNested(schema: DocumentNode): boolean {
  let found = false;
  visit(schema, {
    Directive: ({ name }) => {
      found ||= name.value === "nested";
    },
  });
  return found;
}

/** The links of interfaces and object types, each once. */
export function readNested({ uses, report }: ModelContext): readonly LinkField[] {
  const links = new Set<LinkField>();
  for (const { field, type, node, inherited } of uses("nested")) {
    if (!type) continue;
    const given = field ? [field] : [...type.fields.values()];
    const own = given.filter((each): each is LinkField => each.role === "link");
    if (own.length === 0 && !inherited) {
      const place = field ? `Type ${type.name}; Field ${field.name}: @nested is for links.` : `Type ${type.name}: @nested finds no link in it.`;
      report(place, node);
    }
    for (const link of own) links.add(link);
  }
  return [...links].filter(isWritten);
}

/** A link that shows another one from the other side is read-only, and an input cannot name objects of an interface without ID and key. */
function isWritten({ exposure, reverseOf, target }: LinkField): boolean {
  if (!exposure.input || reverseOf) return false;
  return target.kind !== "interface" || target.idField !== undefined || target.keys.length > 0 || target.scopedKeys.length > 0;
}
