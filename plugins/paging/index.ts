// `@paged`: lists in pages by cursors, after the Relay cursor connections specification.

import { type DocumentNode, visit } from "graphql";
import type { DirectivePlugin, DirectiveUse, ModelContext } from "../../core/plugin.ts";

const directive = "paged";
const definitions = `"""
Pages by cursors, after the Relay specification: the query queryPostConnection of the type, or the field postsConnection beside a list.
"""
directive @${directive} on OBJECT | INTERFACE | FIELD_DEFINITION`;

/** `@paged`: lists in pages by cursors, after Relay's connections. */
export function pagingPlugin(): DirectivePlugin {
  return {
    name: "paging",
    definitions,
    definitionsFor: (schema) => (isUsed(schema) ? definitions : ""),
    model(context) {
      for (const use of context.uses(directive)) readUse(use, context);
      return undefined;
    },
  };
}

/** A schema without the directive stays as it is. */
function isUsed(schema: DocumentNode): boolean {
  const used = new Set<string>();
  visit(schema, { Directive: ({ name }) => void used.add(name.value) });
  return used.has(directive);
}

function readUse({ node, definition, type, field, inherited }: DirectiveUse, { record, report }: ModelContext): void {
  if (!type) {
    report(`Type ${definition.name.value}: has the @${directive} directive, but its objects are not stored. Remove it.`, node);
  } else if (!field) {
    record.enableOperation(type, "connection");
  } else if (field.role === "link" && field.type.list && field.target.kind !== "union") {
    record.exposure(field, { pages: true });
  } else if (!inherited) {
    report(`Type ${type.name}; Field ${field.name}: @${directive} is for types, and for fields that list objects of a type or an interface.`, node);
  }
}
