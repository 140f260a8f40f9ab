// Groups the API additions of plugins by their target.

import { Kind, parse } from "graphql";
import type { Field, NodeType } from "../../contracts/model.ts";
import type { ApiAdditions, NearestArgument } from "../../contracts/plugin/api-additions.ts";
import type { ComputedField } from "../../contracts/plugin/computed-field.ts";
import type { FieldFilter } from "../../contracts/plugin/field-filter.ts";
import type { ListKind } from "../../contracts/plugin/level-step.ts";
import type { LinkFilter } from "../../contracts/plugin/link-filter.ts";
import type { LinkOrder } from "../../contracts/plugin/link-order.ts";
import type { RootField } from "../../contracts/plugin/root-field.ts";
import type { UpdateMember } from "../../contracts/plugin/update-member.ts";
import { QuernError } from "../../ground/errors.ts";
import type { Argument, Definition } from "./definition.ts";
import type { AddedList, PluginRoot } from "./outputs/roots.ts";
import { readMember } from "./sdl/read-definition.ts";
import { readDefinitions } from "./sdl/read-sdl.ts";

export interface Additions {
  readonly definitions: readonly Definition[];
  readonly roots: readonly PluginRoot[];
  /** Deprecation reasons by root field name. */
  readonly deprecated: ReadonlyMap<string, string>;
  /** Fields of the schema's `Query` that are also subscriptions. */
  readonly live: ReadonlySet<string>;
  /** Names of directives on mutations. */
  readonly atomic: ReadonlySet<string>;
  /** Names of directives on fields. */
  readonly counting: ReadonlySet<string>;
  /** By `Type.field`. */
  readonly jsonKeys: ReadonlyMap<string, string>;
  /** Arguments of the query of a type, in the order of the plugins. */
  nearestOf(node: NodeType): readonly AddedNearest[];
  /** Members of the update input of a type, in the order of the plugins. */
  updatesOf(node: NodeType): readonly AddedUpdate[];
  filtersOf(node: NodeType): ReadonlyMap<string, FieldFilter>;
  linkFiltersOf(node: NodeType): ReadonlyMap<string, LinkFilter>;
  linkOrdersOf(node: NodeType): ReadonlyMap<string, LinkOrder>;
  computedFor(field: Field): ComputedField | undefined;
  /** Kinds of lists of a type, in the order of the plugins. */
  listsOf(node: NodeType): readonly AddedList[];
}

/** An argument for nearest nodes, with its signature read. */
export interface AddedNearest {
  readonly argument: Argument;
  readonly nearest: NearestArgument;
}

/** A member of an update input, with its signature read. */
export interface AddedUpdate {
  readonly member: Argument;
  readonly update: UpdateMember;
  readonly plugin: string;
}

/** The API additions of one plugin. */
export interface PluginAdditions extends ApiAdditions {
  readonly plugin: string;
}

/** @throws QuernError `PLUGIN_CLASH` if two plugins filter or compute the same field, or add the same root field */
export function sortAdditions(additions: readonly PluginAdditions[]): Additions {
  const from = <T>(list: (each: ApiAdditions) => readonly T[] | undefined): readonly Added<T>[] =>
    additions.flatMap((each) => (list(each) ?? []).map((what) => ({ plugin: each.plugin, what })));
  const filters = byField(
    from((each) => each.filters),
    "filters",
  );
  const linkFilters = byField(
    from((each) => each.linkFilters),
    "filters",
  );
  const linkOrders = byField(
    from((each) => each.linkOrders),
    "orders by",
  );
  const computed = byField(
    from((each) => each.computed),
    "computes",
  );
  const nearest = readNearest(from((each) => each.nearest));
  const updates = readUpdates(from((each) => each.updates));
  const lists = readLists(from((each) => each.lists));
  return {
    listsOf: ({ name }) => lists.filter(({ list }) => list.type.name === name),
    definitions: additions.flatMap((each) => readDefinitions(each.definitions ?? "")),
    roots: readRoots(from((each) => each.roots)),
    deprecated: new Map(additions.flatMap((each) => Object.entries(each.deprecated ?? {}))),
    live: new Set(additions.flatMap((each) => each.live ?? [])),
    atomic: new Set(additions.flatMap((each) => each.atomic ?? [])),
    counting: new Set(additions.flatMap((each) => each.counting ?? [])),
    jsonKeys: new Map(additions.flatMap((each) => Object.entries(each.jsonKeys ?? {}))),
    updatesOf: ({ name }) => updates.filter((each) => each.update.type.name === name),
    nearestOf: ({ name }) => nearest.filter((each) => each.nearest.type.name === name),
    filtersOf: ({ name }) => filters.get(name) ?? new Map(),
    linkFiltersOf: ({ name }) => linkFilters.get(name) ?? new Map(),
    linkOrdersOf: ({ name }) => linkOrders.get(name) ?? new Map(),
    computedFor: ({ owner, origin, name }) => computed.get(owner.name)?.get(name) ?? computed.get(origin.name)?.get(name),
  };
}

