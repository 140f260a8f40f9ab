// Random filters, and what they mean: a look at one node.

import type { Random } from "./random.ts";
import {
  type FilterKind,
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
  distanceBetween,
  fromInput,
  type Input,
  type InputObject,
  inputOf,
  isObject,
  listOf,
  Name,
  type Value,
  writtenValues,
} from "./values.ts";
import type { Node, World } from "./world.ts";

export interface Scene {
  readonly schema: Schema;
  readonly world: World;
  /** How clients see a node's id. */
  readonly idOf: (node: Node) => string;
}

// ---- making them ------------------------------------------------------------------------------------------------------

export function randomFilter(random: Random, scene: Scene, type: NodeType, depth = 2): InputObject {
  const filter: Record<string, Input> = {};
  const searchable = valueFields(type).filter((field) => field.filters.length > 0);
  for (const field of random.some(searchable, 30)) filter[field.name] = randomOperators(random, field);
  if (depth > 0) for (const link of random.some(searchedLinks(type), 12)) filter[link.name] = randomLinkFilter(random, scene, link, depth - 1);
  if (random.chance(12)) filter.id = randomIds(random, scene, type);
  if (random.chance(15))
    filter.has = new Array(1 + random.below(2)).fill(0).map(() => new Name(random.pick([...valueFields(type), ...linkFields(type)]).name));
  if (random.chance(3)) filter.has = [];
  if (depth > 0 && random.chance(20)) filter.and = randomMembers(random, scene, type, depth);
  if (depth > 0 && random.chance(20)) filter.or = randomMembers(random, scene, type, depth);
  if (depth > 0 && random.chance(20)) {
    const negated = randomFilter(random, scene, type, depth - 1);
    // To negate nothing is refused; that has its own tests.
    if (meaningOf(scene, type, negated) !== undefined) filter.not = negated;
  }
  return filter;
}

export const searchedLinks = (type: NodeType): readonly LinkField[] => linkFields(type).filter(({ searched }) => searched);

function randomLinkFilter(random: Random, scene: Scene, { target, list }: LinkField, depth: number): Input {
  if (random.chance(4)) return null;
  const inner = (): Input => {
    if (random.chance(20)) return {};
    return target === "U" ? randomUnionFilter(random, scene, depth) : randomFilter(random, scene, typeNamed(scene.schema, target), depth);
  };
  if (!list) return inner();
  const count = (): InputObject => {
    const number = () => random.below(4) - (random.chance(10) ? 1 : 0);
    if (random.chance(20)) return { in: Array.from({ length: random.below(3) }, number) };
    if (random.chance(20)) return { between: { min: number(), max: number() } };
    return { [random.pick(["eq", "lt", "le", "gt", "ge"])]: number() };
  };
  const members: InputObject[] = [{ some: inner() }, { every: inner() }, { none: inner() }, { count: count() }];
  return Object.assign({}, ...random.some(members, 30), random.pick(members));
}

function randomMembers(random: Random, scene: Scene, type: NodeType, depth: number): Input {
  const member = () => randomFilter(random, scene, type, depth - 1);
  return random.chance(30) ? member() : Array.from({ length: random.below(3) }, member);
}

/** Also nobody's, also of another type. */
function randomIds(random: Random, { world, idOf }: Scene, _type: NodeType): Input {
  const ids = random.some(world.nodes, 30).map(idOf);
  return random.shuffled([...ids, ...random.some(["0xfffffff", "nobody"], 20), ...ids.slice(0, 1)]);
}

function randomOperators(random: Random, field: ValueField): Input {
  if (random.chance(4)) return null;
  if (random.chance(3) && !field.filters.includes("bool")) return {};
  if (field.filters.includes("bool")) return random.chance(50);
  const count = random.chance(15) ? 2 : 1;
  return Object.assign({}, ...Array.from({ length: count }, () => randomOperator(random, field, random.pick(field.filters))));
}

const comparing = ["le", "lt", "ge", "gt"] as const;

function randomOperator(random: Random, { scalar }: ValueField, kind: FilterKind): InputObject {
  const value = (): Input => inputOf(scalar, random.pick(writtenValues(scalar)));
  const equality = (): InputObject => {
    if (random.chance(10)) return { eq: null };
    return random.chance(60) ? { eq: value() } : { in: Array.from({ length: random.below(4) }, value) };
  };
  switch (kind) {
    case "hash":
    case "name":
      return equality();
    case "names":
      return random.chance(50) ? equality() : { [random.pick(comparing)]: value() };
    case "exact":
    case "range":
      if (random.chance(40)) return equality();
      return random.chance(30) ? { between: { min: value(), max: value() } } : { [random.pick(comparing)]: random.chance(5) ? null : value() };
    case "term":
      return { [random.pick(["allofterms", "anyofterms"])]: random.pick(["mill", "STONE mill", "stone é", "", "!?", "kent"]) };
    case "fulltext":
      return { [random.pick(["alloftext", "anyoftext"])]: random.pick(["mills", "STONE mill", "the stone", "", "the", "kent"]) };
    case "near":
      return { near: { coordinate: value(), distance: random.pick([1, 200, 30_000, 4_500_000, 7_000_000]) } };
    default:
      return { regexp: random.pick(["/mill/", "/^S/i", "/é$/", "/./", "/stone mill|🛥/"]) };
  }
}

