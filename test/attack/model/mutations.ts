// Random mutations, and what they do to the naive store. Input that the reference leaves undefined (one object claimed by two parents
// through a single inverse) is not made.

import { lower, meaningOf, randomFilter, type Scene, widensByNulls } from "./filters.ts";
import type { Random } from "./random.ts";
import {
  inversesFor,
  keysOf,
  type LinkField,
  linkFields,
  membersOf,
  type NodeType,
  type Schema,
  typeNamed,
  type ValueField,
  valueFields,
} from "./schema.ts";
import {
  asList,
  compareValues,
  fromInput,
  type Input,
  type InputObject,
  inputOf,
  isObject,
  listOf,
  passwords,
  type Stored,
  type Value,
  writtenValues,
} from "./values.ts";
import type { Node, World } from "./world.ts";

export type Mutation =
  | { readonly kind: "add"; readonly type: NodeType; readonly input: readonly InputObject[]; readonly upsert: boolean }
  | { readonly kind: "update"; readonly type: NodeType; readonly filter: InputObject; readonly set?: InputObject; readonly remove?: InputObject }
  | { readonly kind: "delete"; readonly type: NodeType; readonly filter: InputObject };

export interface Outcome {
  readonly roots: readonly Node[];
  readonly numUids: number;
}

/** Why nothing at all happens. */
class Refused extends Error {}

// ---- making them ------------------------------------------------------------------------------------------------------

/** What one request has used up. */
interface Drafting {
  readonly random: Random;
  readonly scene: Scene;
  /** Keys mentioned in this request, as `type.field=value`. */
  readonly keys: Set<string>;
  /** Links through fields where the other side, or both, hold one: one in a request, so that no order matters. */
  contested: boolean;
  /** An object that is there may be written to and be linked to in one request. */
  revises: boolean;
  /** A reference by key may carry values that are not looked at; two such bodies of one key would contradict each other. */
  carriesMore: boolean;
}

export function randomAdd(random: Random, scene: Scene): Mutation {
  const drafting: Drafting = { random, scene, keys: new Set(), contested: false, revises: false, carriesMore: false };
  const type = random.pick(scene.schema.types.filter((each) => each.kind === "object"));
  const upsert = keysOf(type).length > 0 && random.chance(35);
  // The top level of an upsert may be what is referred to.
  drafting.carriesMore = upsert;
  drafting.revises = upsert;
  const input = Array.from({ length: random.chance(4) ? 0 : 1 + random.below(3) }, () =>
    randomObject(drafting, type, { top: true, upsert, depth: 2 }),
  );
  return { kind: "add", type, input, upsert };
}

/** So many of one type that lists, blocks and columns are cut; undefined where every object needs a key of its own. */
export function randomCrowd(random: Random, scene: Scene): Mutation | undefined {
  const type = random.pick(scene.schema.types.filter((each) => each.kind === "object"));
  if (scene.world.nodes.length > 300 || type.secret !== undefined || keysOf(type).some((key) => key.nonNull)) return undefined;
  const hubs = random.shuffled(scene.world.nodes).slice(0, 2);
  const ends = linkFields(type).filter(
    (field) => field.reverseOf === undefined && field.target !== "U" && inversesFor(field, type.stored).every(({ list }) => list),
  );
  const one = (): InputObject => {
    const object: Record<string, Input> = {};
    for (const field of valueFields(type))
      if (field.unique === "no" && (field.nonNull || random.chance(70))) object[field.name] = randomInput(random, field);
    for (const field of ends) {
      const targets = hubs.filter((hub) => membersOf(scene.schema, field.target).some((member) => member.stored === hub.type)).map(scene.idOf);
      const [first] = targets;
      if (first !== undefined && random.chance(90)) object[field.name] = field.list ? targets.map((id) => ({ id })) : { id: first };
    }
    return object;
  };
  return { kind: "add", type, input: Array.from({ length: 260 + random.below(30) }, one), upsert: false };
}

export function randomUpdate(random: Random, scene: Scene): Mutation {
  const type = random.pick(scene.schema.types);
  const filter = randomWriteFilter(random, scene, type);
  const matched = scene.world.of(scene.schema, type.name).filter((node) => meaningOf(scene, type, filter)?.(node) ?? true).length;
  const drafting: Drafting = { random, scene, keys: new Set(), contested: matched !== 1, revises: matched === 1, carriesMore: false };
  const set = random.chance(75) ? randomPatch(drafting, type, 1) : undefined;
  const remove = random.chance(45) ? randomRemoval(drafting, type) : undefined;
  return { kind: "update", type, filter, ...(set && { set }), ...(remove && { remove }) };
}

