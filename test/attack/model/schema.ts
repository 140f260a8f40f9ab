// Random schemas. A universe says which fields and relations there may be; a choice (one number for each of them) says which are
// there now and how. Another choice over the same universe is a redeploy.

import fc from "../../support/properties.ts";
import { Random } from "./random.ts";
import { literal, readAs, type Scalar, scalars, type Value, writtenValues } from "./values.ts";

// ---- what the model knows of a schema ---------------------------------------------------------------------------------

export type FilterKind = "hash" | "exact" | "term" | "fulltext" | "regexp" | "range" | "bool" | "name" | "names" | "near";

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
  /** Only read: shows the first of these storage names that has a value. */
  readonly firstOf?: readonly string[];
  /** Orders by rules of a language. */
  readonly tagged?: boolean;
}

export interface LinkField {
  readonly role: "link";
  readonly name: string;
  readonly stored: string;
  readonly target: string;
  readonly list: boolean;
  readonly itemNonNull: boolean;
  /** The fields at the other side: one, or one for each type that has this field. */
  readonly inverses: readonly Inverse[];
  /** It shows the links that this end, seen from the other side, has. */
  readonly reverseOf: string | undefined;
  /** It has `@search`: filters and orders follow it. */
  readonly searched?: boolean;
}

export interface Inverse {
  readonly stored: string;
  readonly list: boolean;
  readonly name: string;
  /** The storage name of the only type at this side that it shows. */
  readonly of?: string;
}

export type Field = ValueField | LinkField;

export interface NodeType {
  readonly kind: "object" | "interface";
  readonly name: string;
  readonly stored: string;
  readonly interfaces: readonly string[];
  readonly fields: readonly Field[];
  /** The storage name of its password, which inputs call `word`. */
  readonly secret: string | undefined;
  /** Root fields that `@generate` leaves out. */
  readonly without: readonly Root[];
}

const roots = ["get", "aggregate", "add", "update", "delete"] as const;
export type Root = (typeof roots)[number];

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

export const shownValues = (type: NodeType) => type.fields.filter((field) => field.role === "value");
export const valueFields = (type: NodeType) => shownValues(type).filter((field) => field.firstOf === undefined);
export const linkFields = (type: NodeType) => type.fields.filter((field) => field.role === "link");
export const inversesFor = (field: LinkField, type: string) => field.inverses.filter(({ of }) => of === undefined || of === type);
export const keysOf = (type: NodeType) => valueFields(type).filter((field) => field.unique !== "no");

// ---- universes --------------------------------------------------------------------------------------------------------

type Owner = "A" | "B" | "C" | "I";

interface ValueSlot {
  readonly owner: Owner;
  readonly scalar: Scalar;
  readonly list: boolean;
  readonly key: boolean;
  /** Fields of several types lie under one storage name. */
  readonly shared: boolean;
  /** A text in several languages. */
  readonly languages: boolean;
}

interface RelationSlot {
  readonly from: Owner;
  readonly to: Owner | "U";
  readonly many: boolean;
  readonly manyBack: boolean;
  /** "sides": a field of the interface whose other side has a field for each object type. */
  readonly how: "one-way" | "inverse" | "self" | "reverse" | "sides";
  /** Two types have the field, under one storage name. */
  readonly also: Owner | undefined;
}

export interface Universe {
  readonly values: readonly ValueSlot[];
  readonly relations: readonly RelationSlot[];
  /** Whose objects have a password. */
  readonly secret: Owner | undefined;
}

const owner = fc.constantFrom<Owner>("A", "A", "B", "B", "C", "I");
const valueSlot = fc
  .record({
    owner,
    scalar: fc.constantFrom(...scalars, "String" as const, "Int" as const, "Point" as const),
    list: fc.nat(3).map((n) => n === 0),
    key: fc.nat(2).map((n) => n === 0),
    shared: fc.nat(3).map((n) => n === 0),
    languages: fc.nat(5).map((n) => n === 0),
  })
  .map((slot): ValueSlot => {
    const key = slot.key && ["String", "Int", "Int64"].includes(slot.scalar);
    return { ...slot, key, list: slot.list && !key && slot.scalar !== "Boolean" && slot.scalar !== "Point" };
  });
