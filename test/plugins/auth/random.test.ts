// Random rules, random callers, random operations: what is seen and done is what a look at each object by its rules allows.
// Seeds: `QUERN_TEST_SEED=17 QUERN_RUNS=1`.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { Kernel } from "../../../core/index.ts";
import { authPlugin } from "../../../plugins/auth/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { examples, testSeed } from "../../support/properties.ts";
import {
  type Asker,
  type Claims,
  type Condition,
  conditionText,
  maySee,
  mayTouch,
  type Operation,
  pick,
  type Random,
  type Rules,
  randomClaims,
  randomCondition,
  randomRule,
  ruleText,
  type Sees,
  satisfies,
  type TypeRules,
} from "./random-rules.ts";
import {
  type ConcreteType,
  concreteTypes,
  follow,
  groupedBy,
  kinds,
  type RuledType,
  ruledFields,
  ruledTypes,
  schemaText,
  type Thing,
  type TypeName,
  type World,
} from "./random-world.ts";
import { line, token } from "./token.ts";

const runs = Number(process.env.QUERN_RUNS ?? examples(20));

let stack: TemporaryKernel;
beforeAll(async () => {
  const plugins = standardPlugins().map((plugin) => (plugin.name === "auth" ? authPlugin({ fieldRules: true, updateAfter: true }) : plugin));
  stack = await temporaryKernel({ plugins });
});
afterAll(() => stack?.remove());

describe("random rules", () => {
  for (let seed = testSeed; seed < testSeed + runs; seed++) {
    it(`show and change what they allow, seed ${seed}`, async () => {
      const random = generator(seed);
      const world = await furnish(stack.kernel, random);
      const rules = randomRules(random);
      const schema = schemaText((type, field) => directive(rules[type], field), line);
      await stack.kernel.deploy(schema);
      const game = new Game(stack.kernel, rules, world, schema);
      for (let i = 0; i < 4; i++) await game.look(random);
      for (let i = 0; i < 20; i++) await game.play(random);
    });
  }
});

function generator(seed: number): Random {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function randomRules(random: Random): Rules {
  const operations: readonly Operation[] = ["query", "add", "update", "delete", "updateAfter"];
  // Often all fields are open, so that what types hide is not hidden twice; or all types are, so that there is much to hide in.
  const ruled = pick(random, ["types", "fields", "both"] as const);
  const masks = { types: 0, fields: 0.7, both: 0.4 }[ruled];
  return Object.fromEntries(
    ruledTypes.map((type) => {
      const chosen = operations.filter(
        (operation) => ruled !== "fields" && random() < (operation === "query" ? 0.6 : operation === "updateAfter" ? 0.25 : 0.4),
      );
      const fields = ruledFields[type].filter(() => random() < masks);
      const rulesFor = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, randomRule(random, type)]));
      return [type, { onType: rulesFor(chosen), onFields: rulesFor(fields) }];
    }),
  );
}

function directive(rules: TypeRules | undefined, field: string | undefined): string {
  const given = field === undefined ? Object.entries(rules?.onType ?? {}) : [["query", rules?.onFields[field]] as const];
  const texts = given.flatMap(([operation, rule]) => (rule ? [`${operation}: ${ruleText(rule)}`] : []));
  return texts.length === 0 ? "" : `@auth(${texts.join(" ")})`;
}

// ---- the data ---------------------------------------------------------------------------------------------------------------

/** Empties the store and fills it, without rules. */
async function furnish(kernel: Kernel, random: Random): Promise<Map<string, Thing>> {
  await kernel.deploy(schemaText(() => "", ""));
  await kernel.erase({ kind: "data" });
  const world = new Map<string, Thing>();
  for (let i = 0; i < 14; i++) {
    const thing = randomThing(random, `t${i}`, world);
    world.set(thing.name, thing);
    const { errors } = await ask(kernel, `mutation { add${thing.type}(input: [${inputText(thing)}]) { numUids } }`, undefined);
    expect(errors, JSON.stringify(errors)).toBeUndefined();
  }
  return world;
}

function randomThing(random: Random, name: string, world: World): Thing {
  const type = pick(random, concreteTypes);
  if (type === "Pen") pens.add(name);
  else pens.delete(name);
  const values = Object.fromEntries(kinds[type].values.map((field) => [field, random() < 0.75 ? randomValue(random, field, name) : undefined]));
  const links = Object.fromEntries(
    Object.entries(kinds[type].links)
      .filter(([field]) => field !== "items" && field !== "books")
      .map(([field, { to, many }]) => {
        const candidates = [...world.values()].filter((each) => kinds[to].members.includes(each.type)).map((each) => each.name);
        const chosen = candidates.filter(() => random() < 0.4);
        return [field, many ? chosen : chosen.slice(0, 1)];
      }),
  );
  return { type, name, values, links };
}

