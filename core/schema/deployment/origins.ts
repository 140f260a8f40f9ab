// Finds which plugin added or changed each part of the API, by generating the API without each plugin in turn: what is then missing or
// different is attributed to that plugin. Computed on demand.

import { Kind, type TypeDefinitionNode } from "graphql";
import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import { runAtOnce } from "../../ground/work.ts";
import { type PluginAdditions, rootName } from "../api/additions.ts";
import type { Definition, Member } from "../api/definition.ts";
import { type ApiInput, type AssembledApi, assembleApi } from "../api/generate.ts";
import { printDirective } from "../api/sdl/print-directive.ts";
import { readDefinitions } from "../api/sdl/read-sdl.ts";
import { isRoot } from "../document/definitions.ts";
import { freezeModel } from "../model/freeze.ts";
import { ModelRecorder } from "../model/recorder.ts";
import type { Fact } from "../model/tee-recorder.ts";
import { type BuiltDeployment, buildDeployment, draftOf, servedDefinitions } from "./build-deployment.ts";

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
  /** ApiParts that would exist without a plugin. */
  readonly hidden: readonly { readonly name: string; readonly by: readonly string[] }[];
}

/**
 * The types of the schema, then root types, generated types, and types that plugins define, each with its parts.
 *
 * @throws QuernError as a deploy of `text` would
 */
export function originsOf(text: string, plugins: readonly DirectivePlugin[]): readonly Origin[] {
  const recorded: RecordedFact[] = [];
  const built = runAtOnce(buildDeployment(text, plugins, { onFact: (plugin, fact) => recorded.push({ plugin, fact }) }));
  const written = { ...built, recorded, plugins };
  const whole = partsOf(runAtOnce(assembleApi(inputFor(written, undefined))));
  const without = plugins.map(({ name }) => ({ plugin: name, parts: partsOf(runAtOnce(assembleApi(inputFor(written, name)))) }));
  const own = new Set(built.expanded.definitions.flatMap(writtenNames));
  const found = [...whole.values()].map((part) => {
    const comparison = without.map(({ plugin, parts }) => ({ plugin, part: parts.get(part.name) }));
    return originOf(part, { path: part.name, own, without: comparison });
  });
  return [...found, ...plugins.flatMap(({ name }, i) => pluginTypes(name, built.directiveDefinitions[i] ?? ""))];
}

/** The types that a plugin defines for its directives. */
function pluginTypes(name: string, definitions: string): readonly Origin[] {
  const fromPlugin = (part: ApiPart): Origin => ({
    name: part.name,
    from: [name],
    changedBy: [],
    parts: [...part.parts.values()].map(fromPlugin),
    hidden: [],
  });
  return readDefinitions(definitions).map((definition) => fromPlugin(definitionPart(definition)));
}

interface RecordedFact {
  readonly plugin: string;
  readonly fact: Fact;
}

interface Written extends BuiltDeployment {
  readonly recorded: readonly RecordedFact[];
  readonly plugins: readonly DirectivePlugin[];
}

/** The input of the API generator if the plugin `left` records and adds nothing. */
function inputFor({ expanded, recorded, hooks, plugins, directiveDefinitions }: Written, left: string | undefined): ApiInput {
  const draft = draftOf(expanded, plugins);
  const recorder = new ModelRecorder(draft);
  for (const { plugin, fact } of recorded) if (plugin !== left) recordIfPossible(fact, recorder);
  const model = freezeModel(draft);
  const additions = hooks.filter(({ plugin }) => plugin !== left).map(({ plugin, hooks: { api: add } }) => ({ ...add?.(), plugin }));
  return {
    model,
    definitions: servedDefinitions(expanded, model).map((definition) => answeredBy(additions, definition)),
    directiveDefinitions: directiveDefinitions.filter((_, i) => plugins[i]?.name !== left),
    additions,
  };
}

/** A fact may refer to a field that another plugin made, and which is now missing: ignore the fact. */
function recordIfPossible(fact: Fact, recorder: ModelRecorder): void {
  try {
    fact(recorder);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
  }
}

/** Removes root fields of the schema that no plugin resolves. */
function answeredBy(additions: readonly PluginAdditions[], definition: TypeDefinitionNode): TypeDefinitionNode {
  if (!isRoot(definition) || definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return definition;
  const operation = definition.name.value === "Query" ? "query" : "mutation";
  const answered = new Set(
    additions.flatMap(({ plugin, roots = [] }) => roots.filter((root) => root.operation === operation).map((root) => rootName(root, plugin))),
  );
  return { ...definition, fields: (definition.fields ?? []).filter(({ name }) => answered.has(name.value)) };
}

// ---- parts of an API --------------------------------------------------------------------------------------------------

interface ApiPart {
  readonly name: string;
  /** Its text without its parts. */
  readonly signature: string;
  readonly parts: ReadonlyMap<string, ApiPart>;
}

type ApiParts = ReadonlyMap<string, ApiPart>;

function partsOf({ client, generated, roots }: AssembledApi): ApiParts {
  const rootTypes: readonly Definition[] = [
    { kind: "type", name: "Query", members: roots.queries.map(({ member }) => member) },
    { kind: "type", name: "Mutation", members: roots.mutations.map(({ member }) => member) },
    { kind: "type", name: "Subscription", members: roots.subscriptions.map(({ member }) => member) },
  ];
  const shown = rootTypes.filter((type) => "members" in type && type.members.length > 0);
  return byName([...client, ...shown, ...generated].map(definitionPart));
}

function definitionPart(definition: Definition): ApiPart {
  const signature = JSON.stringify(["interfaces" in definition ? definition.interfaces : [], (definition.directives ?? []).map(printDirective)]);
  return { name: titleOf(definition), signature, parts: byName(membersOf(definition)) };
}

function titleOf({ kind, name }: Definition): string {
  return `${kind} ${name}`;
}

function membersOf(definition: Definition): readonly ApiPart[] {
  if (definition.kind === "enum") return definition.values.map(({ name }) => leaf(name, ""));
  if (definition.kind === "union") return definition.members.map((name) => leaf(name, ""));
  return "members" in definition ? definition.members.map(memberPart) : [];
}

function memberPart({ name, type, directives = [], arguments: given = [] }: Member): ApiPart {
  return { name, signature: [type, ...directives.map(printDirective)].join(" "), parts: byName(given.map((each) => leaf(each.name, each.type))) };
}

function leaf(name: string, signature: string): ApiPart {
  return { name, signature, parts: new Map() };
}

function byName(parts: readonly ApiPart[]): ApiParts {
  return new Map(parts.map((part) => [part.name, part]));
}

// ---- attribution --------------------------------------------------------------------------------------------------------

interface Comparison {
  readonly path: string;
  /** Paths of everything written in the schema. */
  readonly own: ReadonlySet<string>;
  /** The same part of the API without each plugin; undefined if it is missing there. */
  readonly without: readonly { readonly plugin: string; readonly part: ApiPart | undefined }[];
}

function originOf(part: ApiPart, comparison: Comparison): Origin {
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

function hiddenIn(part: ApiPart, without: Comparison["without"]): Origin["hidden"] {
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
  return [...(isRoot(definition) ? [] : [title]), ...members];
}
