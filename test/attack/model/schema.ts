// Random schemas. A universe says which fields and relations there may be; a choice (one number for each of them) says which are
// there now and how. Another choice over the same universe is a redeploy.

import fc from "../../support/properties.ts";
import { Random } from "./random.ts";
import { literal, readAs, type Scalar, scalars, type Value, writtenValues } from "./values.ts";

// ---- what the model knows of a schema ---------------------------------------------------------------------------------

export type FilterKind = "hash" | "exact" | "term" | "fulltext" | "regexp" | "range" | "bool" | "name" | "names";

export interface ValueField {
  readonly role: "value";
  readonly name: string;
  readonly stored: string;
  readonly scalar: Scalar;
  readonly list: boolean;
  readonly nonNull: boolean;
  readonly filters: readonly FilterKind[];
  /** Object types among which its values are unique. */
  readonly unique: "no" | "in its type" | "across the interface";
  readonly whenAdded: Value | undefined;
  readonly whenUpdated: Value | undefined;
}

export interface LinkField {
  readonly role: "link";
  readonly name: string;
  readonly stored: string;
  readonly target: string;
  readonly list: boolean;
  readonly itemNonNull: boolean;
  /** The field at the other side, by its storage name. */
  readonly inverse: { readonly stored: string; readonly list: boolean; readonly name: string } | undefined;
  /** It shows the links that this end, seen from the other side, has. */
  readonly reverseOf: string | undefined;
}

export type Field = ValueField | LinkField;

export interface NodeType {
  readonly kind: "object" | "interface";
  readonly name: string;
  readonly stored: string;
  readonly interfaces: readonly string[];
  readonly fields: readonly Field[];
}

export interface Schema {
  readonly text: string;
  readonly types: readonly NodeType[];
  readonly union: readonly string[];
}

export function typeNamed(schema: Schema, name: string): NodeType {
  const found = schema.types.find((type) => type.name === name);
  if (!found) throw new RangeError(`no type ${name}`);
  return found;
}

/** The object types behind a name. */
export function membersOf(schema: Schema, name: string): readonly NodeType[] {
  if (name === "U") return schema.union.map((member) => typeNamed(schema, member));
  return schema.types.filter((type) => type.kind === "object" && (type.name === name || type.interfaces.includes(name)));
}

export const valueFields = (type: NodeType) => type.fields.filter((field) => field.role === "value");
export const linkFields = (type: NodeType) => type.fields.filter((field) => field.role === "link");
export const keysOf = (type: NodeType) => valueFields(type).filter((field) => field.unique !== "no");

// ---- universes --------------------------------------------------------------------------------------------------------

type Owner = "A" | "B" | "C" | "I";

interface ValueSlot {
  readonly owner: Owner;
  readonly scalar: Scalar;
  readonly list: boolean;
  readonly key: boolean;
}

interface RelationSlot {
  readonly from: Owner;
  readonly to: Owner | "U";
  readonly many: boolean;
  readonly manyBack: boolean;
  readonly how: "one-way" | "inverse" | "self" | "reverse";
}

export interface Universe {
  readonly values: readonly ValueSlot[];
  readonly relations: readonly RelationSlot[];
}

const owner = fc.constantFrom<Owner>("A", "A", "B", "B", "C", "I");
const valueSlot = fc
  .record({
    owner,
    scalar: fc.constantFrom(...scalars, "String" as const, "Int" as const),
    list: fc.nat(3).map((n) => n === 0),
    key: fc.nat(2).map((n) => n === 0),
  })
  .map((slot): ValueSlot => {
    const key = slot.key && ["String", "Int", "Int64"].includes(slot.scalar);
    return { ...slot, key, list: slot.list && !key && slot.scalar !== "Boolean" };
  });
const relationSlot = fc
  .record({
    from: owner,
    to: fc.oneof({ weight: 6, arbitrary: owner }, { weight: 1, arbitrary: fc.constant("U" as const) }),
    many: fc.boolean(),
    manyBack: fc.boolean(),
    how: fc.constantFrom("one-way" as const, "inverse" as const, "inverse" as const, "self" as const, "reverse" as const),
  })
  .map((slot): RelationSlot => {
    if (slot.to === "U") return { ...slot, how: "one-way" };
    if (slot.how === "self") return { ...slot, to: slot.from };
    if (slot.how === "reverse" && (slot.from === "I" || slot.to === "I")) return { ...slot, how: "inverse" };
    return slot;
  });

export const universes: fc.Arbitrary<Universe> = fc.record({
  values: fc.array(valueSlot, { minLength: 3, maxLength: 9 }),
  relations: fc.array(relationSlot, { minLength: 1, maxLength: 5 }),
});