export function randomDelete(random: Random, scene: Scene): Mutation {
  const type = random.pick(scene.schema.types);
  return { kind: "delete", type, filter: randomWriteFilter(random, scene, type) };
}

/** Mostly of a few objects. */
function randomWriteFilter(random: Random, scene: Scene, type: NodeType): InputObject {
  const some = scene.world.of(scene.schema, type.name);
  if (some.length > 0 && random.chance(60)) return { id: random.chance(70) ? scene.idOf(random.pick(some)) : random.some(some, 50).map(scene.idOf) };
  return randomFilter(random, scene, type);
}

interface Place {
  readonly top: boolean;
  readonly upsert: boolean;
  readonly depth: number;
  /** The fields that lead back to the parent. */
  readonly backs?: readonly string[];
}

function randomObject(drafting: Drafting, type: NodeType, { top, upsert, depth, backs = [] }: Place): InputObject {
  const { random } = drafting;
  const object: Record<string, Input> = {};
  const keyed = keysOf(type).length > 0;
  for (const field of valueFields(type)) {
    const value = field.unique === "no" ? randomInput(random, field) : randomKey(drafting, type, field, top && (upsert || random.chance(12)));
    const required = field.nonNull && (top ? field.whenAdded === undefined : keyed && field.whenAdded === undefined);
    if (value !== undefined && (required || random.chance(60))) object[field.name] = value;
    else if (!required && random.chance(8)) object[field.name] = null;
    else if (required && !top && random.chance(96) && value !== undefined) object[field.name] = value;
  }
  if (type.secret !== undefined && (top || random.chance(40))) object.word = random.pick(passwords);
  if (depth > 0) for (const field of random.some(linkFields(type), 40)) addLinks(drafting, object, field, { depth, backs });
  return object;
}

function randomInput(random: Random, field: ValueField): Input {
  const one = (): Input => inputOf(field.scalar, random.pick(writtenValues(field.scalar)));
  return field.list ? Array.from({ length: random.below(4) }, one) : one();
}

/** A key that is free, or (`existing`) perhaps one that is there. Undefined when all are used up. */
function randomKey({ random, scene, keys }: Drafting, type: NodeType, field: ValueField, existing: boolean): Input | undefined {
  const taken = scene.world.of(scene.schema, type.name).flatMap((node) => listOf(node.values.get(field.stored)));
  const pool: Value[] =
    field.scalar === "String"
      ? Array.from({ length: 60 }, (_, i) => ["é", "k", "🛥", "\uffff"][i % 4] + String(i))
      : Array.from({ length: 60 }, (_, i) => (field.scalar === "Int64" ? 2n ** 53n + BigInt(i) : i - 3));
  if (existing && taken.length > 0 && random.chance(60)) return random.pick(taken);
  if (random.chance(1) && field.scalar === "String") return "";
  const free = random.shuffled(pool).find((value) => !keys.has(`${field.stored}=${value}`) && isFree(scene, field, value));
  if (free === undefined) return undefined;
  keys.add(`${field.stored}=${free}`);
  return free;
}

/** By all nodes that there are, seen or not: names that come back with a later schema must not clash for this test's sake. */
function isFree({ world }: Scene, field: ValueField, value: Value): boolean {
  return !world.nodes.some((node) => listOf(node.values.get(field.stored)).includes(value));
}

function addLinks(
  drafting: Drafting,
  object: Record<string, Input>,
  field: LinkField,
  { depth, backs = [] }: { readonly depth: number; readonly backs?: readonly string[] },
): void {
  const { random } = drafting;
  if (field.reverseOf !== undefined || (backs.includes(field.name) && !field.list)) return;
  const contests = field.inverses.some(({ list }) => !list || (drafting.revises && !field.list));
  if (contests && drafting.contested) return;
  const count = !field.list || field.inverses.some(({ list }) => !list) ? 1 : random.below(3);
  const targets: Input[] = [];
  for (let i = 0; i < count; i++) {
    const target = randomTarget(drafting, field, depth);
    if (target !== undefined) targets.push(target);
  }
  if (targets.length > 0 && contests) drafting.contested = true;
  const [first] = targets;
  if (field.list) object[field.name] = targets.length === 1 && random.chance(20) && first !== undefined ? first : targets;
  else if (first !== undefined) object[field.name] = first;
}

