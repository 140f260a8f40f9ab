// Plays one game: a schema, then a sequence of steps, on a real stack and on the naive store, which must agree at every step.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { createKernel, type Kernel, parseJson } from "../../../core/index.ts";
import type { Storage } from "../../../core/storage.ts";
import { defaultPlugin } from "../../../plugins/default/index.ts";
import { generatePlugin } from "../../../plugins/generate/index.ts";
import { groupingPlugin } from "../../../plugins/grouping/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { pagingPlugin } from "../../../plugins/paging/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { secretPlugin } from "../../../plugins/secret/index.ts";
import { storageNamesPlugin } from "../../../plugins/storage-names/index.ts";
import fc from "../../support/properties.ts";
import { lower, meaningOf, randomFilter, type Scene } from "./filters.ts";
import { completeGroups, groupsOf, groupsText, randomGroups } from "./groups.ts";
import { carryOut, type Mutation, randomAdd, randomCrowd, randomDelete, randomUpdate } from "./mutations.ts";
import { expectedPage, pageText, randomWalk, type Walk, walked } from "./pages.ts";
import {
  answer,
  askText,
  type Completed,
  cascadeText,
  completeList,
  completeMeasures,
  completeOne,
  measure,
  measuresText,
  randomAsk,
  randomMeasures,
  selectionText,
  wholeAsk,
} from "./questions.ts";
import { Random } from "./random.ts";
import { type Choice, firstChoice, keysOf, otherChoice, type Schema, schemaOf, typeNamed, type Universe, universes } from "./schema.ts";
import { type Input, type InputObject, literal, passwords, plain } from "./values.ts";
import { type Node, World } from "./world.ts";

export interface Step {
  readonly kind: "add" | "crowd" | "update" | "delete" | "ask" | "deploy" | "erase" | "restart";
  readonly seed: number;
}

export interface Game {
  readonly universe: Universe;
  readonly seed: number;
  readonly steps: readonly Step[];
}

const kinds = { add: 24, crowd: 1, update: 24, delete: 8, ask: 40, deploy: 12, erase: 2, restart: 4 } as const;
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(...Object.entries(kinds).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Step["kind"]) }))),
  seed: fc.nat(),
});
export const games: fc.Arbitrary<Game> = fc.record({ universe: universes, seed: fc.nat(), steps: fc.array(step, { minLength: 4, maxLength: 40 }) });

/** How often each thing happened, so that a run that tests nothing shows. */
export type Tally = Map<string, number>;

export async function play(game: Game, storage: Storage, tally: Tally): Promise<void> {
  const player = new Player(game, storage, tally);
  await player.start();
  try {
    for (const each of [...opening(game), ...game.steps]) await player.take(each);
    await player.verify();
  } finally {
    await player.stop();
  }
}

/** Something to work on. */
function opening({ seed }: Game): readonly Step[] {
  return [1, 2, 3].map((n) => ({ kind: "add", seed: seed + n }));
}

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}

class Player {
  readonly #game: Game;
  readonly #storage: Storage;
  readonly #tally: Tally;
  #kernel: Kernel;
  #choice: Choice;
  #schema: Schema;
  #world = new World();
  /** Ids as clients see them, by number. */
  readonly #ids = new Map<number, string>();

  constructor(game: Game, storage: Storage, tally: Tally) {
    this.#game = game;
    this.#storage = storage;
    this.#tally = tally;
    this.#kernel = kernelOn(storage);
    this.#choice = firstChoice(game.universe, game.seed);
    this.#schema = schemaOf(game.universe, this.#choice);
  }