/** One number for each value, each relation, and for what else there is to choose. */
export type Choice = readonly number[];

export function firstChoice(universe: Universe, seed: number): Choice {
  const random = new Random(seed);
  return Array.from({ length: universe.values.length + universe.relations.length + 1 }, () => random.below(2 ** 31));
}

/** Some numbers anew. */
export function otherChoice(before: Choice, seed: number): Choice {
  const random = new Random(seed);
  const changes = 1 + random.below(3);
  const after = [...before];
  // Often the last: which types there are and what they implement.
  for (let i = 0; i < changes; i++) after[random.chance(30) ? after.length - 1 : random.below(after.length)] = random.below(2 ** 31);
  return after;
}

// ---- from a choice to a schema ----------------------------------------------------------------------------------------

interface Line {
  readonly owner: Owner;
  readonly field: Field;
  readonly text: string;
}

export function schemaOf(universe: Universe, choice: Choice): Schema {
  const whole = new Random(choice.at(-1) ?? 0);
  const objects = whole.chance(85) ? (["A", "B", "C"] as const) : (["A", "B"] as const);
  const implementing = whole.some(objects, 60) as readonly Owner[];
  const union = objects.filter((name) => name === "A" || whole.chance(60));
  const storedC = whole.chance(25) ? "Other" : "C";
  const there = (name: string) => name === "I" || name === "U" || (objects as readonly string[]).includes(name);
  const storedName = (type: Owner, name: string) => `${type === "C" ? storedC : type}.${name}`;

  const lines: Line[] = [
    ...(["A", "B", "C", "I"] as const).filter(there).map((type): Line => {
      const field: ValueField = { ...plainValue, name: `tag${type}`, stored: storedName(type, `tag${type}`) };
      return { owner: type, field, text: `tag${type}: Int` };
    }),
    ...universe.values.flatMap((slot, i) => valueLine(slot, i, new Random(choice[i] ?? 0), storedName)),
    ...universe.relations.flatMap((slot, i) => relationLines(slot, i, new Random(choice[universe.values.length + i] ?? 0), storedName)),
  ].filter((line) => there(line.owner) && (line.field.role === "value" || there(line.field.target)));

  const types = (["I", ...objects] as const).map((name): NodeType => {
    const interfaces = name !== "I" && implementing.includes(name) ? ["I"] : [];
    const own = lines.filter((line) => line.owner === name || (interfaces.length > 0 && line.owner === "I"));
    return {
      kind: name === "I" ? "interface" : "object",
      name,
      stored: name === "C" ? storedC : name,
      interfaces,
      fields: own.map((line) => line.field),
    };
  });
  const bodies = types.map(({ kind, name, interfaces }) => {
    const own = lines.filter((line) => line.owner === name).map((line) => `  ${line.text}\n`);
    const mark = name === "C" && storedC !== "C" ? ` @dgraph(type: "${storedC}")` : "";
    return `${kind === "interface" ? "interface" : "type"} ${name}${interfaces.length > 0 ? " implements I" : ""}${mark} {\n  id: ID!\n${own.join("")}}`;
  });
  const usesUnion = lines.some((line) => line.field.role === "link" && line.field.target === "U");
  const text = [...bodies, `enum Mood { ${writtenValues("Mood").join(" ")} }`, ...(usesUnion ? [`union U = ${union.join(" | ")}`] : [])].join("\n");
  return { text, types, union };
}

const plainValue: Omit<ValueField, "name" | "stored"> = {
  role: "value",
  scalar: "Int",
  list: false,
  nonNull: false,
  filters: [],
  unique: "no",
  whenAdded: undefined,
  whenUpdated: undefined,
};

type StoredName = (owner: Owner, name: string) => string;

function valueLine(slot: ValueSlot, at: number, random: Random, storedName: StoredName): Line[] {
  if (!random.chance(85)) return [];
  const name = `v${at}`;
  const { owner, scalar, list } = slot;
  const unique = slot.key && random.chance(75) ? (owner === "I" && random.chance(50) ? "across the interface" : "in its type") : "no";
  const nonNull = random.chance(20);
  const search = searchOf(scalar, random, unique !== "no");
  const pred = random.chance(12) ? `p${at}` : undefined;
  const withDefault = !list && unique === "no" && random.chance(30);
  const [whenAdded, whenUpdated] = [random, random].map(() => (withDefault && random.chance(70) ? random.pick(writtenValues(scalar)) : undefined));
  const given = (value: Value | undefined, when: string) => (value === undefined ? [] : [`${when}: {value: ${literal(String(value))}}`]);
  const defaults = [...given(whenAdded, "add"), ...given(whenUpdated, "update")];
  const text = [
    `${name}: ${list ? `[${scalar}]` : scalar}${nonNull ? "!" : ""}`,
    ...(unique === "no" ? [] : [unique === "in its type" ? "@id" : "@id(interface: true)"]),
    search.text,
    ...(defaults.length > 0 ? [`@default(${defaults.join(", ")})`] : []),
    ...(pred === undefined ? [] : [`@dgraph(pred: "${pred}")`]),
  ].join(" ");
  const read = (value: Value | undefined) => (value === undefined ? undefined : readAs(scalar, value));
  const field: ValueField = {
    ...{ role: "value", name, stored: pred ?? storedName(owner, name), scalar, list, nonNull, filters: search.filters, unique },
    ...{ whenAdded: read(whenAdded), whenUpdated: read(whenUpdated) },
  };
  return [{ owner, field, text }];
}