/** By ID, by key, or something new. */
function randomTarget(drafting: Drafting, field: LinkField, depth: number): Input | undefined {
  const { random, scene } = drafting;
  const type = field.target === "U" ? random.pick(membersOf(scene.schema, "U")) : typeNamed(scene.schema, field.target);
  const wrap = (target: Input | undefined): Input | undefined =>
    target === undefined ? undefined : field.target === "U" ? { [`${lower(type.name)}Ref`]: target } : target;
  const there = scene.world.of(scene.schema, type.name);
  if (random.chance(2)) return wrap({ id: "0xffffff" });
  if (there.length > 0 && (type.kind === "interface" || random.chance(65))) {
    const node = random.pick(there);
    // Through an interface the first key alone is offered; one that several may hold is not asked for.
    const usable =
      type.kind === "interface"
        ? keysOf(type)
            .slice(0, 1)
            .filter((key) => key.unique === "across the interface")
        : keysOf(type);
    const [key] = random.shuffled(usable.filter((each) => node.values.has(each.stored)));
    const value = key && node.values.get(key.stored);
    if (key && value !== undefined && random.chance(50))
      return wrap({ [key.name]: value as Value, ...(type.kind === "object" && random.chance(15) && ignored(drafting, type)) });
    return wrap({ id: scene.idOf(node) });
  }
  if (type.kind === "interface" && random.chance(10)) {
    // Of which type it would be, nobody says.
    const [key] = keysOf(type);
    const value = key && randomKey(drafting, type, key, false);
    return key && value !== undefined ? { [key.name]: value } : undefined;
  }
  if (type.kind === "interface" || depth <= 0) return undefined;
  const nested = randomObject(drafting, type, { top: false, upsert: false, depth: depth - 1, backs: field.inverses.map(({ name }) => name) });
  return Object.keys(nested).length > 0 ? wrap(nested) : undefined;
}

/** What a reference by key carries beside it is not looked at. */
function ignored(drafting: Drafting, type: NodeType): InputObject {
  const { random } = drafting;
  if (drafting.carriesMore) return {};
  drafting.carriesMore = true;
  const [field] = random.shuffled(valueFields(type).filter((each) => each.unique === "no"));
  return field ? { [field.name]: randomInput(random, field) } : {};
}

function randomPatch(drafting: Drafting, type: NodeType, depth: number): InputObject {
  const { random } = drafting;
  const patch: Record<string, Input> = {};
  for (const field of random.some(valueFields(type), 35)) {
    if (random.chance(8)) patch[field.name] = null;
    else {
      const value =
        field.unique === "no" ? randomInput(random, field) : random.chance(40) ? randomKey(drafting, type, field, random.chance(40)) : undefined;
      if (value !== undefined) patch[field.name] = value;
    }
  }
  if (type.secret !== undefined && random.chance(30)) patch.word = random.chance(15) ? null : random.pick(passwords);
  for (const field of random.some(linkFields(type), 40)) addLinks(drafting, patch, field, { depth });
  return patch;
}

function randomRemoval(drafting: Drafting, type: NodeType): InputObject {
  const { random, scene } = drafting;
  const removal: Record<string, Input> = {};
  if (type.secret !== undefined && random.chance(20)) removal.word = null;
  for (const field of random.some(valueFields(type), 25)) removal[field.name] = random.chance(40) ? null : randomInput(random, field);
  for (const field of random.some(linkFields(type), 40)) {
    if (field.reverseOf !== undefined) continue;
    if (random.chance(30)) removal[field.name] = null;
    else {
      const gone = random.some(scene.world.of(scene.schema, field.target), 50).map((node): Input => {
        const name = membersOf(scene.schema, field.target).find((member) => member.stored === node.type)?.name ?? "";
        return field.target === "U" ? { [`${lower(name)}Ref`]: { id: scene.idOf(node) } } : { id: scene.idOf(node) };
      });
      const [first] = gone;
      if (field.list) removal[field.name] = gone;
      else if (first !== undefined) removal[field.name] = first;
    }
  }
  return removal;
}

// ---- what they do -----------------------------------------------------------------------------------------------------

/** What a mutation refers to is looked up before anything is written. */
interface Stage extends Scene {
  readonly before: World;
}

