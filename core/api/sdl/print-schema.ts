// The sections of the generated schema's text.

import type { Definition, Member } from "../definition.ts";
import { printDefinition } from "./print-definition.ts";

export interface Sections {
  /** The client's own, in source order. */
  readonly client: readonly Definition[];
  /** Texts of what is there besides, directives of plugins among them. */
  readonly extended: readonly string[];
  readonly generated: readonly Definition[];
  readonly queries: readonly Member[];
  readonly mutations: readonly Member[];
}

/** @see reference/schema.md 3.13 */
export function printSchema({ client, extended, generated, queries, mutations }: Sections): string {
  const sorted = [...generated].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const ofKinds = (...kinds: readonly Definition["kind"][]) => sorted.filter(({ kind }) => kinds.includes(kind)).map(printDefinition);
  return [
    section("Input Schema", client.map(printDefinition)),
    section("Extended Definitions", extended),
    section("Generated Types", ofKinds("type", "interface", "union", "scalar")),
    section("Generated Enums", ofKinds("enum")),
    section("Generated Inputs", ofKinds("input")),
    section("Generated Query", rootType("Query", queries)),
    section("Generated Mutations", rootType("Mutation", mutations)),
  ].join("");
}

function rootType(name: string, members: readonly Member[]): readonly string[] {
  return members.length === 0 ? [] : [printDefinition({ kind: "type", name, members })];
}

function section(title: string, definitions: readonly string[]): string {
  const rule = "#######################";
  return definitions.length === 0 ? "" : `${rule}\n# ${title}\n${rule}\n\n${definitions.join("\n")}\n`;
}