  async start(): Promise<void> {
    await this.#kernel.open();
    const problems = await this.#kernel.validate(this.#schema.text);
    // Two draws may not fit together; a game that cannot begin says nothing.
    fc.pre(problems.length === 0);
    trace(() => `first\n${this.#schema.text}`);
    await this.#kernel.deploy(this.#schema.text);
    assert.ok(this.#world.deploy(this.#schema));
    this.#count("games");
  }

  async stop(): Promise<void> {
    await this.#kernel.close();
  }

  async verify(): Promise<void> {
    assert.deepEqual((await this.#storage.verify()).faults, []);
  }

  #count(what: string): void {
    this.#tally.set(what, (this.#tally.get(what) ?? 0) + 1);
  }

  get #scene(): Scene {
    return this.#sceneOf(this.#world);
  }

  #sceneOf(world: World): Scene {
    return { schema: this.#schema, world, idOf: (node) => this.#ids.get(node.number) ?? `#${node.number}` };
  }

  async take({ kind, seed }: Step): Promise<void> {
    const random = new Random(seed);
    switch (kind) {
      case "add":
        return await this.#mutate(randomAdd(random, this.#scene), random);
      case "crowd": {
        const crowd = randomCrowd(random, this.#scene);
        return crowd && (await this.#mutate(crowd, random));
      }
      case "update":
        return await this.#mutate(randomUpdate(random, this.#scene), random);
      case "delete":
        return await this.#mutate(randomDelete(random, this.#scene), random);
      case "ask":
        return await this.#ask(random);
      case "deploy":
        return await this.#deploy(seed);
      case "erase":
        return await this.#erase(random);
      case "restart":
        return await this.#restart();
    }
  }

  // ---- schemas --------------------------------------------------------------------------------------------------------

  async #deploy(seed: number): Promise<void> {
    const choice = otherChoice(this.#choice, seed);
    const schema = schemaOf(this.#game.universe, choice);
    if ((await this.#kernel.validate(schema.text)).length > 0) return this.#count("deploys that fit nothing");
    const world = this.#world.copy();
    const expected = world.deploy(schema);
    const refusal = await this.#kernel.deploy(schema.text).then(
      () => undefined,
      (reason: Error & { code?: string }) => reason,
    );
    if (refusal !== undefined && refusal.code !== "MIGRATION_REFUSED") throw refusal;
    trace(() => `deploy (${refusal?.message ?? "accepted"})\n${schema.text}`);
    assert.equal(refusal === undefined, expected, `${refusal?.message ?? "the deploy went through"}\nfrom\n${this.#schema.text}\nto\n${schema.text}`);
    this.#count(expected ? "deploys" : "deploys refused");
    if (expected) {
      this.#choice = choice;
      this.#schema = schema;
      this.#world = world;
    }
    await this.#compareAll();
  }

  async #erase(random: Random): Promise<void> {
    const fields = this.#schema.types.flatMap((type) => type.fields).filter((field) => field.role === "value" || field.reverseOf === undefined);
    const field = random.chance(80) ? random.pick(fields) : undefined;
    trace(() => `erase ${field?.stored ?? "everything"}`);
    await this.#kernel.erase(field ? { kind: "field", name: field.stored } : { kind: "data" });
    this.#world.erase(field);
    this.#count("erasures");
    await this.#compareAll(() => `${field?.stored ?? "everything"} is erased\n${this.#schema.text}`);
  }

  async #restart(): Promise<void> {
    await this.#kernel.close();
    this.#kernel = kernelOn(this.#storage);
    await this.#kernel.open();
    this.#count("restarts");
    await this.#compareAll();
  }

  // ---- writes ---------------------------------------------------------------------------------------------------------

  async #mutate(mutation: Mutation, random: Random): Promise<void> {
    const { name } = mutation.type;
    const ask = randomAsk(random, this.#scene, name, { depth: 2 });
    const { cascade: _, ...payload } = ask;
    const before = this.#scene;
    const world = this.#world.copy();
    const outcome = carryOut(this.#sceneOf(world), mutation);
    const isDelete = mutation.kind === "delete";
    // What a delete shows is how things were.
    const roots = outcome?.roots.map((root) => (isDelete ? this.#world.nodes.find((each) => each.number === root.number) : root) as Node) ?? [];
    const text = `${lower(name)}${askText(payload)} numUids`;
    const actual = await this.#sendMutation(mutation, text, random.chance(50));
    if (mutation.type.without.includes(mutation.kind)) {
      this.#count(`${mutation.kind} left out`);
      return assert.deepEqual([actual.data, (actual.errors ?? []).length > 0], [undefined, true], this.#shown(mutation));
    }
    if (!outcome) {
      this.#count(`${mutation.kind} refused`);
      assert.deepEqual(
        [actual.data, (actual.errors ?? []).length > 0],
        [{ root: null }, true],
        `${this.#shown(mutation)}\n${inspect(actual, { depth: 9 })}`,
      );
      return await this.#compareAll(() => this.#shown(mutation));
    }
    this.#count(outcome.numUids === 0 ? `${mutation.kind} of nothing` : outcome.numUids > 200 ? "crowds" : mutation.kind);
    this.#world = world;
    await this.#learnIds(() => `${this.#shown(mutation)}\n${inspect(actual, { depth: 9 })}`);
    const scene = isDelete ? before : this.#scene;
    const list = completeList(answer(scene, payload, roots), "root", ["root", lower(name)]);
    const expected = { value: { [lower(name)]: list.value, numUids: outcome.numUids }, paths: list.paths };
    this.#same(actual, { root: expected }, () => `${this.#shown(mutation)}\n${text}`);
    await this.#compareAll(() => this.#shown(mutation));
  }

  #shown(mutation: Mutation): string {
    const { type, kind, ...rest } = mutation;
    return `${kind}${type.name} ${literal(rest as InputObject)}\n${this.#schema.text}`;
  }

  /** Written out in the document, or as variables. */
  #sendMutation(mutation: Mutation, payload: string, asVariables: boolean): Promise<Answer> {
    const { name } = mutation.type;
    const args: Readonly<Record<string, readonly [type: string, value: Input]>> =
      mutation.kind === "add"
        ? { input: [`[Add${name}Input!]!`, mutation.input], ...(mutation.upsert && { upsert: ["Boolean", true] as const }) }
        : mutation.kind === "update"
          ? {
              input: [
                `Update${name}Input!`,
                { filter: mutation.filter, ...(mutation.set && { set: mutation.set }), ...(mutation.remove && { remove: mutation.remove }) },
              ],
            }
          : { filter: [`${name}Filter!`, mutation.filter] };
    const entries = Object.entries(args);
    const given = entries.map(([key, [, value]]) => `${key}: ${asVariables ? `$${key}` : literal(value)}`).join(", ");
    const declared = asVariables ? `(${entries.map(([key, [type]]) => `$${key}: ${type}`).join(", ")})` : "";
    const variables = asVariables ? Object.fromEntries(entries.map(([key, [, value]]) => [key, plain(value)])) : {};
    return this.#send(`mutation ${declared} { root: ${mutation.kind}${name}(${given}) { ${payload} } }`, variables);
  }

  /** Nodes are named by the order of their ids within each type. */
  async #learnIds(why: () => string): Promise<void> {
    const objects = this.#schema.types.filter((type) => type.kind === "object");
    const { data } = await this.#send(`{ ${objects.map((type) => `query${type.name} { id }`).join(" ")} }`);
    for (const type of objects) {
      const ids = asNodes(data?.[`query${type.name}`]).map(({ id }) => id);
      const nodes = this.#world.of(this.#schema, type.name);
      assert.equal(ids.length, nodes.length, `the number of ${type.name} after ${why()}`);
      nodes.forEach((node, i) => {
        const id = ids[i] ?? "";
        assert.equal(id, this.#ids.get(node.number) ?? id, `an id of ${type.name} after ${why()}`);
        this.#ids.set(node.number, id);
      });
    }
  }

  // ---- reads ----------------------------------------------------------------------------------------------------------

  async #compareAll(why: () => string = () => this.#schema.text): Promise<void> {
    const asks = this.#schema.types.map((type) => wholeAsk(this.#scene, type));
    const actual = await this.#send(`{ ${asks.map((ask) => `${ask.target}: query${ask.target}${askText(ask)}`).join(" ")} }`);
    const expected = asks.map(
      (ask) => [ask.target, completeList(answer(this.#scene, ask, this.#world.of(this.#schema, ask.target)), ask.target)] as const,
    );
    this.#same(actual, Object.fromEntries(expected), () => `everything, after ${why()}`);
  }

  async #ask(random: Random): Promise<void> {
    if (random.chance(12)) return await this.#walk(randomWalk(random, this.#scene, random.pick(this.#schema.types)));
    const roots = Array.from({ length: 1 + random.below(3) }, (_, i) => this.#randomRoot(random, `r${i}`));
    const text = `{ ${roots.map((root) => root.text).join(" ")} }`;
    this.#same(await this.#send(text), Object.fromEntries(roots.map((root) => [root.key, root.expected])), () => `${text}\n${this.#schema.text}`);
  }

  /** Pages by cursors show what the list shows, each node once. */
  async #walk(walk: Walk): Promise<void> {
    this.#count("walks");
    const all = walked(this.#scene, walk, this.#world.of(this.#schema, walk.type.name));
    let cursor: string | undefined;
    for (let done = 0; ; done += walk.size) {
      const text = pageText(walk, cursor);
      const { data, errors } = await this.#send(text);
      const page = isRecord(data) && isRecord(data.page) ? data.page : {};
      const { startCursor, endCursor, ...info } = isRecord(page.pageInfo) ? page.pageInfo : {};
      const { pageInfo: _, ...shown } = page;
      this.#same(
        { data: { page: { ...shown, ...info } }, ...(errors && { errors }) },
        { page: { value: expectedPage(walk, all, done), paths: [] } },
        () => text,
      );
      cursor = String(walk.backwards ? startCursor : endCursor);
      if (done + walk.size >= all.length) return;
    }
  }

  #randomRoot(random: Random, key: string): { readonly key: string; readonly text: string; readonly expected: Completed } {
    const scene = this.#scene;
    const type = random.pick(this.#schema.types);
    const there = this.#world.of(this.#schema, type.name);
    if (random.chance(15) && !type.without.includes("aggregate")) {
      this.#count("aggregates");
      const filter = random.chance(60) ? randomFilter(random, scene, type) : undefined;
      const measures = randomMeasures(random, type);
      const counted = there.filter((node) => meaningOf(scene, type, filter)?.(node) ?? true);
      const text = `${key}: aggregate${type.name}${filter ? `(filter: ${literal(filter)})` : ""} ${measuresText(measures)}`;
      return { key, text, expected: completeMeasures(measure(counted, measures), measures, [key]) };
    }
    const groups = random.chance(15) ? randomGroups(random, scene, type) : undefined;
    if (groups) {
      this.#count("groups");
      return { key, text: `${key}: ${groupsText(groups)}`, expected: completeGroups(groupsOf(scene, groups, there), groups, key) };
    }
    const ask = randomAsk(random, scene, type.name, { depth: 3 });
    if (type.secret !== undefined && random.chance(40)) {
      this.#count("passwords");
      return this.#randomCheck(random, key, ask);
    }
    if (random.chance(20) && this.#world.nodes.length > 0 && !type.without.includes("get")) {
      this.#count("gets");
      return this.#randomGet(random, key, ask);
    }
    this.#count("queries");
    return { key, text: `${key}: query${type.name}${askText(ask)}`, expected: completeList(answer(scene, ask, there), key) };
  }

  #randomGet(random: Random, key: string, ask: ReturnType<typeof randomAsk>) {
    const scene = this.#scene;
    const type = scene.schema.types.find((each) => each.name === ask.target) ?? random.pick(scene.schema.types);
    const node = random.pick(this.#world.nodes);
    const [found] = random.shuffled(keysOf(type).filter((each) => node.values.has(each.stored)));
    const byKey = found && random.chance(60);
    const args = byKey ? { [found.name]: node.values.get(found.stored) as Input } : { id: scene.idOf(node) };
    const matches = this.#world
      .of(this.#schema, type.name)
      .filter((each) => (byKey ? each.values.get(found.stored) === node.values.get(found.stored) : each === node));
    const { cascade, items, target } = ask;
    const text = `${key}: get${type.name}(${Object.entries(args)
      .map(([name, value]) => `${name}: ${literal(value)}`)
      .join(", ")})${cascadeText(ask)} ${selectionText(items)}`;
    const shown = answer(scene, { target, items, ...(cascade !== undefined && { cascade }) }, matches);
    const expected = shown.length > 1 ? { value: null, paths: [JSON.stringify([key])] } : completeOne(shown[0], key);
    return { key, text, expected };
  }

  #randomCheck(random: Random, key: string, { target, items }: ReturnType<typeof randomAsk>) {
    const scene = this.#scene;
    const secret = typeNamed(scene.schema, target).secret ?? "";
    const [node] = random.shuffled(this.#world.nodes);
    const known = node?.values.get(secret);
    const word = known !== undefined && random.chance(60) ? String(known) : random.pick(passwords);
    const text = `${key}: check${target}Password(id: ${literal(node ? scene.idOf(node) : "0xffffff")}, word: ${literal(word)}) ${selectionText(items)}`;
    const matches = this.#world.of(scene.schema, target).filter((each) => each === node && known === word);
    return { key, text, expected: completeOne(answer(scene, { target, items }, matches)[0], key) };
  }

  async #send(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    const { body } = await this.#kernel.execute({ query, variables });
    trace(() => `${query} ${inspect(variables, { depth: 9 })}\n  ${body}`);
    return parseJson(body) as Answer;
  }

  #same({ data, errors = [] }: Answer, expected: Readonly<Record<string, Completed>>, why: () => string): void {
    const paths = errors.map(({ path, message }) => (path ? JSON.stringify(path) : message));
    const numbers = new Map([...this.#ids].map(([number, id]) => [id, `#${number}`]));
    const actual = { data: normalized(data, numbers), paths: paths.sort() };
    const wanted = {
      data: Object.fromEntries(Object.entries(expected).map(([key, { value }]) => [key, normalized(value, numbers)])),
      paths: Object.values(expected)
        .flatMap((each) => each.paths)
        .sort(),
    };
    try {
      assert.deepEqual(actual, wanted);
    } catch (reason) {
      throw new Error(`${(reason as Error).message}\n${errors.map(({ message }) => message).join("\n")}\nasked ${why()}`);
    }
  }
}

/** Everything that is sent and answered, for a look at one game. */
function trace(text: () => string): void {
  if (process.env.QUERN_MODEL_TRACE) console.log(text());
}

function kernelOn(storage: Storage): Kernel {
  const plugins = [
    identityPlugin(),
    secretPlugin(),
    storageNamesPlugin(),
    defaultPlugin(),
    generatePlugin(),
    searchPlugin(),
    groupingPlugin(),
    pagingPlugin(),
  ];
  return createKernel({ storage, plugins, log: { level: "silent" } });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function asNodes(value: unknown): readonly { readonly id: string }[] {
  return Array.isArray(value) ? value : [];
}

/** Ids as numbers of nodes; every number as its digits, so that long and short integers compare. */
function normalized(value: unknown, numbers: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return numbers.get(value) ?? value;
  if (typeof value === "number" || typeof value === "bigint") return `n${value}`;
  if (Array.isArray(value)) return value.map((each) => normalized(each, numbers));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, normalized(each, numbers)]));
}