/** Carries `mutation` out on the scene's world. Undefined: it is refused, and the world is to be thrown away. */
export function carryOut(given: Scene, mutation: Mutation): Outcome | undefined {
  const scene: Stage = { ...given, before: given.world.copy() };
  try {
    switch (mutation.kind) {
      case "add":
        return carryOutAdd(scene, mutation);
      case "update":
        return carryOutUpdate(scene, mutation);
      case "delete": {
        if (widensByNulls(scene, mutation.type, mutation.filter)) return undefined;
        const roots = matching(scene, mutation.type, mutation.filter);
        for (const node of roots) scene.world.remove(node);
        return { roots, numUids: roots.length };
      }
    }
  } catch (reason) {
    if (reason instanceof Refused) return undefined;
    throw reason;
  }
}

function matching(scene: Scene, type: NodeType, filter: InputObject): readonly Node[] {
  const meaning = meaningOf(scene, type, filter);
  return scene.world.of(scene.schema, type.name).filter((node) => meaning?.(node) ?? true);
}

function carryOutAdd(scene: Stage, { type, input, upsert }: Extract<Mutation, { kind: "add" }>): Outcome {
  const before = scene.world.nodes.length;
  const mentioned = new Set<string>();
  const holders = input.map((object) => {
    for (const { field, value } of givenKeys(type, object)) {
      if (value === "" || mentioned.has(`${field.name}=${value}`)) throw new Refused();
      mentioned.add(`${field.name}=${value}`);
    }
    return holderOf(scene, type, object);
  });
  if (holders.some((holder) => holder !== undefined && !upsert)) throw new Refused();
  if (new Set(holders.filter(Boolean)).size < holders.filter(Boolean).length) throw new Refused();
  const roots = input.map((object, i) => {
    const holder = holders[i];
    if (!holder) return createNode(scene, type, object);
    setValues(type, holder, object);
    setLinks(scene, type, [holder], object);
    return holder;
  });
  return { roots: [...roots].sort((a, b) => a.number - b.number), numUids: scene.world.nodes.length - before };
}

function carryOutUpdate(scene: Stage, { type, filter, set, remove }: Extract<Mutation, { kind: "update" }>): Outcome {
  const [given, gone] = [set, remove].map((patch) => (patch && Object.keys(patch).length > 0 ? patch : undefined));
  if (!given && !gone) return { roots: [], numUids: 0 };
  if (given) for (const { value } of givenKeys(type, given)) if (value === "") throw new Refused();
  if (widensByNulls(scene, type, filter)) throw new Refused();
  const nodes = matching(scene, type, filter);
  if (nodes.length === 0) {
    // What the patch refers to is looked at all the same.
    if (given) setLinks({ ...scene, world: scene.world.copy() }, type, [], given);
    return { roots: [], numUids: 0 };
  }
  if (given) {
    const keys = givenKeys(type, given);
    if (keys.length > 0 && nodes.length > 1) throw new Refused();
    for (const { field, value } of keys) {
      const others = membersOf(scene.schema, type.name).flatMap((member) =>
        scene.world.holders(scene.schema, spaceOf(scene.schema, member, field), field, value),
      );
      if (others.some((other) => other !== nodes[0])) throw new Refused();
    }
    for (const node of nodes) setValues(type, node, given);
    setLinks(scene, type, nodes, given);
  }
  if (gone) for (const node of nodes) removeFrom(scene, type, node, gone);
  return { roots: nodes, numUids: nodes.length };
}

function givenKeys(type: NodeType, object: InputObject): { readonly field: ValueField; readonly value: Value }[] {
  return keysOf(type).flatMap((field) => {
    const value = object[field.name];
    return value === undefined || value === null ? [] : [{ field, value: value as Value }];
  });
}

/** The object types among which the key of an object of `type` must be alone. */
function spaceOf(schema: Schema, type: NodeType, field: ValueField): readonly string[] {
  return field.unique === "across the interface" ? membersOf(schema, "I").map((member) => member.name) : [type.name];
}

/** The one node that has one of the keys that `object` gives. */
function holderOf(scene: Stage, type: NodeType, object: InputObject): Node | undefined {
  const found = new Set(
    givenKeys(type, object).flatMap(({ field, value }) => scene.before.holders(scene.schema, spaceOf(scene.schema, type, field), field, value)),
  );
  const [holder, ...others] = found;
  if (others.length > 0 || (holder && type.kind === "object" && holder.type !== type.stored)) throw new Refused();
  return scene.world.nodes.find((node) => node.number === holder?.number);
}

