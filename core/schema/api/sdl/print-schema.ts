// Prints the served schema: sections, titles and order.

import { compareText } from "../../../ground/values/compare.ts";
import type { Definition, Member } from "../definition.ts";
import { printDefinition } from "./print-definition.ts";

export interface SchemaParts {
  /** Definitions of the schema in source order, without root types. */
  readonly client: readonly Definition[];
  /** Printed definitions and directives of the kernel and the plugins. */
  readonly extended: readonly string[];
  readonly generated: readonly Definition[];
  readonly queries: readonly Member[];
  readonly mutations: readonly Member[];
  readonly subscriptions: readonly Member[];
}

/** @see reference/schema.md 3.13 */
export function printSchema({ client, extended, generated, queries, mutations, subscriptions }: SchemaParts): string {
  const byName = [...generated].sort((a, b) => compareText(a.name, b.name));
  const printed = (...kinds: readonly Definition["kind"][]) => byName.filter(({ kind }) => kinds.includes(kind)).map(printDefinition);
  return [
    section("Input Schema", client.map(printDefinition)),
    section("Extended Definitions", extended),
    section("Generated Types", printed("type", "interface", "union", "scalar")),
    section("Generated Enums", printed("enum")),
    section("Generated Inputs", printed("input")),
    section("Generated Query", printRoot("Query", queries)),
    section("Generated Mutations", printRoot("Mutation", mutations)),
    section("Generated Subscriptions", printRoot("Subscription", subscriptions)),
  ].join("");
}

const line = "#".repeat(23);

function section(title: string, definitions: readonly string[]): string {
  return definitions.length === 0 ? "" : `${line}\n# ${title}\n${line}\n\n${definitions.join("\n")}\n`;
}

/** Omits a root type without fields. */
function printRoot(name: string, members: readonly Member[]): readonly string[] {
  return members.length === 0 ? [] : [printDefinition({ kind: "type", name, members })];
}