/** `seal` is a key: no two objects have the same. */
function randomValue(random: Random, field: string, name: string): number | string {
  if (field === "seal") return `s-${name}`;
  return field === "tag" ? pick(random, ["x", "y", "z"]) : Math.floor(random() * 4);
}

function inputText({ type, name, values, links }: Thing): string {
  const given = Object.entries(values).flatMap(([field, value]) => (value === undefined ? [] : [`${field}: ${JSON.stringify(value)}`]));
  const linked = Object.entries(links).flatMap(([field, names]) => {
    const end = kinds[type].links[field];
    if (names.length === 0 || !end) return [];
    const refs = names.map((each) => (end.to === "Thing" ? `{ ${isPen(each) ? "penRef" : "toolRef"}: { name: "${each}" } }` : `{ name: "${each}" }`));
    return [`${field}: ${end.many ? `[${refs.join(", ")}]` : refs[0]}`];
  });
  return `{ name: "${name}" ${[...given, ...linked].join(" ")} }`;
}

/** Names of pens, given as they are made. */
const pens = new Set<string>();
const isPen = (name: string) => pens.has(name);

interface Answer {
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly errors: unknown;
}

async function ask(kernel: Kernel, query: string, claims: Claims | undefined): Promise<Answer> {
  const headers = claims === undefined ? {} : { "x-harbour": token(claims) };
  const { data, errors } = JSON.parse((await kernel.execute({ query, headers })).body);
  return { data, errors };
}

// ---- the operations -----------------------------------------------------------------------------------------------------------

/** A selection, its text, and what it shows of an object. */
interface Selection {
  readonly text: string;
  show(thing: Thing, asker: Asker): Readonly<Record<string, unknown>>;
}

interface Grouped {
  readonly type: RuledType;
  readonly keys: readonly string[];
  /** How many objects a group has that is shown. */
  readonly least: number;
}

function isLink(type: RuledType, field: string): boolean {
  return field in kinds[type].links;
}

const moves = ["update", "move", "nested", "delete", "add"] as const;
type Move = (typeof moves)[number];

/** A root field of a mutation, and what comes of it. */
interface Written {
  readonly field: string;
  readonly text: string;
  readonly isAllowed: boolean;
  readonly count: number;
  /** The payload's list, and what it holds as far as it is there at the commit. */
  readonly list: string;
  readonly touched: readonly Thing[];
  /** Of a delete: what the payload shows, as it was before. */
  readonly deleted?: readonly { readonly name: string }[];
}

interface Outcome {
  readonly isWhole: boolean;
  readonly text: string;
  readonly claims: Claims | undefined;
}

/** What to get, and by which of its keys. */
interface Sought {
  readonly random: Random;
  readonly thing: Thing;
  readonly bySeal: boolean;
}

class Game {
  readonly #kernel: Kernel;
  readonly #rules: Rules;
  readonly #schema: string;
  #world: Map<string, Thing>;
  #made = 0;

  constructor(kernel: Kernel, rules: Rules, world: Map<string, Thing>, schema: string) {
    this.#kernel = kernel;
    this.#rules = rules;
    this.#world = world;
    this.#schema = schema;
  }

  /** One caller asks much in a row, of what hidden values could decide. */
  async look(random: Random): Promise<void> {
    const claims = randomClaims(random);
    for (let i = 0; i < 12; i++) await this.#order(random, claims);
    for (let i = 0; i < 3; i++) await this.#aggregate(random, claims);
    for (let i = 0; i < 6; i++) await this.#group(random, claims);
    for (const thing of this.#world.values()) if (thing.values.seal !== undefined) await this.#get({ random, thing, bySeal: true }, claims);
  }

  async play(random: Random): Promise<void> {
    const claims = random() < 0.1 ? undefined : randomClaims(random);
    const move = pick(random, [
      "query",
      "query",
      "query",
      "cascade",
      "order",
      "get",
      "aggregate",
      "group",
      "update",
      "update",
      "move",
      "nested",
      "nested",
      "delete",
      "add",
      "transaction",
      "transaction",
    ] as const);
    switch (move) {
      case "order":
        return this.#order(random, claims);
      case "query":
      case "cascade":
        return this.#query(random, claims, move === "cascade");
      case "get":
        return this.#get({ random, thing: pick(random, [...this.#world.values()]), bySeal: false }, claims);
      case "aggregate":
        return this.#aggregate(random, claims);
      case "group":
        return this.#group(random, claims);
      case "transaction":
        return this.#transaction(random, claims);
      default:
        return this.#mutate(this.#written(random, move, claims), claims);
    }
  }

  /** What one root field writes, to the model at once. */
  #written(random: Random, move: Move, claims: Claims | undefined): Written | undefined {
    switch (move) {
      case "update":
        return this.#update(random, claims);
      case "move":
        return this.#move(random, claims);
      case "nested":
        return this.#nested(random, claims);
      case "delete":
        return this.#delete(random, claims);
      case "add":
        return this.#add(random, claims);
    }
  }