const relationSlot = fc
  .record({
    from: owner,
    to: fc.oneof({ weight: 6, arbitrary: owner }, { weight: 1, arbitrary: fc.constant("U" as const) }),
    many: fc.boolean(),
    manyBack: fc.boolean(),
    also: fc.option(fc.constantFrom<Owner>("A", "B", "C"), { nil: undefined, freq: 2 }),
    how: fc.constantFrom("one-way" as const, "inverse" as const, "inverse" as const, "self" as const, "reverse" as const, "sides" as const),
  })
  .map((slot): RelationSlot => {
    if (slot.how === "sides") return { ...slot, from: "I", to: slot.to === "I" || slot.to === "U" ? "A" : slot.to };
    if (slot.to === "U") return { ...slot, how: "one-way" };
    if (slot.how === "self") return { ...slot, to: slot.from };
    if (slot.how === "reverse" && (slot.from === "I" || slot.to === "I")) return { ...slot, how: "inverse" };
    return slot;
  });

export const universes: fc.Arbitrary<Universe> = fc.record({
  values: fc.array(valueSlot, { minLength: 3, maxLength: 9 }),
  relations: fc.array(relationSlot, { minLength: 1, maxLength: 5 }),
  // Rare: a hash takes its time.
  secret: fc.integer({ min: 0, max: 29 }).map((n) => (["I", "A", "B"] as const)[n]),
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
  /** Where it leads. */
  readonly to?: Owner | "U";
  readonly field: Field;
  readonly text: string;
}

export function schemaOf(universe: Universe, choice: Choice): Schema {
  const whole = new Random(choice.at(-1) ?? 0);
  const objects = whole.chance(85) ? (["A", "B", "C"] as const) : (["A", "B"] as const);
  const implementing = whole.some(objects, 60) as readonly Owner[];
  const members = objects.filter((name) => name === "A" || whole.chance(60));
  // Whether one of several fields shows what was hidden while they became one edge, nobody says.
  const storedC = whole.chance(25) && !universe.relations.some((slot) => slot.how === "sides") ? "Other" : "C";
  const nameC = whole.chance(25) ? "D" : "C";
  const setting: Setting = {
    implementing,
    named: (owner) => (owner === "C" ? nameC : owner),
    stored: (type, name) => `${type === "C" ? storedC : type}.${name}`,
  };
  const hasSecret = whole.chance(80);
  const there = (name: string) => name === "I" || name === "U" || (objects as readonly string[]).includes(name);

  const lines: Line[] = [
    ...(["A", "B", "C", "I"] as const).map((type): Line => {
      const field: ValueField = { ...plainValue, name: `tag${type}`, stored: setting.stored(type, `tag${type}`) };
      return { owner: type, field, text: `tag${type}: Int` };
    }),
    ...universe.values.flatMap((slot, i) => {
      const drawn = { ...setting, random: new Random(choice[i] ?? 0) };
      if (slot.languages && slot.scalar === "String") return languageLines(slot.owner, i, drawn);
      const before = universe.values.slice(0, i);
      const shares = slot.shared && slot.owner !== "I" && !before.some((each) => each.owner === slot.owner && sharedName(each) === sharedName(slot));
      return valueLine({ ...slot, shared: shares }, i, drawn);
    }),
    ...universe.relations.flatMap((slot, i) => {
      const drawn = { ...setting, random: new Random(choice[universe.values.length + i] ?? 0) };
      return slot.how === "sides" ? sidesLines(slot, i, drawn) : relationLines(slot, i, drawn);
    }),
  ]
    .filter((line) => there(line.owner) && there(line.to ?? line.owner))
    .map((line) => (line.field.role === "link" && whole.chance(60) ? searched(line, line.field) : line));

  const types = (["I", ...objects] as const).map((name): NodeType => {
    const interfaces = name !== "I" && implementing.includes(name) ? ["I"] : [];
    const own = lines.filter((line) => line.owner === name || (interfaces.length > 0 && line.owner === "I"));
    const secretOf = [name, ...interfaces].find((each) => each === universe.secret) as Owner | undefined;
    return {
      kind: name === "I" ? "interface" : "object",
      name: setting.named(name),
      stored: name === "C" ? storedC : name,
      interfaces,
      fields: own.map((line) => line.field),
      secret: hasSecret && secretOf ? setting.stored(secretOf, "word") : undefined,
      without: whole.chance(12) ? whole.some(name === "I" ? roots.filter((root) => root !== "add") : roots, 40) : [],
    };
  });
  const bodies = types.map((type) => {
    const { kind, name, stored, interfaces, without } = type;
    const grouped = groupableFields(type).map((field) => JSON.stringify(field.name));
    const groups = grouped.length > 0 ? ` @groupBy(fields: [${grouped.join(", ")}])` : "";
    const own = lines.filter((line) => setting.named(line.owner) === name).map((line) => `  ${line.text}\n`);
    const secretText = hasSecret && stored === universe.secret ? ' @secret(field: "word")' : "";
    const mark = name !== stored ? ` @dgraph(type: "${stored}")` : "";
    return `${kind === "interface" ? "interface" : "type"} ${name}${interfaces.length > 0 ? " implements I" : ""}${mark}${secretText}${groups} @paged${generateText(without)} {\n  id: ID!\n${own.join("")}}`;
  });
  const union = members.map(setting.named);
  const usesUnion = lines.some((line) => line.to === "U");
  const text = [...bodies, `enum Mood { ${writtenValues("Mood").join(" ")} }`, ...(usesUnion ? [`union U = ${union.join(" | ")}`] : [])].join("\n");
  return { text, types, union };
}

function searched(line: Line, field: LinkField): Line {
  return { ...line, field: { ...field, searched: true }, text: `${line.text} @search` };
}

/** What `@groupBy` of a type names: values that groups can have in common, and links to one object. */
export function groupableFields(type: NodeType): readonly (ValueField | LinkField)[] {
  const values = valueFields(type).filter(({ list, scalar }) => !list && scalar !== "Point");
  return [...values, ...linkFields(type).filter(({ list, target }) => !list && target !== "U")];
}

function generateText(without: readonly Root[]): string {
  if (without.length === 0) return "";
  const queries: readonly Root[] = without.filter((root) => root === "get" || root === "aggregate");
  const mutations = without.filter((root) => !queries.includes(root));
  const part = (name: string, off: readonly Root[]) => (off.length > 0 ? [`${name}: {${off.map((root) => `${root}: false`).join(", ")}}`] : []);
  return ` @generate(${[...part("query", queries), ...part("mutation", mutations)].join(", ")})`;
}

/** What a whole choice says to its lines. */
interface Setting {
  readonly implementing: readonly Owner[];
  /** What a type is called. */
  readonly named: (owner: Owner | "U") => string;
  /** What a field is called in the store. */
  readonly stored: (owner: Owner, field: string) => string;
}

interface Drawn extends Setting {
  readonly random: Random;
}

function sharedName({ scalar, list, key }: ValueSlot): string {
  return `s${scalar}${list ? "s" : ""}${key ? "Key" : ""}`;
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

function valueLine(slot: ValueSlot, at: number, { random, stored }: Drawn): Line[] {
  if (!random.chance(85)) return [];
  const name = `v${at}`;
  const { owner, scalar, list } = slot;
  const unique = slot.key && random.chance(75) ? (owner === "I" && random.chance(50) ? "across the interface" : "in its type") : "no";
  const nonNull = random.chance(20);
  const search = searchOf(scalar, random, unique !== "no");
  const ownPred = random.chance(12) ? `p${at}` : undefined;
  const pred = slot.shared ? sharedName(slot) : ownPred;
  const withDefault = !list && unique === "no" && scalar !== "Point" && random.chance(30);
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
    ...{ role: "value", name, stored: pred ?? stored(owner, name), scalar, list, nonNull, filters: search.filters, unique },
    ...{ whenAdded: read(whenAdded), whenUpdated: read(whenUpdated) },
  };
  return [{ owner, field, text }];
}

interface Search {
  readonly text: string;
  readonly filters: readonly FilterKind[];
}

function searchOf(scalar: Scalar, random: Random, key: boolean): Search {
  if (scalar !== "Point" && !random.chance(65)) return { text: "", filters: key ? [scalar === "String" ? "hash" : "range"] : [] };
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
    case "Point":
      return { text: "@search", filters: ["near"] };
    default:
      return { text: "@search", filters: ["range"] };
  }
}