interface Search {
  readonly text: string;
  readonly filters: readonly FilterKind[];
}

function searchOf(scalar: Scalar, random: Random, key: boolean): Search {
  if (!random.chance(65)) return { text: "", filters: key ? [scalar === "String" ? "hash" : "range"] : [] };
  switch (scalar) {
    case "String": {
      if (random.chance(15)) return { text: "@search", filters: ["term"] };
      const by: FilterKind[] = [...random.some(["term", "fulltext", "regexp"] as const, 40), random.pick(["hash", "exact"] as const)];
      return { text: `@search(by: [${random.shuffled(by).join(", ")}])`, filters: by };
    }
    case "Boolean":
      return { text: "@search", filters: ["bool"] };
    case "Mood":
      return random.chance(50) ? { text: "@search", filters: ["name"] } : { text: "@search(by: [exact])", filters: ["names"] };
    case "DateTime":
      return { text: random.pick(["@search", "@search(by: [month])", "@search(by: [day])", "@search(by: [hour])"]), filters: ["range"] };
    default:
      return { text: "@search", filters: ["range"] };
  }
}

function relationLines(slot: RelationSlot, at: number, random: Random, storedName: StoredName): Line[] {
  const { from, to, how } = slot;
  const [name, back] = [`l${at}`, `k${at}`];
  const mode = random.pick(["both", "both", "both", "both", "both", "plain", "forth", "back", "none"]);
  const [many, manyBack] = [slot.many, slot.manyBack].map((each) => (random.chance(8) ? !each : each)) as [boolean, boolean];
  const itemNonNull = random.chance(15);
  const type = (target: string, list: boolean) => (list ? `[${target}${itemNonNull ? "!" : ""}]` : target);
  const link = (own: Owner, own_name: string, target: string, list: boolean): LinkField => ({
    ...{ role: "link", name: own_name, stored: storedName(own, own_name), target, list, itemNonNull: list && itemNonNull },
    ...{ inverse: undefined, reverseOf: undefined },
  });
  const forth = link(from, name, to, many);
  if (mode === "none") return [];
  if (how === "one-way" || to === "U") return [{ owner: from, field: forth, text: `${name}: ${type(to, many)}` }];
  if (how === "self") {
    if (mode !== "both") return [{ owner: from, field: forth, text: `${name}: ${type(to, many)}` }];
    const inverse = { stored: forth.stored, list: many, name };
    return [{ owner: from, field: { ...forth, inverse }, text: `${name}: ${type(to, many)} @hasInverse(field: ${name})` }];
  }
  if (how === "reverse") {
    const stored = `e${at}`;
    const field = { ...forth, stored };
    const reverse = { ...link(to, back, from, true), stored: `~${stored}`, reverseOf: stored };
    return [
      { owner: from, field, text: `${name}: ${type(to, many)} @dgraph(pred: "${stored}")` },
      ...(mode === "both" ? [{ owner: to, field: reverse, text: `${back}: ${type(from, true)} @dgraph(pred: "~${stored}")` }] : []),
    ];
  }
  const other = link(to, back, from, manyBack);
  const plainForth = { owner: from, field: forth, text: `${name}: ${type(to, many)}` };
  const plainBack = { owner: to, field: other, text: `${back}: ${type(from, manyBack)}` };
  if (mode === "plain") return [plainForth, plainBack];
  if (mode !== "both") return [mode === "forth" ? plainForth : plainBack];
  const marks = random.pick([
    [true, true],
    [true, false],
    [false, true],
  ] as const);
  return [
    {
      ...plainForth,
      field: { ...forth, inverse: { stored: other.stored, list: manyBack, name: back } },
      text: `${plainForth.text}${marks[0] ? ` @hasInverse(field: ${back})` : ""}`,
    },
    {
      ...plainBack,
      field: { ...other, inverse: { stored: forth.stored, list: many, name } },
      text: `${plainBack.text}${marks[1] ? ` @hasInverse(field: ${name})` : ""}`,
    },
  ];
}