  async #mutate(written: Written | undefined, claims: Claims | undefined): Promise<void> {
    if (!written) return;
    const { field, text } = written;
    const answer = await ask(this.#kernel, `mutation { ${text} }`, claims);
    this.#expectWritten(answer, { [field]: this.#payloadOf(written, claims) }, { isWhole: written.isAllowed, text, claims });
  }

  /** Two or three root fields as one: the first that is refused takes all others back. */
  async #transaction(random: Random, claims: Claims | undefined): Promise<void> {
    const before = this.#world;
    const all: (readonly [string, Written])[] = [];
    for (let i = 0; i < 2 + Math.floor(random() * 2); i++) {
      const written = this.#written(random, pick(random, moves), claims);
      if (written) all.push([`f${i}`, written]);
      if (written?.isAllowed === false) break;
    }
    if (all.length === 0) return;
    const isWhole = all.every(([, { isAllowed }]) => isAllowed);
    if (!isWhole) this.#world = before;
    const text = all.map(([alias, written]) => `${alias}: ${written.text}`).join(" ");
    const answer = await ask(this.#kernel, `mutation @transaction { ${text} }`, claims);
    const payloads = Object.fromEntries(all.map(([alias, written]) => [alias, this.#payloadOf(written, claims)]));
    this.#expectWritten(answer, isWhole ? payloads : null, { isWhole, text, claims });
  }

  #payloadOf({ isAllowed, count, list, touched, deleted }: Written, claims: Claims | undefined) {
    return isAllowed ? { numUids: count, [list]: deleted ?? this.#seenOf(touched, claims) } : null;
  }

  #expectWritten({ data, errors }: Answer, wanted: unknown, { isWhole, text, claims }: Outcome): void {
    if (isWhole) expect(errors, this.#context(text, claims)).toBeUndefined();
    expect(canonical(data), this.#context(text, claims)).toEqual(canonical(wanted));
  }

  async #query(random: Random, claims: Claims | undefined, cascades: boolean): Promise<void> {
    const type = pick(random, ruledTypes);
    const filter = random() < 0.5 ? randomCondition(random, type, 1, false) : undefined;
    const first = !cascades && random() < 0.3 ? 1 + Math.floor(random() * 3) : undefined;
    const selection = this.#selection(random, type, 2, cascades);
    const args = [...(filter ? [`filter: ${conditionText(filter)}`] : []), ...(first ? [`first: ${first}`, "order: {asc: name}"] : [])];
    const query = `{ query${type}${args.length > 0 ? `(${args.join(", ")})` : ""}${cascades ? " @cascade" : ""} { ${selection.text} } }`;
    const asker = this.#asker(claims);
    const shown = this.#chosen(type, filter, "query", asker).map((each) => selection.show(each, asker));
    const whole = cascades ? shown.filter(isWhole) : shown;
    await this.#expect(query, claims, { [`query${type}`]: first ? whole.slice(0, first) : whole });
  }

  /** By fields that may be hidden, whose places then reveal nothing: of the type's objects, or of each object's partners. */
  async #order(random: Random, claims: Claims | undefined): Promise<void> {
    const asker = this.#asker(claims);
    const list = random() < 0.4 ? pick(random, lists) : undefined;
    const type = list?.type ?? pick(random, ruledTypes);
    const cut = randomCut(random, list?.to ?? type);
    const sorted = (things: readonly Thing[]) => this.#cut(things, cut, asker).map(({ name }) => ({ name }));
    const { text, shown } = list
      ? {
          text: `query${type} { name ${list.field}(${cut.text}) { name } }`,
          shown: this.#chosen(type, undefined, "query", asker).map((each) => ({
            name: each.name,
            [list.field]: sorted(this.#partners(each, list.field, asker)),
          })),
        }
      : { text: `query${type}(${cut.text}) { name }`, shown: sorted(this.#chosen(type, undefined, "query", asker)) };
    const { data, errors } = await ask(this.#kernel, `{ ${text} }`, claims);
    expect(errors, this.#context(text, claims)).toBeUndefined();
    if (!list && cut.offset === 0) await this.#page(type, cut, claims);
    const found = list ? sortedByName(data?.[`query${type}`]) : data?.[`query${type}`];
    expect(found, this.#context(text, claims)).toEqual(shown);
  }

  /** The same list in pages of two, by cursors. */
  async #page(type: RuledType, cut: Cut, claims: Claims | undefined): Promise<void> {
    const asker = this.#asker(claims);
    const chosen = this.#chosen(type, undefined, "query", asker);
    const expected = this.#cut(chosen, { ...cut, first: undefined }, asker).map(({ name }) => ({ name }));
    const found: unknown[] = [];
    let cursor: string | null = null;
    do {
      const args: string = [cut.text.replace(/, first: \d+/, ""), "first: 2", ...(cursor === null ? [] : [`after: "${cursor}"`])].join(", ");
      const text = `{ query${type}Connection(${args}) { totalCount nodes { name } pageInfo { hasNextPage hasPreviousPage endCursor } } }`;
      const { data, errors } = await ask(this.#kernel, text, claims);
      expect(errors, this.#context(text, claims)).toBeUndefined();
      const shown = data?.[`query${type}Connection`] as { totalCount: number; nodes: unknown[]; pageInfo: Record<string, never> };
      expect([shown.totalCount, shown.pageInfo.hasPreviousPage], this.#context(text, claims)).toEqual([chosen.length, cursor !== null]);
      found.push(...shown.nodes);
      cursor = shown.pageInfo.hasNextPage ? (shown.pageInfo.endCursor ?? null) : null;
    } while (cursor !== null && found.length <= expected.length);
    expect(found, this.#context(`${type} ${cut.text}`, claims)).toEqual(expected);
  }

  /** Ties stay in the order in which the objects were made. */
  #cut(things: readonly Thing[], { keys, first, offset }: Cut, asker: Asker): readonly Thing[] {
    const made = [...this.#world.keys()];
    const own = (each: Thing | undefined, field: string) => {
      if (!each || field === "name") return each?.name;
      return maySee(this.#rules, field, each, asker) ? each.values[field] : undefined;
    };
    const value = (each: Thing, { field, link }: Cut["keys"][number]) => {
      if (link === undefined) return own(each, field);
      const partners = this.#partners(each, link, asker);
      return field === "count" ? partners.length : own(partners[0], field);
    };
    const compare = (a: Thing, b: Thing) =>
      keys.reduce((so, key) => so || missingLast(value(a, key), value(b, key), key.up), 0) || made.indexOf(a.name) - made.indexOf(b.name);
    return [...things].sort(compare).slice(offset, first === undefined ? undefined : offset + first);
  }

  /** Whom `field` of an object leads to, as far as the asker may see the link and them. */
  #partners(thing: Thing, field: string, asker: Asker): readonly Thing[] {
    if (!maySee(this.#rules, field, thing, asker)) return [];
    return follow(this.#world, thing, field).filter((each) => mayTouch(this.#rules, "query", each, asker));
  }

  /** By its name, or by a key that may be hidden. */
  async #get({ random, thing, bySeal }: Sought, claims: Claims | undefined): Promise<void> {
    const selection = this.#selection(random, thing.type, 2, false);
    const asker = this.#asker(claims);
    const isFound = mayTouch(this.#rules, "query", thing, asker) && (!bySeal || maySee(this.#rules, "seal", thing, asker));
    const key = bySeal ? `seal: "${thing.values.seal}"` : `name: "${thing.name}"`;
    const shown = isFound ? selection.show(thing, asker) : null;
    await this.#expect(`{ get${thing.type}(${key}) { ${selection.text} } }`, claims, { [`get${thing.type}`]: shown });
  }

  async #aggregate(random: Random, claims: Claims | undefined): Promise<void> {
    const type = pick(random, ruledTypes);
    const filter = random() < 0.5 ? randomCondition(random, type, 1, false) : undefined;
    const asker = this.#asker(claims);
    const query = `{ aggregate${type}${filter ? `(filter: ${conditionText(filter)})` : ""} { ${measures} } }`;
    const { data, errors } = await ask(this.#kernel, query, claims);
    expect(errors, this.#context(query, claims)).toBeUndefined();
    // A denial shows null, nothing to count 0: that follows from claims, not from objects.
    const found = data?.[`aggregate${type}`] ?? this.#measured([], asker);
    expect(found, this.#context(query, claims)).toEqual(this.#measured(this.#chosen(type, filter, "query", asker), asker));
  }

  /** By fields and links that may be hidden, and partners that may be: such objects have none. Of all objects, or of each object's partners. */
  async #group(random: Random, claims: Claims | undefined): Promise<void> {
    const asker = this.#asker(claims);
    const list =
      random() < 0.3
        ? pick(
            random,
            lists.filter(({ to }) => to in groupedBy),
          )
        : undefined;
    const type = list?.type ?? pick(random, ruledTypes);
    const grouped = list ? (ruledTypes.find((each) => each === list.to) ?? type) : type;
    const keys = groupedBy[grouped].filter(() => random() < 0.4);
    if (keys.length === 0) keys.push("n");
    const least = random() < 0.3 ? 2 : 1;
    const shape = keys.map((key) => (isLink(grouped, key) ? `${key} { name }` : key)).join(" ");
    const args = `(by: [${keys.map((key) => `{field: ${key}}`).join(", ")}], having: {count: {ge: ${least}}})`;
    const groups = (things: readonly Thing[]) => this.#groups(things, { keys, type: grouped, least }, asker);
    const chosen = this.#chosen(type, undefined, "query", asker);
    const text = list
      ? `query${type} { name ${list.field}Group${args} { key { ${shape} } ${measures} } }`
      : `group${type}${args} { key { ${shape} } ${measures} }`;
    const { data, errors } = await ask(this.#kernel, `{ ${text} }`, claims);
    expect(errors, this.#context(text, claims)).toBeUndefined();
    const found = (given: unknown) => (given as readonly unknown[]).map((each) => JSON.stringify(each)).sort();
    if (!list) return expect(found(data?.[`group${type}`]), this.#context(text, claims)).toEqual(groups(chosen));
    const expected = chosen.map((each) => ({ name: each.name, groups: groups(this.#partners(each, list.field, asker)) }));
    const shown = ((data?.[`query${type}`] ?? []) as Record<string, unknown>[]).map((each) => ({
      name: each.name,
      groups: found(each[`${list.field}Group`]),
    }));
    expect(sortedByName(shown), this.#context(text, claims)).toEqual(sortedByName(expected));
  }

  /** As texts, sorted. */
  #groups(things: readonly Thing[], { keys, type, least }: Grouped, asker: Asker): readonly string[] {
    const groups = new Map<string, Thing[]>();
    for (const thing of things) {
      const values = keys.map((key) => {
        if (!maySee(this.#rules, key, thing, asker)) return [key, null];
        if (!isLink(type, key)) return [key, thing.values[key] ?? null];
        const [partner] = this.#partners(thing, key, asker);
        return [key, partner ? { name: partner.name } : null];
      });
      const id = JSON.stringify(Object.fromEntries(values));
      groups.set(id, [...(groups.get(id) ?? []), thing]);
    }
    return [...groups]
      .filter(([, members]) => members.length >= least)
      .map(([id, members]) => JSON.stringify({ key: JSON.parse(id), ...this.#measured(members, asker) }))
      .sort();
  }

  /** Each measure is made of the objects that show its field. */
  #measured(things: readonly Thing[], asker: Asker): Readonly<Record<string, unknown>> {
    const of = (field: string) => things.flatMap((each) => (maySee(this.#rules, field, each, asker) ? (each.values[field] ?? []) : []));
    const numbers = of("n").map(Number);
    const tags = of("tag").map(String).sort();
    const sum = numbers.reduce((a, b) => a + b, 0);
    const some = <T>(value: T) => (numbers.length > 0 ? value : null);
    return {
      count: things.length,
      nMin: some(Math.min(...numbers)),
      nMax: some(Math.max(...numbers)),
      nSum: some(sum),
      nAvg: some(sum / numbers.length),
      tagMin: tags[0] ?? null,
      tagMax: tags.at(-1) ?? null,
    };
  }

  #update(random: Random, claims: Claims | undefined): Written {
    const type = pick(random, ruledTypes);
    const filter = randomCondition(random, type, 1, false);
    const n = Math.floor(random() * 4);
    const asker = this.#asker(claims);
    const touched = this.#chosen(type, filter, "update", asker);
    const changed = new Map(this.#world);
    for (const each of touched) changed.set(each.name, { ...each, values: { ...each.values, n } });
    const isAllowed = this.#passesAfter(touched, changed, claims);
    if (isAllowed) this.#world = changed;
    const text = `update${type}(input: {filter: ${conditionText(filter)}, set: {n: ${n}}}) { numUids ${listOf(type)} { name } }`;
    return { field: `update${type}`, list: listOf(type), text, isAllowed, count: touched.length, touched };
  }

  /** What an update has changed is judged as it then is. */
  #passesAfter(touched: readonly Thing[], after: World, claims: Claims | undefined): boolean {
    const asker = { world: after, claims: claims ?? {} };
    return touched.every(({ name, ...before }) => mayTouch(this.#rules, "updateAfter", after.get(name) ?? { name, ...before }, asker));
  }

  /** Moves items to another box, out of the hands of the one that holds them. */
  #move(random: Random, claims: Claims | undefined): Written | undefined {
    const boxes = [...this.#world.values()].filter(({ type }) => type === "Box");
    const box = boxes.length > 0 ? pick(random, boxes) : undefined;
    if (!box) return undefined;
    const type = pick(random, ["Item", "Tool", "Book"] as const);
    const filter = randomCondition(random, type, 0, false);
    const asker = this.#asker(claims);
    const touched = this.#chosen(type, filter, "update", asker);
    const left = touched.flatMap((each) => follow(this.#world, each, "home")).filter((each) => each !== box);
    const changed = new Map(this.#world);
    for (const each of touched) changed.set(each.name, { ...each, links: { ...each.links, home: [box.name] } });
    const isAllowed = left.every((each) => mayTouch(this.#rules, "update", each, asker)) && this.#passesAfter(touched, changed, claims);
    if (isAllowed) this.#world = changed;
    const text = `update${type}(input: {filter: ${conditionText(filter)}, set: {home: {name: "${box.name}"}}}) { numUids ${listOf(type)} { name } }`;
    return { field: `update${type}`, list: listOf(type), text, isAllowed, count: touched.length, touched };
  }

  /** Deletes and changes what a list leads to, as far as the caller may see the list and do so. */
  #nested(random: Random, claims: Claims | undefined): Written {
    const { type, field, to } = pick(random, lists);
    const [filter, deleted, changed] = [
      randomCondition(random, type, 1, false),
      randomCondition(random, to, 0, false),
      randomCondition(random, to, 0, false),
    ];
    const n = Math.floor(random() * 4);
    const deletes = random() < 0.4;
    const holders = this.#chosen(type, filter, "update", this.#asker(claims));
    const before = this.#world;
    const linked = new Set(
      holders
        .filter((each) => maySee(this.#rules, field, each, this.#asker(claims)))
        .flatMap((each) => follow(before, each, field).map(({ name }) => name)),
    );
    // Each step finds what those before it have left.
    const among = (condition: Condition, operation: Operation) =>
      this.#chosen(to, condition, operation, this.#asker(claims)).filter(({ name }) => linked.has(name));
    let isAllowed = true;
    if (deletes) isAllowed = this.#removeAll(among(deleted, "delete"), claims);
    const touched = among(changed, "update");
    const after = new Map(this.#world);
    for (const each of touched) after.set(each.name, { ...each, values: { ...each.values, n } });
    isAllowed &&= this.#passesAfter([...holders.filter(({ name }) => after.has(name)), ...touched], after, claims);
    this.#world = isAllowed ? after : before;
    const steps = `${deletes ? `delete: ${conditionText(deleted)}, ` : ""}update: [{filter: ${conditionText(changed)}, set: {n: ${n}}}]`;
    const text = `update${type}(input: {filter: ${conditionText(filter)}, links: {${field}: {${steps}}}}) { numUids ${listOf(type)} { name } }`;
    return { field: `update${type}`, list: listOf(type), text, isAllowed, count: holders.length, touched: holders };
  }

  /** Deletes these and what cascades from them; false, and nothing, where a rule or a restriction forbids one of them. */
  #removeAll(roots: readonly Thing[], claims: Claims | undefined): boolean {
    const asker = this.#asker(claims);
    const gone = new Map(roots.map((each) => [each.name, each]));
    for (const each of gone.values()) if (each.type === "Box") for (const next of follow(this.#world, each, "next")) gone.set(next.name, next);
    const cascaded = [...gone.values()].filter((each) => !roots.includes(each));
    const isHeld = [...gone.values()].some((each) => each.type === "Pen" && follow(this.#world, each, "books").some(({ name }) => !gone.has(name)));
    if (isHeld || !cascaded.every((each) => mayTouch(this.#rules, "delete", each, asker))) return false;
    this.#world = new Map(
      [...this.#world].flatMap(([name, each]) => {
        if (gone.has(name)) return [];
        const links = Object.fromEntries(Object.entries(each.links).map(([field, names]) => [field, names.filter((other) => !gone.has(other))]));
        return [[name, { ...each, links }] as const];
      }),
    );
    return true;
  }

  #delete(random: Random, claims: Claims | undefined): Written {
    const type = pick(random, ruledTypes);
    const filter: Condition = { kind: "or", of: [randomCondition(random, type, 0, false)] };
    const touched = this.#chosen(type, filter, "delete", this.#asker(claims)).slice();
    const deleted = this.#seenOf(touched, claims);
    const isAllowed = this.#removeAll(touched, claims);
    const text = `delete${type}(filter: ${conditionText(filter)}) { numUids ${listOf(type)} { name } }`;
    return { field: `delete${type}`, list: listOf(type), text, isAllowed, count: touched.length, touched, deleted };
  }

  /** Sometimes with a new box around the new object. */
  #add(random: Random, claims: Claims | undefined): Written {
    const thing = randomThing(random, `new${this.#made++}`, this.#world);
    const box: Thing | undefined =
      random() < 0.5 && "home" in thing.links
        ? { type: "Box", name: `${thing.name}box`, values: { n: Math.floor(random() * 4), tag: pick(random, ["x", "y"]) }, links: {} }
        : undefined;
    const created = box ? [{ ...thing, links: { ...thing.links, home: [box.name] } }, box] : [thing];
    const after = new Map([...this.#world, ...created.map((each) => [each.name, each] as const)]);
    const isAllowed = created.every((each) => mayTouch(this.#rules, "add", each, { world: after, claims: claims ?? {} }));
    if (isAllowed) this.#world = after;
    const text = box
      ? inputText(thing)
          .replace(/ home: \{[^}]*\}/, "")
          .replace(/\}$/, `home: ${inputText(box)} }`)
      : inputText(thing);
    const query = `add${thing.type}(input: [${text}]) { numUids ${listOf(thing.type)} { name } }`;
    const touched = created.slice(0, 1);
    return { field: `add${thing.type}`, list: listOf(thing.type), text: query, isAllowed, count: created.length, touched };
  }

  #asker(claims: Claims | undefined): Asker {
    return { world: this.#world, claims: claims ?? {} };
  }

  /** Of the objects of `type` those that pass the filter and the rules, by name. */
  #chosen(type: TypeName, filter: Condition | undefined, operation: Operation, asker: Asker): readonly Thing[] {
    const sees: Sees = (thing, field) =>
      field === undefined ? mayTouch(this.#rules, "query", thing, asker) : maySee(this.#rules, field, thing, asker);
    return [...this.#world.values()]
      .filter((each) => kinds[type].members.includes(each.type))
      .filter((each) => (!filter || satisfies(filter, each, asker, sees)) && this.#reaches(operation, each, asker))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** A write reaches what a query shows. */
  #reaches(operation: Operation, thing: Thing, asker: Asker): boolean {
    return mayTouch(this.#rules, "query", thing, asker) && mayTouch(this.#rules, operation, thing, asker);
  }

  /** Of these what is still there and the caller may see, as it now is. */
  #seenOf(things: readonly Thing[], claims: Claims | undefined): readonly { readonly name: string }[] {
    const now = things.flatMap((each) => this.#world.get(each.name) ?? []);
    return now.filter((each) => mayTouch(this.#rules, "query", each, this.#asker(claims))).map(({ name }) => ({ name }));
  }

  #selection(random: Random, type: TypeName, depth: number, cascades: boolean): Selection {
    if (type === "Thing") {
      const text = "__typename ... on Tool { name } ... on Pen { name }";
      return { text, show: (thing) => ({ __typename: thing.type, name: thing.name }) };
    }
    const values = kinds[type].values.filter(() => random() < 0.3);
    // `@cascade` asks every member of a union for every field that one of them selects.
    const fields = Object.entries(kinds[type].links).filter(([, { to }]) => !cascades || to !== "Thing");
    const links = depth === 0 ? [] : fields.filter(() => random() < 0.5);
    const nested = links.map(([field, { to, many }]) => ({ field, to, many, selection: this.#selection(random, to, depth - 1, cascades) }));
    const counted = cascades ? [] : nested.filter(({ many, to }) => many && to !== "Thing");
    const counts = counted.map(({ field }) => `${field}Aggregate { ${measures} }`);
    const texts = nested.map(({ field, selection }) => `${field} { ${selection.text} }`);
    return {
      text: ["name", ...values, ...texts, ...counts].join(" "),
      show: (thing, asker) => {
        const isOpen = (field: string) => maySee(this.#rules, field, thing, asker);
        const seen = (field: string) => this.#partners(thing, field, asker);
        const shown = nested.map(({ field, many, selection }) => {
          const all = seen(field).map((each) => selection.show(each, asker));
          const whole = cascades ? all.filter(isWhole) : all;
          return [field, many ? whole : (whole[0] ?? null)];
        });
        return Object.fromEntries([
          ["name", thing.name],
          ...values.map((field) => [field, (isOpen(field) ? thing.values[field] : undefined) ?? null]),
          ...shown,
          ...counted.map(({ field }) => [`${field}Aggregate`, this.#measured(seen(field), asker)]),
        ]);
      },
    };
  }

  async #expect(query: string, claims: Claims | undefined, wanted: Readonly<Record<string, unknown>>): Promise<void> {
    const { data, errors } = await ask(this.#kernel, query, claims);
    expect(errors, this.#context(query, claims)).toBeUndefined();
    expect(canonical(data), this.#context(query, claims)).toEqual(canonical(wanted));
  }

  #context(query: string, claims: Claims | undefined): string {
    return `${query}\nclaims ${JSON.stringify(claims)}\n${this.#schema}\n${JSON.stringify([...this.#world.values()])}`;
  }
}

const measures = "count nMin nMax nSum nAvg tagMin tagMax";

/** Links to many, each with fields `n` and `tag` behind it. */
const lists = [
  { type: "Box", field: "items", to: "Item" },
  { type: "Pen", field: "books", to: "Book" },
] as const;

interface Cut {
  /** `link`: of what it leads to; `count`: how many those are. */
  readonly keys: readonly { readonly field: string; readonly link: string | undefined; readonly up: boolean }[];
  readonly first: number | undefined;
  readonly offset: number;
  readonly text: string;
}

/** An order by one to three keys with a page. Often none of its keys is open to everybody, and there are ties. */
function randomCut(random: Random, type: RuledType): Cut {
  const fields = pick(random, [["n"], ["tag"], ["n", "tag"], ["tag", "n"], ["n", "name"], ["tag", "n", "name"]] as const);
  const own = fields.map((field) => ({ field, link: undefined, up: random() < 0.5 }));
  const [link, end] = pick(random, Object.entries(kinds[type].links));
  const related = { field: end.many ? "count" : pick(random, ["n", "tag", "name"] as const), link, up: random() < 0.5 };
  const keys: Cut["keys"] = random() < 0.4 ? pick(random, [[related, ...own], [...own.slice(0, 1), related], [related]]) : own;
  const first = random() < 0.8 ? 1 + Math.floor(random() * 4) : undefined;
  const offset = random() < 0.5 ? Math.floor(random() * 3) : 0;
  const order = keys.reduceRight((then, { field, link: via, up }) => {
    const key = `${up ? "asc" : "desc"}: ${field}`;
    return `{${via === undefined ? key : `${via}: {${key}}`}${then === "" ? "" : `, then: ${then}`}}`;
  }, "");
  const text = [`order: ${order}`, ...(first === undefined ? [] : [`first: ${first}`]), ...(offset > 0 ? [`offset: ${offset}`] : [])].join(", ");
  return { keys, first, offset, text };
}

function sortedByName(value: unknown): unknown {
  return Array.isArray(value) ? [...value].sort((a, b) => (a.name < b.name ? -1 : 1)) : value;
}

function missingLast(a: number | string | undefined, b: number | string | undefined, up: boolean): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a === b ? 0 : a < b === up ? -1 : 1;
}

/** Every value is there, and every list holds something. */
function isWhole(shown: Readonly<Record<string, unknown>>): boolean {
  return Object.values(shown).every((value) => value !== null && !(Array.isArray(value) && value.length === 0));
}

function listOf(type: RuledType | ConcreteType): string {
  return type.toLowerCase();
}

/** Lists in any order; measures that are denied are those of nothing. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, key === "count" ? (each ?? 0) : canonical(each)])
      .sort(),
  );
}