/** `p`, `p@en` and `p@de` are fields of their own; others show the first of them that is there. */
function languageLines(owner: Owner, at: number, { random }: Drawn): Line[] {
  const pred = `p${at}`;
  const there = random.some(["", "@de", "@en"], 75);
  const line = (name: string, stored: string, more: Partial<ValueField>, text = ""): Line => ({
    owner,
    field: { ...plainValue, scalar: "String", name, stored, ...more },
    text: `${name}: String ${text} @dgraph(pred: "${stored}")`,
  });
  const own = there.map((tag) => {
    const [filter] = random.some(["hash", "exact", "term"] as const, 30);
    const search = filter ? `@search(by: [${filter}])` : "";
    return line(`v${at}${tag.slice(1)}`, `${pred}${tag}`, { filters: filter ? [filter] : [], tagged: tag !== "" }, search);
  });
  const named = (tag: string) => [`${pred}@${tag}`];
  const any = [pred, ...there.filter((tag) => tag !== "").map((tag) => `${pred}${tag}`)];
  const readers = random
    .some(["en:de", "de:en", ".", "en:."], 35)
    .map((tags, i) => line(`w${at}x${i}`, `${pred}@${tags}`, { firstOf: tags.split(":").flatMap((tag) => (tag === "." ? any : named(tag))) }));
  return [...own, ...readers];
}