/** The filter of a field that leads to the union. */
export function randomUnionFilter(random: Random, scene: Scene, depth = 1): InputObject {
  const filter: Record<string, Input> = {};
  if (random.chance(40)) filter.memberTypes = random.some(scene.schema.union, 60).map((name) => new Name(name));
  for (const type of membersOf(scene.schema, "U"))
    if (random.chance(40)) filter[`${lower(type.name)}Filter`] = randomFilter(random, scene, type, depth);
  return filter;
}

export function lower(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

// ---- what they mean ---------------------------------------------------------------------------------------------------

export type Meaning = (node: Node) => boolean;

/** Undefined: no constraint. */
export function meaningOf(scene: Scene, type: NodeType, filter: Input | undefined): Meaning | undefined {
  if (!isObject(filter)) return undefined;
  const must: Meaning[] = [];
  const may: Meaning[] = [];
  const add = (list: Meaning[], meaning: Meaning | undefined) => void (meaning && list.push(meaning));
  for (const [name, member] of Object.entries(filter)) {
    if (member === null) continue;
    const field = valueFields(type).find((each) => each.name === name);
    const link = searchedLinks(type).find((each) => each.name === name);
    if (field) add(must, operatorsMeaning(field, member));
    else if (link) add(must, linkMeaning(scene, link, member));
    else if (name === "id") must.push((node) => asList(member).includes(scene.idOf(node)));
    else if (name === "has") for (const each of asList(member)) must.push((node) => hasValue(scene, type, node, (each as Name).text));
    else if (name === "and") for (const each of asList(member)) add(must, meaningOf(scene, type, each));
    else if (name === "or") for (const each of asList(member)) add(may, meaningOf(scene, type, each));
    else if (name === "not") must.push((node) => !meaningOf(scene, type, member)?.(node));
  }
  const narrow: Meaning | undefined = must.length === 0 ? undefined : (node) => must.every((each) => each(node));
  if (may.length === 0) return narrow;
  return (node) => narrow?.(node) === true || may.some((each) => each(node));
}

/** To one: there is a partner, and it matches. To many: all of what is asked of the partners. */
function linkMeaning(scene: Scene, link: LinkField, member: Input): Meaning | undefined {
  const { target, list } = link;
  const partners = (node: Node) => scene.world.shown(scene.schema, node, link);
  const matching = (filter: Input): Meaning => {
    if (target === "U") return unionMeaning(scene, filter);
    return meaningOf(scene, typeNamed(scene.schema, target), filter) ?? (() => true);
  };
  if (!list) return (node) => partners(node).some(matching(member));
  const { some = null, every = null, none = null, count = null } = member as InputObject;
  const all: Meaning[] = [];
  if (some !== null) all.push((node) => partners(node).some(matching(some)));
  if (every !== null) all.push((node) => partners(node).every(matching(every)));
  if (none !== null) all.push((node) => !partners(node).some(matching(none)));
  const numbers = count === null ? undefined : operatorsMeaning(counted, count);
  if (numbers) all.push((node) => numbers({ ...node, values: new Map([[counted.stored, partners(node).length]]) }));
  return all.length === 0 ? undefined : (node) => all.every((each) => each(node));
}

/** The number of partners, as a field that is compared. */
const counted: ValueField = {
  role: "value",
  name: "count",
  stored: "count",
  scalar: "Int",
  list: false,
  nonNull: false,
  filters: [],
  unique: "no",
  whenAdded: undefined,
  whenUpdated: undefined,
};

/** Given something that asks for nothing, however deep: what would be everything is refused where it writes. */
export function widensByNulls(scene: Scene, type: NodeType, filter: InputObject): boolean {
  if (Object.keys(filter).length > 0 && meaningOf(scene, type, filter) === undefined) return true;
  return Object.entries(filter).some(([name, member]) => {
    if (name === "and" || name === "or" || name === "not") return asList(member).some((each) => isObject(each) && widensInside(scene, type, each));
    return widensInside(scene, type, { [name]: member });
  });
}

/** What is asked of partners widens; the parts of the filter itself may. */
function widensInside(scene: Scene, type: NodeType, filter: InputObject): boolean {
  return Object.entries(filter).some(([name, member]) => {
    if (name === "and" || name === "or" || name === "not") return asList(member).some((each) => isObject(each) && widensInside(scene, type, each));
    const link = searchedLinks(type).find((each) => each.name === name);
    if (!link || !isObject(member)) return false;
    const inner = link.list ? [member.some, member.every, member.none] : [member];
    return inner.some((each) => isObject(each) && partnersWiden(scene, link.target, each));
  });
}

function partnersWiden(scene: Scene, target: string, filter: InputObject): boolean {
  if (target !== "U") return widensByNulls(scene, typeNamed(scene.schema, target), filter);
  return membersOf(scene.schema, "U").some((type) => {
    const member = filter[`${lower(type.name)}Filter`];
    return isObject(member) && widensByNulls(scene, type, member);
  });
}

export function unionMeaning(scene: Scene, filter: Input | undefined): Meaning {
  const given = isObject(filter) ? filter : {};
  const chosen =
    given.memberTypes === undefined || given.memberTypes === null ? scene.schema.union : asList(given.memberTypes).map((each) => (each as Name).text);
  return (node) =>
    membersOf(scene.schema, "U").some(
      (type) =>
        type.stored === node.type && chosen.includes(type.name) && (meaningOf(scene, type, given[`${lower(type.name)}Filter`])?.(node) ?? true),
    );
}

function hasValue({ schema, world }: Scene, type: NodeType, node: Node, name: string): boolean {
  const field = type.fields.find((each) => each.name === name);
  if (field?.role === "value") return node.values.has(field.stored);
  return field !== undefined && world.shown(schema, node, field as LinkField).length > 0;
}

function operatorsMeaning(field: ValueField, operators: Input): Meaning | undefined {
  if (typeof operators === "boolean") return (node) => node.values.get(field.stored) === operators;
  const all = Object.entries(isObject(operators) ? operators : {}).flatMap(([name, value]) => operatorMeaning(field, name, value) ?? []);
  return all.length === 0 ? undefined : (node) => all.every((each) => each(node));
}

function operatorMeaning(field: ValueField, name: string, given: Input): Meaning | undefined {
  const { scalar, stored } = field;
  if (name === "eq" && given === null) return (node) => !node.values.has(stored);
  if (given === null) return undefined;
  const operandOf = (input: Input | undefined): Value => fromInput(scalar, input as Input);
  const some =
    (holds: (value: Value) => boolean): Meaning =>
    (node) =>
      listOf(node.values.get(stored)).some(holds);
  const compared = (input: Input | undefined, holds: (outcome: number) => boolean) =>
    some((value) => holds(compareValues(scalar, value, operandOf(input))));
  switch (name) {
    case "eq":
      return compared(given, (outcome) => outcome === 0);
    case "in":
      return some((value) => asList(given).some((each) => compareValues(scalar, value, operandOf(each)) === 0));
    case "le":
      return compared(given, (outcome) => outcome <= 0);
    case "lt":
      return compared(given, (outcome) => outcome < 0);
    case "ge":
      return compared(given, (outcome) => outcome >= 0);
    case "gt":
      return compared(given, (outcome) => outcome > 0);
    case "between": {
      const { min, max } = given as InputObject;
      return some((value) => compareValues(scalar, value, operandOf(min)) >= 0 && compareValues(scalar, value, operandOf(max)) <= 0);
    }
    case "near": {
      const { coordinate = null, distance } = given as InputObject;
      return some((value) => distanceBetween(value, fromInput("Point", coordinate)) <= Number(distance));
    }
    case "regexp": {
      const [, pattern = "", flags = ""] = /^\/(.*)\/(i?)$/u.exec(String(given)) ?? [];
      return some((value) => value !== "" && new RegExp(pattern, `mu${flags}`).test(String(value)));
    }
    default:
      return wordsMeaning(stored, name, String(given));
  }
}

/** The words in these tests are their own stems, but for `mills`; `the` is left out of texts. */
function wordsMeaning(stored: string, operator: string, text: string): Meaning {
  const inTexts = operator.endsWith("text");
  const wanted = wordsOf(text, inTexts);
  return (node) => {
    const there = new Set(listOf(node.values.get(stored)).flatMap((value) => wordsOf(String(value), inTexts)));
    if (wanted.length === 0) return false;
    return operator.startsWith("all") ? wanted.every((word) => there.has(word)) : wanted.some((word) => there.has(word));
  };
}

function wordsOf(text: string, inTexts: boolean): string[] {
  if (text === "") return inTexts ? [] : [""];
  const words = text.toLowerCase().match(/[a-zé0-9]+/gu) ?? [];
  return inTexts ? words.filter((word) => word !== "the").map((word) => (word === "mills" ? "mill" : word)) : words;
}