function createNode(scene: Stage, type: NodeType, object: InputObject): Node {
  const node = scene.world.create(type);
  for (const field of valueFields(type)) {
    const given = object[field.name];
    const value = given === undefined || given === null ? undefined : storedOf(field, given);
    const useDefault = given === undefined || (given === null && field.nonNull);
    const stored = value ?? (useDefault ? field.whenAdded : undefined);
    if (stored !== undefined) node.values.set(field.stored, stored);
  }
  setPassword(type, node, object);
  setLinks(scene, type, [node], object);
  return node;
}

/** Undefined for an empty list. */
function storedOf(field: ValueField, given: Input): Stored | undefined {
  const one = (input: Input): Value => fromInput(field.scalar, input);
  if (!field.list) return one(given);
  const distinct = [...new Set(asList(given).map(one))];
  return distinct.length === 0 ? undefined : distinct;
}

function setPassword({ secret }: NodeType, node: Node, { word }: InputObject): void {
  if (secret !== undefined && typeof word === "string") node.values.set(secret, word);
}

/** Null changes nothing, lists are added to. */
function setValues(type: NodeType, node: Node, object: InputObject): void {
  setPassword(type, node, object);
  for (const field of valueFields(type)) {
    const given = object[field.name];
    if (given === undefined && field.whenUpdated !== undefined) node.values.set(field.stored, field.whenUpdated);
    const value = given === undefined || given === null ? undefined : storedOf(field, given);
    if (value === undefined) continue;
    node.values.set(field.stored, field.list ? [...new Set([...listOf(node.values.get(field.stored)), ...listOf(value)])] : value);
  }
}

/** Fields by name. Each target is found or made once, whatever the number of nodes. */
function setLinks(scene: Stage, type: NodeType, nodes: readonly Node[], object: InputObject): void {
  for (const field of [...linkFields(type)].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    for (const input of asList(object[field.name])) {
      const target = targetOf(scene, field, input, nodes[0]?.type);
      for (const node of nodes) scene.world.link(field, node, target);
    }
  }
}

function targetOf(scene: Stage, field: LinkField, input: Input, parent: string | undefined): Node {
  const { schema, world, idOf } = scene;
  const [member, inside] = field.target === "U" && isObject(input) ? (Object.entries(input)[0] ?? []) : [undefined, input];
  const type = member === undefined ? typeNamed(schema, field.target) : membersOf(schema, "U").find((each) => `${lower(each.name)}Ref` === member);
  if (!type || !isObject(inside)) throw new RangeError("no target");
  if (inside.id !== undefined) {
    const node = world.of(schema, type.name).find((each) => idOf(each) === inside.id);
    if (!node) throw new Refused();
    return node;
  }
  for (const { value } of givenKeys(type, inside)) if (value === "") throw new Refused();
  const holder = holderOf(scene, type, inside);
  if (holder) return holder;
  if (type.kind === "interface") throw new Refused();
  const keys = keysOf(type);
  const isMissing = (each: ValueField) => each.nonNull && each.whenAdded === undefined && (inside[each.name] ?? null) === null;
  if (keys.length > 0 && valueFields(type).some(isMissing)) throw new Refused();
  // A single field that leads back is the parent's to fill.
  const backs = inversesFor(field, parent ?? "").filter(({ list }) => !list);
  return createNode(scene, type, Object.fromEntries(Object.entries(inside).filter(([name]) => !backs.some((back) => back.name === name))));
}

function removeFrom({ schema, world, idOf }: Scene, type: NodeType, node: Node, object: InputObject): void {
  if (type.secret !== undefined && object.word === null) node.values.delete(type.secret);
  for (const field of valueFields(type)) {
    const given = object[field.name];
    if (given === undefined) continue;
    const stored = node.values.get(field.stored);
    const gone = given === null ? listOf(stored) : listOf(storedOf(field, given));
    const isGone = (value: Value) => gone.some((each) => (field.list ? each === value : compareValues(field.scalar, each, value) === 0));
    const left = listOf(stored).filter((value) => !isGone(value));
    if (left.length === 0) node.values.delete(field.stored);
    else if (field.list) node.values.set(field.stored, left);
  }
  for (const field of linkFields(type)) {
    const given = object[field.name];
    if (given === undefined) continue;
    const ids = asList(given).map((each) =>
      isObject(each) ? (field.target === "U" ? (Object.values(each)[0] as InputObject).id : each.id) : undefined,
    );
    for (const partner of world.shown(schema, node, field)) if (given === null || ids.includes(idOf(partner))) world.unlink(field, node, partner);
  }
}

export type { World };
