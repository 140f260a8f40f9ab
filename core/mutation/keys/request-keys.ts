// Keys inside one request: which input objects are one and the same, and which contradict each other. Pure; the table of
// cases is in test/mutation/request-keys.test.ts.

import type { Key, NodeType } from "../../contracts/model.ts";
import type { QuernError } from "../../ground/errors.ts";
import type { EndName, Stored, Value } from "../../ground/values/value.ts";
import { at, duplicateKey, keyExists, severalFound } from "../context/error-messages.ts";
import type { WriteFacts } from "../context/write-facts.ts";
import type { InputNode, InputTree, KeyValue, ScopePart } from "../input/input-tree.ts";
import { isList, pathOf } from "../input/input-tree.ts";
import { identity } from "../input/stored-input.ts";
import { keyLabel, scopeText } from "./scoped-keys.ts";

/** What one or more input objects with keys mean together. */
export interface Entity {
  /** In order, objects below `remove` included. */
  readonly mentions: readonly InputNode[];
  /** The object from which a new node would be made; undefined when only `remove` or interfaces mention it. */
  readonly definition: InputNode | undefined;
}

export interface Entities {
  /** Of objects that have keys and no ID. */
  readonly of: ReadonlyMap<InputNode, Entity>;
  readonly problems: readonly QuernError[];
}

interface Growing {
  readonly mentions: InputNode[];
  definition: InputNode | undefined;
  readonly values: Map<string, Value>;
}

export function matchKeys(tree: InputTree, facts: WriteFacts): Entities {
  const matcher = new Matcher();
  const keyed = tree.nodes.filter((node) => node.keys.length > 0 && (node.role === "add" || node.role === "nested"));
  for (const node of keyed) if (node.type.kind === "object" && !node.removes) matcher.define(node);
  for (const node of keyed) if (node.type.kind === "interface" || node.removes) matcher.refer(node);
  return { of: matcher.entities, problems: matcher.problems.concat(contestedEnds(tree, facts, matcher.entities)) };
}

class Matcher {
  readonly entities = new Map<InputNode, Growing>();
  readonly problems: QuernError[] = [];
  readonly #bySpace = new Map<string, Growing>();

  /** An object that may become a node. */
  define(node: InputNode): void {
    const found = this.#found(node.keys.map(spaceOf(node.type)));
    const [entity] = found;
    if (entity) {
      const problem = found.size > 1 ? severalFound() : conflict(entity, node);
      if (problem) this.problems.push(at(pathOf(node), problem));
      this.#join(entity, node);
    } else {
      this.#claim({ mentions: [node], definition: node, values: new Map() }, node);
    }
  }

  /** An object that cannot become one: it means what the others define, if they do. */
  refer(node: InputNode): void {
    const spaces = node.keys.flatMap((each) =>
      (node.type.kind === "object" ? [node.type] : [node.type, ...node.type.members]).map((type) => spaceOf(type)(each)),
    );
    const found = this.#found(spaces);
    const [entity] = found;
    if (found.size > 1) this.problems.push(at(pathOf(node), severalFound()));
    if (entity) {
      entity.mentions.push(node);
      this.entities.set(node, entity);
    } else {
      this.#claim({ mentions: [node], definition: undefined, values: new Map() }, node);
    }
  }

  #found(spaces: readonly string[]): ReadonlySet<Growing> {
    const found = new Set<Growing>();
    for (const space of spaces) {
      const entity = this.#bySpace.get(space);
      if (entity) found.add(entity);
    }
    return found;
  }

  #join(entity: Growing, node: InputNode): void {
    if (!entity.definition || weight(node) > weight(entity.definition)) entity.definition = node;
    entity.mentions.push(node);
    this.#claim(entity, node);
  }

  #claim(entity: Growing, node: InputNode): void {
    this.entities.set(node, entity);
    for (const each of node.keys) {
      const space = spaceOf(node.type)(each);
      if (!this.#bySpace.has(space)) this.#bySpace.set(space, entity);
      entity.values.set(each.key.field.name, each.value);
      for (const part of each.scope ?? noScope) if ("value" in part) entity.values.set(part.field.name, part.value);
    }
  }
}

/** Why `node` cannot be the same as what was mentioned before. */
function conflict(entity: Growing, node: InputNode): QuernError | undefined {
  const before = entity.definition;
  const shared = node.keys.find((each) => entity.values.get(each.key.field.name) === each.value) ?? node.keys[0];
  if (!before || !shared) return undefined;
  if (before.type !== node.type || !agree(entity, before, node))
    return at([...pathOf(node), shared.key.field.name], duplicateKey(String(shared.value)));
  return node.role === "add" && !isBare(before)
    ? at([...pathOf(node), shared.key.field.name], keyExists(String(shared.value), keyLabel(shared.key), node.type.name))
    : undefined;
}

/** A top-level object defines, else the one that says more. */
function weight(node: InputNode): number {
  if (node.role === "add") return Number.POSITIVE_INFINITY;
  return isBare(node) ? node.keys.length : 1_000;
}