interface Added<T> {
  readonly plugin: string;
  readonly what: T;
}

/** By name of the owner, then of the field. */
function byField<T extends { readonly field: Field }>(all: readonly Added<T>[], verb: string): ReadonlyMap<string, ReadonlyMap<string, T>> {
  const sorted = new Map<string, Map<string, T>>();
  const holders = new Map<string, string>();
  for (const { plugin, what } of all) {
    const { owner, name } = what.field;
    claim(holders, { plugin, verb, place: `the field ${owner.name}.${name}` });
    sorted.set(owner.name, (sorted.get(owner.name) ?? new Map<string, T>()).set(name, what));
  }
  return sorted;
}

function readRoots(all: readonly Added<RootField>[]): readonly PluginRoot[] {
  const holders = new Map<string, string>();
  return all.map(({ plugin, what: root }) => {
    const member = readSignature(root.signature, plugin);
    claim(holders, { plugin, verb: "adds", place: `the ${root.operation} ${member.name}` });
    return { root, member };
  });
}

function readNearest(all: readonly Added<NearestArgument>[]): readonly AddedNearest[] {
  const holders = new Map<string, string>();
  return all.map(({ plugin, what: nearest }) => {
    const argument = readArgument(nearest.signature, plugin);
    claim(holders, { plugin, verb: "adds", place: `the search for nearest nodes to query${nearest.type.name}` });
    return { argument, nearest };
  });
}

function readUpdates(all: readonly Added<UpdateMember>[]): readonly AddedUpdate[] {
  const holders = new Map<string, string>();
  return all.map(({ plugin, what: update }) => {
    const member = readArgument(update.signature, plugin);
    claim(holders, { plugin, verb: "adds", place: `the member ${member.name} of Update${update.type.name}Input` });
    return { member, update, plugin };
  });
}

function readLists(all: readonly Added<ListKind>[]): readonly AddedList[] {
  return all.map(({ plugin, what: list }) => ({
    list,
    member: { ...readSignature(`list${list.signature}`, plugin), description: list.description },
    definitions: readDefinitions(list.definitions ?? "").map((definition) => ({ ...definition, generatedFor: list.type.name })),
  }));
}

function readArgument(signature: string, plugin: string): Argument {
  const [argument, ...more] = readSignature(`field(${signature}): ID`, plugin).arguments ?? [];
  if (!argument || more.length > 0) throw new TypeError(`Plugin "${plugin}" adds not one argument: "${signature}".`);
  return argument;
}

function claim(
  holders: Map<string, string>,
  { plugin, verb, place }: { readonly plugin: string; readonly verb: string; readonly place: string },
): void {
  const holder = holders.get(place);
  if (holder !== undefined) {
    throw new QuernError(
      "PLUGIN_CLASH",
      `Plugin "${plugin}" ${verb} ${place}, which plugin "${holder}" does already; remove one of them from plugins.`,
    );
  }
  holders.set(place, plugin);
}

/** The field name of a plugin's root field. */
export function rootName({ signature }: RootField, plugin: string): string {
  return readSignature(signature, plugin).name;
}

function readSignature(signature: string, plugin: string): PluginRoot["member"] {
  const [definition] = parse(`type Root { ${signature} }`).definitions;
  const [field, ...more] = definition?.kind === Kind.OBJECT_TYPE_DEFINITION ? (definition.fields ?? []) : [];
  if (!field || more.length > 0) throw new TypeError(`A root field of plugin "${plugin}" has not one signature: "${signature}".`);
  return readMember(field);
}
