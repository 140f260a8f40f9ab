// What a batch to a GraphQL service does not send of its body.

import type { SchemaWarning } from "../../../core/plugin.ts";
import type { BodyTemplate } from "../template/body-template.ts";
import { type CustomUse, isBatch } from "./custom-use.ts";
import { soundBody } from "./template-rules.ts";

/** An author may not expect that only the fields that the body uses are sent, under their own names. */
export function batchWarnings(uses: readonly CustomUse[]): readonly SchemaWarning[] {
  return uses.filter(losesParts).flatMap((use) => {
    const at = use.http.value("body");
    if (!at) return [];
    const place = `Type ${use.definition.name.value}; Field ${use.field.name.value};`;
    const message = `${place} keys and literals of body are not sent: the GraphQL service gets the fields that body uses, under their own names.`;
    return [{ message: `${message} Name its members after the fields.`, at }];
  });
}

function losesParts(use: CustomUse): boolean {
  const template = isBatch(use) && use.http.has("graphql") ? soundBody(use) : undefined;
  return template !== undefined && !(template.kind === "object" && template.members.every(({ name, value }) => isNamed(value, name)));
}

function isNamed(value: BodyTemplate, name: string): boolean {
  return value.kind === "variable" && value.name === name;
}