function relationLines(slot: RelationSlot, at: number, { random, named, stored }: Drawn): Line[] {
  const { from, to, how, also } = slot;
  const [name, back] = [`l${at}`, `k${at}`];
  const mode = random.pick(["both", "both", "both", "both", "both", "plain", "forth", "back", "none"]);
  const [many, manyBack] = [slot.many, slot.manyBack].map((each) => (random.chance(8) ? !each : each)) as [boolean, boolean];
  const itemNonNull = random.chance(15);
  const type = (target: Owner | "U", list: boolean) => (list ? `[${named(target)}${itemNonNull ? "!" : ""}]` : named(target));
  const link = (own: Owner, ownName: string, target: Owner | "U", list: boolean): LinkField => ({
    ...{ role: "link", name: ownName, stored: stored(own, ownName), target: named(target), list, itemNonNull: list && itemNonNull },
    ...{ inverses: [], reverseOf: undefined },
  });
  const forth = link(from, name, to, many);
  if (mode === "none") return [];
  if (how === "one-way" || to === "U") return [{ owner: from, to, field: forth, text: `${name}: ${type(to, many)}` }];
  if (how === "self") {
    if (mode !== "both") return [{ owner: from, to, field: forth, text: `${name}: ${type(to, many)}` }];
    const inverse = { stored: forth.stored, list: many, name };
    return [{ owner: from, to, field: { ...forth, inverses: [inverse] }, text: `${name}: ${type(to, many)} @hasInverse(field: ${name})` }];
  }
  if (how === "reverse") {
    const pred = `e${at}`;
    const field = { ...forth, stored: pred };
    const owners = [from, ...(also !== undefined && also !== from && random.chance(75) ? [also] : [])];
    const reversed = mode === "both" ? owners.map((owner) => ({ owner, name: `${back}${owner === from ? "" : owner}` })) : [];
    return [
      ...owners.map((owner): Line => ({ owner, to, field, text: `${name}: ${type(to, many)} @dgraph(pred: "${pred}")` })),
      ...reversed.map((each): Line => {
        const reverse = { ...link(to, each.name, each.owner, true), stored: `~${pred}`, reverseOf: pred };
        return { owner: to, to: each.owner, field: reverse, text: `${each.name}: ${type(each.owner, true)} @dgraph(pred: "~${pred}")` };
      }),
    ];
  }
  const other = link(to, back, from, manyBack);
  const plainForth = { owner: from, to, field: forth, text: `${name}: ${type(to, many)}` };
  const plainBack = { owner: to, to: from, field: other, text: `${back}: ${type(from, manyBack)}` };
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
      field: { ...forth, inverses: [{ stored: other.stored, list: manyBack, name: back }] },
      text: `${plainForth.text}${marks[0] ? ` @hasInverse(field: ${back})` : ""}`,
    },
    {
      ...plainBack,
      field: { ...other, inverses: [{ stored: forth.stored, list: many, name }] },
      text: `${plainBack.text}${marks[1] ? ` @hasInverse(field: ${name})` : ""}`,
    },
  ];
}

/** `Vessel.owner` of the interface, `Owner.ketches` and `Owner.yawls` at its other side. */
function sidesLines({ to, many, manyBack }: RelationSlot, at: number, { random, named, stored, implementing }: Drawn): Line[] {
  if (to === "U") return [];
  const name = `l${at}`;
  const plain = { role: "link", itemNonNull: false, inverses: [], reverseOf: undefined } as const;
  const forth: LinkField = { ...plain, name, stored: stored("I", name), target: named(to), list: many };
  const backs = random.some(["A", "B", "C"] as const, 75).map((type) => {
    const list = random.chance(15) ? !manyBack : manyBack;
    const back = `k${at}${type}`;
    const joined = implementing.includes(type) && random.chance(75);
    const field: LinkField = {
      ...{ ...plain, name: back, stored: stored(to, back), target: named(type), list },
      inverses: joined ? [{ stored: forth.stored, list: many, name }] : [],
    };
    return { type, joined, field, text: `${back}: ${list ? `[${named(type)}]` : named(type)}${joined ? ` @hasInverse(field: ${name})` : ""}` };
  });
  const inverses = backs.flatMap(({ type, joined, field }) =>
    joined ? [{ stored: field.stored, list: field.list, name: field.name, of: type }] : [],
  );
  return [
    { owner: "I", to, field: { ...forth, inverses }, text: `${name}: ${many ? `[${named(to)}]` : named(to)}` },
    ...backs.map(({ type, field, text }): Line => ({ owner: to, to: type, field, text })),
  ];
}