function agree(entity: Growing, before: InputNode, node: InputNode): boolean {
  if (before.role === "add" && node.role === "add") return false;
  if (isBare(node) || (isBare(before) && before.role !== "add")) {
    return node.keys.every(({ key, value, scope = noScope }) => holds(entity, key.field.name, value) && scope.every((part) => agrees(entity, part)));
  }
  return sameContent(before, node);
}

const noScope: readonly ScopePart[] = [];

function agrees(entity: Growing, part: ScopePart): boolean {
  return !("value" in part) || holds(entity, part.field.name, part.value);
}

function holds({ values }: Growing, name: string, value: Value): boolean {
  return (values.get(name) ?? value) === value;
}

/** Nothing but keys. */
function isBare(node: InputNode): boolean {
  if (node.keys.some(({ scope }) => scope !== undefined)) return isBareWithin(node);
  if (node.links.some((link) => link.targets.length > 0)) return false;
  let given = 0;
  for (const value of node.values.values()) if (value !== null && !(isList(value) && value.length === 0)) given++;
  return given === node.keys.length;
}

/** The same of an object that has keys within others: what these are within belongs to them. */
function isBareWithin({ keys, links, values }: InputNode): boolean {
  const names = new Set(keys.flatMap(({ key, scope = noScope }) => [key.field.name, ...scope.map(({ field }) => field.name)]));
  if (links.some(({ field, targets }) => targets.length > 0 && !names.has(field.name))) return false;
  return [...values].every(([name, value]) => names.has(name) || value === null || (isList(value) && value.length === 0));
}

/** Deeply equal; null and empty lists count as absent. */
function sameContent(a: InputNode, b: InputNode): boolean {
  if (a === b) return true;
  if (a.type !== b.type || a.reference?.uid !== b.reference?.uid) return false;
  if (!sameValues(a.values, b.values) || !sameValues(b.values, a.values)) return false;
  return sameLinks(a, b) && sameLinks(b, a);
}

function sameValues(a: InputNode["values"], b: InputNode["values"]): boolean {
  for (const [name, value] of a) if (!sameStored(value, b.get(name) ?? null)) return false;
  return true;
}

function sameStored(a: Stored | null, b: Stored | null): boolean {
  const [left, right] = [a, b].map((each) => (each === null ? [] : isList(each) ? each : [each]));
  return left?.length === right?.length && (left ?? []).every((value, i) => identity(value) === identity(right?.[i] ?? ""));
}

function sameLinks(a: InputNode, b: InputNode): boolean {
  return a.links.every(({ field, targets }) => {
    const others = b.links.find((link) => link.field === field)?.targets ?? [];
    return targets.length === others.length && targets.every((target, i) => sameContent(target, others[i] ?? target));
  });
}

/**
 * The name of a key value among all that must differ from it. An inherited key without `across` is one for each concrete type; an
 * interface's own spelling of it, used by references only, is another.
 */
function spaceOf(type: NodeType): (given: KeyValue) => string {
  return (given) => spaceAt(type, given, new Set());
}

function spaceAt(type: NodeType, { key, value, scope }: KeyValue, within: Set<InputNode>): string {
  const space = `${key.field.stored}|${scopeName(key, type)}|${value}`;
  return scope === undefined ? space : `${space}|${scopeText(scope, (target) => nameOf(target, within))}`;
}

/**
 * An object by which another one is named, by its ID or its first key.
 *
 * @param within those that it names: a link may be a part of the keys of both its ends
 */
function nameOf(node: InputNode, within: Set<InputNode>): string {
  const [first] = node.keys;
  if (node.reference) return `#${node.reference.uid}`;
  if (!first || within.has(node)) return `*${node.index}`;
  within.add(node);
  const name = spaceAt(node.type, first, within);
  within.delete(node);
  return name;
}

function scopeName(key: Key, type: NodeType): string {
  return key.across?.name ?? type.name;
}

/** Where two objects of the request want the same single end of a third: it cannot have both. Objects named by ID are not looked at. */
function contestedEnds(tree: InputTree, _facts: WriteFacts, entities: ReadonlyMap<InputNode, Entity>): readonly QuernError[] {
  if (!tree.nodes.some(({ links }) => links.length > 0)) return [];
  const holders = new Map<Entity, Map<EndName, InputNode | Entity>>();
  const problems: QuernError[] = [];
  const claim = (owner: InputNode, end: EndName, partner: InputNode) => {
    const entity = entities.get(owner);
    const key = owner.keys[0];
    if (!entity || !key) return;
    const ends = holders.get(entity) ?? new Map<EndName, InputNode | Entity>();
    holders.set(entity, ends);
    const wanted = entities.get(partner) ?? partner;
    const holder = ends.get(end);
    if (holder === undefined) ends.set(end, wanted);
    else if (holder !== wanted) problems.push(at(pathOf(partner), duplicateKey(String(key.value))));
  };
  for (const node of tree.nodes) {
    if (node.removes) continue;
    for (const { field, targets } of node.links) {
      for (const target of targets) {
        if (target.reference) continue;
        if (!field.type.list) claim(node, field.stored, target);
        if (target.back && !target.back.type.list) claim(target, target.back.stored, node);
      }
    }
  }
  return problems;
}
