// Generates the root types. `Query` and `Mutation` contain the schema's own fields, plugins' fields without a type, then the fields of each type
// in source order. `Subscription` contains the live fields of `Query`.

import { type ConstDirectiveNode, Kind, type TypeDefinitionNode } from "graphql";
import type { Model } from "../../contracts/model.ts";
import type { Additions } from "./additions.ts";
import { mutationsOf, type PluginRoot, pluginRoot, queriesOf, type Root } from "./outputs/roots.ts";
import { readDefinition } from "./sdl/read-definition.ts";

export interface Roots {
  readonly queries: readonly Root[];
  readonly mutations: readonly Root[];
  readonly subscriptions: readonly Root[];
}

export interface RootSources {
  readonly model: Model;
  /** Includes the schema's `Query` and `Mutation`. */
  readonly definitions: readonly TypeDefinitionNode[];
  readonly additions: Additions;
  /** Whether an input remains after the cleaning. */
  readonly exists: (input: string) => boolean;
}

export function generateRoots({ model, definitions, additions, exists }: RootSources): Roots {
  const nodes = [...model.nodeTypes.values()];
  const [queries, mutations] = [split("query", "Query", definitions, additions), split("mutation", "Mutation", definitions, additions)];
  const all = {
    queries: [
      ...queries.first,
      ...nodes.flatMap((node) =>
        queriesOf(node, {
          own: queries.about(node.name),
          listed: additions.nearestOf(node).map(({ argument }) => argument),
          lists: additions.listsOf(node),
        }),
      ),
    ],
    mutations: [...mutations.first, ...nodes.flatMap((node) => mutationsOf(node, mutations.about(node.name), exists))],
  };
  const { deprecated, live } = additions;
  const served = all.queries.map((root) => withReason(root, deprecated));
  return {
    queries: served,
    mutations: all.mutations.map((root) => withReason(root, deprecated)),
    subscriptions: served.filter((root) => isLive(root, live)),
  };
}

interface PluginRoots {
  /** Fields that the schema declares, then fields without a type. */
  readonly first: readonly Root[];
  about(type: string): readonly PluginRoot[];
}

/** A plugin's root field resolves the declared field of the same name; the declaration is served. */
function split(operation: "query" | "mutation", name: string, definitions: readonly TypeDefinitionNode[], { roots }: Additions): PluginRoots {
  const own = roots.filter(({ root }) => root.operation === operation);
  const definition = definitions.find((each) => each.name.value === name);
  const read = definition && readDefinition(definition);
  const declared = read?.kind === "type" ? read.members : [];
  const answered = declared.map((member) => {
    const answer = own.find((each) => each.member.name === member.name);
    if (!answer) throw new TypeError(`No plugin answers the root field ${name}.${member.name}.`);
    return pluginRoot({ member, root: answer.root });
  });
  const rest = own.filter(({ member }) => !declared.some((each) => each.name === member.name));
  return {
    first: [...answered, ...rest.filter(({ root }) => root.type === undefined).map(pluginRoot)],
    about: (type) => rest.filter(({ root }) => root.type?.name === type),
  };
}

/** Generated queries of live types, and declared queries that a plugin marks as live. */
function isLive({ member, operation }: Root, named: ReadonlySet<string>): boolean {
  return operation.kind === "plugin" ? named.has(member.name) : operation.node.allows("subscription");
}

function withReason(root: Root, reasons: ReadonlyMap<string, string>): Root {
  const reason = reasons.get(root.member.name);
  if (reason === undefined) return root;
  return { ...root, member: { ...root.member, directives: [...(root.member.directives ?? []), deprecation(reason)] } };
}

function deprecation(reason: string): ConstDirectiveNode {
  const name = (value: string) => ({ kind: Kind.NAME, value }) as const;
  const argument = { kind: Kind.ARGUMENT, name: name("reason"), value: { kind: Kind.STRING, value: reason } } as const;
  return { kind: Kind.DIRECTIVE, name: name("deprecated"), arguments: [argument] };
}
