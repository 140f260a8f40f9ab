// The definitions of the directives. A schema has those that it uses, so that a schema without them stays as it is.

import { type DocumentNode, visit } from "graphql";
import { formats } from "./format.ts";

const definitions: Readonly<Record<string, string>> = {
  range: `
    "Numbers lie between the bounds, which are allowed."
    directive @range(min: Float, max: Float) on FIELD_DEFINITION
  `,
  length: `
    "Texts have so many characters, lists so many elements."
    directive @length(min: Int, max: Int) on FIELD_DEFINITION
  `,
  pattern: `
    "Texts contain a match of the RE2 expression."
    directive @pattern(regexp: String!) on FIELD_DEFINITION
  `,
  format: `
    "The forms that texts can have."
    enum TextFormat { ${Object.entries(formats)
      .map(([name, { description }]) => `"${description}" ${name}`)
      .join(" ")} }
    "Texts have a well-known form."
    directive @format(type: TextFormat!) on FIELD_DEFINITION
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
