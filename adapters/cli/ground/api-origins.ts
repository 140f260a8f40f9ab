// Finds which plugin added or changed each part of the API, by comparison with the API without each plugin: what is then missing or different is
// attributed to that plugin.

import { type ConstDirectiveNode, Kind, print, type TypeDefinitionNode } from "graphql";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { apisWithoutPlugins, type Definition, type Member, type PluginDefinitions } from "../../../core/server.ts";

/** A part of the API and where it comes from. */
export interface Origin {
  /** `name`, `filter`; for a type with its kind: `input BoatFilter`. */
  readonly name: string;
  /** `schema`: written in the schema; `kernel`: generated from types alone; else the plugins without which it would not exist. */
  readonly from: "schema" | "kernel" | readonly string[];
  /** Plugins without which it would look different. */
  readonly changedBy: readonly string[];
  /** Fields of a type, arguments of a field. */
  readonly parts: readonly Origin[];
  /** Parts that would exist without a plugin. */
  readonly hidden: readonly { readonly name: string; readonly by: readonly string[] }[];
}

/**
 * The types of the schema, then root types, generated types, and types that plugins define, each with its parts.
 *
 * @throws QuernError as a deploy of `text` would
 */
export function originsOf(text: string, plugins: readonly DirectivePlugin[]): readonly Origin[] {
  const { whole, without, ofDirectives, written } = apisWithoutPlugins(text, plugins);
  const others = without.map(({ plugin, definitions }) => ({ plugin, parts: byName(definitions.map(definitionPart)) }));
  const own = new Set(written.flatMap(writtenNames));
  const found = whole.map(definitionPart).map((part) => {
    const comparison = others.map(({ plugin, parts }) => ({ plugin, part: parts.get(part.name) }));
    return originOf(part, { path: part.name, own, without: comparison });
  });
  return [...found, ...ofDirectives.flatMap(directiveTypes)];
}

/** The types that a plugin defines for its directives. */
function directiveTypes({ plugin, definitions }: PluginDefinitions): readonly Origin[] {
  const fromPlugin = (part: Part): Origin => ({
    name: part.name,
    from: [plugin],
    changedBy: [],
    parts: [...part.parts.values()].map(fromPlugin),
    hidden: [],
  });
  return definitions.map((definition) => fromPlugin(definitionPart(definition)));
}

// ---- parts of an API --------------------------------------------------------------------------------------------------

interface Part {
  readonly name: string;
  /** Its text without its parts. */
  readonly signature: string;
  readonly parts: ReadonlyMap<string, Part>;
}

type Parts = ReadonlyMap<string, Part>;

function definitionPart(definition: Definition): Part {
  const signature = JSON.stringify(["interfaces" in definition ? definition.interfaces : [], printed(definition.directives)]);
  return { name: titleOf(definition), signature, parts: byName(membersOf(definition)) };
}

function titleOf({ kind, name }: Definition): string {
  return `${kind} ${name}`;
}

function membersOf(definition: Definition): readonly Part[] {
  if (definition.kind === "enum") return definition.values.map(({ name }) => leaf(name, ""));
  if (definition.kind === "union") return definition.members.map((name) => leaf(name, ""));
  return "members" in definition ? definition.members.map(memberPart) : [];
}

function memberPart({ name, type, directives, arguments: given = [] }: Member): Part {
  return { name, signature: [type, ...printed(directives)].join(" "), parts: byName(given.map((each) => leaf(each.name, each.type))) };
}

function printed(directives: readonly ConstDirectiveNode[] = []): readonly string[] {
  return directives.map((each) => print(each));
}

function leaf(name: string, signature: string): Part {
  return { name, signature, parts: new Map() };
}

function byName(parts: readonly Part[]): Parts {
  return new Map(parts.map((part) => [part.name, part]));
}

// ---- attribution --------------------------------------------------------------------------------------------------------

interface Comparison {
  readonly path: string;
  /** Paths of everything written in the schema. */
  readonly own: ReadonlySet<string>;
  /** The same part of the API without each plugin; undefined if it is missing there. */
  readonly without: readonly { readonly plugin: string; readonly part: Part | undefined }[];
}

function originOf(part: Part, comparison: Comparison): Origin {
  const { path, own, without } = comparison;
  const needed = without.filter((each) => each.part === undefined).map(({ plugin }) => plugin);
  const inner = (name: string) => without.map((each) => ({ plugin: each.plugin, part: each.part?.parts.get(name) }));
  // If the whole is missing without a plugin, so are its parts: they say nothing more about that plugin.
  const present = without.filter((each) => each.part !== undefined);
  return {
    name: part.name,
    from: own.has(path) ? "schema" : needed.length > 0 ? needed : "kernel",
    changedBy: present.filter((each) => each.part?.signature !== part.signature).map(({ plugin }) => plugin),
    parts: [...part.parts.values()].map((each) => originOf(each, { path: `${path}.${each.name}`, own, without: inner(each.name) })),
    hidden: hiddenIn(part, present),
  };
}

function hiddenIn(part: Part, without: Comparison["without"]): Origin["hidden"] {
  const hidden = new Map<string, string[]>();
  for (const { plugin, part: other } of without) {
    for (const name of other?.parts.keys() ?? []) {
      if (!part.parts.has(name)) hidden.set(name, [...(hidden.get(name) ?? []), plugin]);
    }
  }
  return [...hidden].map(([name, by]) => ({ name, by }));
}

const kinds: Readonly<Record<string, string>> = {
  [Kind.OBJECT_TYPE_DEFINITION]: "type",
  [Kind.INTERFACE_TYPE_DEFINITION]: "interface",
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: "input",
  [Kind.ENUM_TYPE_DEFINITION]: "enum",
  [Kind.UNION_TYPE_DEFINITION]: "union",
};

/** Paths of a definition in the schema and of all its parts. */
function writtenNames(definition: TypeDefinitionNode): readonly string[] {
  const title = `${kinds[definition.kind]} ${definition.name.value}`;
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION) return [title, ...(definition.values ?? []).map(({ name }) => `${title}.${name.value}`)];
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) return [title, ...(definition.types ?? []).map(({ name }) => `${title}.${name.value}`)];
  const fields = "fields" in definition ? (definition.fields ?? []) : [];
  const members = fields.flatMap((field) => {
    const path = `${title}.${field.name.value}`;
    const given = "arguments" in field ? (field.arguments ?? []) : [];
    return [path, ...given.map((argument) => `${path}.${argument.name.value}`)];
  });
  return [...(["type Query", "type Mutation"].includes(title) ? [] : [title]), ...members];
}
