// Generates the API from the model and the additions of plugins. A pure function: the same input gives the same text.

import type { TypeDefinitionNode } from "graphql";
import type { Model } from "../../contracts/model.ts";
import { QuernError } from "../../ground/errors.ts";
import type { Work } from "../../ground/work.ts";
import { builtInDefinitions } from "../document/built-ins.ts";
import { type PluginAdditions, sortAdditions } from "./additions.ts";
import type { Api, RootOperation, ShownFields } from "./api.ts";
import { checkNames } from "./check-names.ts";
import { clientDefinition } from "./client-types.ts";
import type { Definition, FieldsDefinition, Member } from "./definition.ts";
import { generateRoots, type Roots } from "./generate-roots.ts";
import { generateTypes } from "./generate-types.ts";
import type { Root } from "./outputs/roots.ts";
import { printSchema } from "./sdl/print-schema.ts";
import { type Extended, onlyOnce, readExtended } from "./sdl/read-sdl.ts";
import { serveSchema } from "./serve-schema.ts";
import { recordShapes } from "./shapes.ts";

export interface ApiInput {
  readonly model: Model;
  /** Definitions of the schema in source order, with inherited fields and plugins' directives; includes `Query` and `Mutation`. */
  readonly definitions: readonly TypeDefinitionNode[];
  /** SDL of each plugin: its directives and the types of their arguments. */
  readonly directiveDefinitions: readonly string[];
  readonly additions: readonly PluginAdditions[];
  /** Absent: callers get all values as they are stored. */
  readonly shown?: ShownFields | undefined;
}

/**
 * @throws QuernError `SCHEMA_INVALID` if generated names conflict or no root field remains; `PLUGIN_CLASH` if plugins contradict each other
 * @see reference/schema.md 3
 */
export function* generateApi(input: ApiInput): Work<Api> {
  const { client, generated, extended, roots, shapes } = yield* assembleApi(input);
  yield;
  const [queries, mutations, subscriptions] = [roots.queries.map(memberOf), roots.mutations.map(memberOf), roots.subscriptions.map(memberOf)];
  if (queries.length === 0 && mutations.length === 0) throw nothingToAsk();
  const rootTypes: readonly FieldsDefinition[] = [
    { kind: "type", name: "Query", members: queries },
    { kind: "type", name: "Mutation", members: mutations },
    { kind: "type", name: "Subscription", members: subscriptions },
  ];
  checkNames({ client, generated, extended: extended.types, roots: rootTypes });
  yield;
  const sdl = printSchema({ client, extended: extended.texts, generated, queries, mutations, subscriptions });
  yield;
  const schema = yield* serveSchema(sdl, [...client, ...generated, ...rootTypes]);
  yield;
  return {
    sdl,
    schema,
    queries: operationsBy(roots.queries),
    mutations: operationsBy(roots.mutations),
    subscriptions: operationsBy(roots.subscriptions),
    shown: input.shown,
    ...shapes(),
  };
}

/** The parts of an API, not yet checked for conflicts. */
export interface AssembledApi {
  readonly client: readonly Definition[];
  readonly generated: readonly Definition[];
  readonly extended: Extended;
  readonly roots: Roots;
  readonly shapes: () => ReturnType<typeof recordShapes>;
}

export function* assembleApi({ model, definitions, directiveDefinitions, additions: given }: ApiInput): Work<AssembledApi> {
  const additions = sortAdditions(given);
  const extended = readExtended([builtInDefinitions, ...directiveDefinitions]);
  const client = definitions.filter((definition) => !isRoot(definition)).map((definition) => clientDefinition(definition, model, additions));
  yield;
  const added = onlyOnce(additions.definitions).filter(({ name }) => !extended.types.has(name));
  const generated = generateTypes(model, { ...additions, definitions: added });
  yield;
  const names = new Set(generated.map(({ name }) => name));
  const exists = (name: string) => names.has(name);
  const roots = generateRoots({ model, definitions, additions, exists });
  return { client, generated, extended, roots, shapes: () => recordShapes(model, additions, exists) };
}

function isRoot({ name }: TypeDefinitionNode): boolean {
  return name.value === "Query" || name.value === "Mutation";
}

function memberOf({ member }: Root): Member {
  return member;
}

function operationsBy(roots: readonly Root[]): ReadonlyMap<string, RootOperation> {
  return new Map(roots.map(({ member, operation }) => [member.name, operation]));
}

function nothingToAsk(): QuernError {
  const message = "No query or mutation found in the generated schema";
  return new QuernError("SCHEMA_INVALID", message, { errors: [new QuernError("SCHEMA_INVALID", message)] });
}
