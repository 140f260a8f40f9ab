// Reads SDL of the kernel and of plugins to definitions and served text.

import { type DocumentNode, isTypeDefinitionNode, Kind, parse, print } from "graphql";
import { LRUCache } from "lru-cache";
import { QuernError } from "../../../ground/errors.ts";
import type { Definition } from "../definition.ts";
import { printDefinition } from "./print-definition.ts";
import { readDefinition } from "./read-definition.ts";

export interface Extended {
  /** Type names. */
  readonly types: ReadonlySet<string>;
  /** One text for each definition, directives last. */
  readonly texts: readonly string[];
}

/** By source text. Deploys, dry runs and comparisons of one server read the same texts of the same plugins. */
const kept = new LRUCache<string, Extended>({ max: 16 });

/**
 * Definitions besides those of the schema and generated ones. Identical definitions are merged.
 *
 * @throws QuernError `PLUGIN_CLASH` if two definitions of the same name differ
 */
export function readExtended(sources: readonly string[]): Extended {
  const key = sources.join("\n");
  const extended = kept.get(key) ?? read(sources);
  kept.set(key, extended);
  return extended;
}

function read(sources: readonly string[]): Extended {
  const documents = sources.map(parseSdl);
  const types = onlyOnce(documents.flatMap(typesIn));
  const directives = documents.flatMap(({ definitions }) => definitions.filter((node) => node.kind === Kind.DIRECTIVE_DEFINITION));
  return {
    types: new Set(types.map(({ name }) => name)),
    texts: [...types.map(printDefinition), ...new Set(directives.map((node) => `${print(node)}\n`))],
  };
}

export function readDefinitions(sdl: string): readonly Definition[] {
  return typesIn(parseSdl(sdl));
}

/** @throws QuernError `PLUGIN_CLASH` */
export function onlyOnce(definitions: readonly Definition[]): readonly Definition[] {
  const found = new Map<string, Definition>();
  for (const definition of definitions) {
    const other = found.get(definition.name);
    if (other && printDefinition(other) !== printDefinition(definition)) {
      throw new QuernError("PLUGIN_CLASH", `Two plugins, or a plugin and the kernel, define ${definition.name} in different ways.`);
    }
    found.set(definition.name, other ?? definition);
  }
  return [...found.values()];
}

function typesIn({ definitions }: DocumentNode): readonly Definition[] {
  return definitions.filter(isTypeDefinitionNode).map(readDefinition);
}

function parseSdl(sdl: string): DocumentNode {
  return sdl.trim() === "" ? { kind: Kind.DOCUMENT, definitions: [] } : parse(sdl);
}
