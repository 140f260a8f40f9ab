// The API of a schema as data, and what it would be without each of its plugins: for tools that say where a part of an API comes from.

import { Kind, type TypeDefinitionNode } from "graphql";
import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import { runAtOnce } from "../../ground/work.ts";
import { type PluginAdditions, rootName } from "../api/additions.ts";
import type { Definition } from "../api/definition.ts";
import { type ApiInput, assembleApi } from "../api/generate.ts";
import { readDefinitions } from "../api/sdl/read-sdl.ts";
import { isRoot } from "../document/definitions.ts";
import { freezeModel } from "../model/freeze.ts";
import { ModelRecorder } from "../model/recorder.ts";
import type { Fact } from "../model/tee-recorder.ts";
import { type BuiltDeployment, buildDeployment, draftOf, servedDefinitions } from "./build-deployment.ts";

/** An API, and the same API without each plugin. */
export interface ApisWithoutPlugins {
  /** The types of the schema, then root types that have fields, then generated types. */
  readonly whole: readonly Definition[];
  /** For each plugin the API if it recorded and added nothing; not checked for conflicts. */
  readonly without: readonly PluginDefinitions[];
  /** For each plugin the types that it defines for its directives. */
  readonly ofDirectives: readonly PluginDefinitions[];
  /** What the schema says, with the fields of interfaces in the types that implement them. */
  readonly written: readonly TypeDefinitionNode[];
}

/** Definitions that are about one plugin. */
export interface PluginDefinitions {
  readonly plugin: string;
  readonly definitions: readonly Definition[];
}

/**
 * Builds the API of `text`, once with all plugins and once without each of them. Touches no storage and starts nothing.
 *
 *     const { whole, without } = apisWithoutPlugins(text, plugins);
 *     const needed = whole.map(({ name }) => without.filter(({ definitions }) => !definitions.some((each) => each.name === name)));
 *
 * @throws QuernError as a deploy of `text` would
 */
export function apisWithoutPlugins(text: string, plugins: readonly DirectivePlugin[]): ApisWithoutPlugins {
  const facts: RecordedFact[] = [];
  const built = runAtOnce(buildDeployment(text, plugins, { onFact: (plugin, fact) => facts.push({ plugin, fact }) }));
  const recorded = { ...built, recorded: facts, plugins };
  return {
    whole: definitionsOf(inputFor(recorded, undefined)),
    without: plugins.map(({ name }) => ({ plugin: name, definitions: definitionsOf(inputFor(recorded, name)) })),
    ofDirectives: plugins.map(({ name }, i) => ({ plugin: name, definitions: readDefinitions(built.directiveDefinitions[i] ?? "") })),
    written: built.expanded.definitions,
  };
}

interface RecordedFact {
  readonly plugin: string;
  readonly fact: Fact;
}

interface RecordedDeployment extends BuiltDeployment {
  readonly recorded: readonly RecordedFact[];
  readonly plugins: readonly DirectivePlugin[];
}

/** The input of the API generator if the plugin `left` records and adds nothing. */
function inputFor({ expanded, recorded, hooks, plugins, directiveDefinitions }: RecordedDeployment, left: string | undefined): ApiInput {
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

function definitionsOf(input: ApiInput): readonly Definition[] {
  const { client, generated, roots } = runAtOnce(assembleApi(input));
  const rootTypes = [
    { kind: "type", name: "Query", members: roots.queries.map(({ member }) => member) },
    { kind: "type", name: "Mutation", members: roots.mutations.map(({ member }) => member) },
    { kind: "type", name: "Subscription", members: roots.subscriptions.map(({ member }) => member) },
  ] as const;
  return [...client, ...rootTypes.filter(({ members }) => members.length > 0), ...generated];
}
