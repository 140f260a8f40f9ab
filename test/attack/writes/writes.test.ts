// Random mutations, alone and in transactions, of an administrator and of guests, over random schemas: what is there afterwards, and what is refused, is
// what a plain map of objects says after the same steps.
//
// QUERN_TEST_SEED is another number, or "random"; QUERN_TEST_EXAMPLES=4 plays four times as many games.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kernel } from "../../../core/index.ts";
import { line, token } from "../../plugins/auth/token.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { examples, testSeed } from "../../support/properties.ts";
import { storageName } from "../../support/storage.ts";
import { Random } from "../model/random.ts";
import { mutationText, randomMutation } from "./requests.ts";
import { type Choice, randomChoice, schemaText, type TypeName } from "./schema.ts";
import { Refused, type Thing, World } from "./world.ts";

// A game takes several times as long where each step is a round trip to a server.
const games = examples(storageName === "level" ? 30 : 10);
const steps = 40;
const administrator = { "x-harbour": token({ ROLE: "ADMIN" }) };

let stack: TemporaryKernel;
beforeAll(async () => {
  stack = await temporaryKernel();
});
afterAll(() => stack?.remove());

/** How often each thing happened, so that a run that tests nothing shows. */
const tally = new Map<string, number>();

describe("random writes", () => {
  it(`are played alike by the server and by the naive world, ${games} times`, { timeout: 1_800_000 }, async () => {
    for (let game = 0; game < games; game++) await new Game(stack.kernel, testSeed * 1_000 + game).play();
    console.log([...tally].map(([what, count]) => `${count} ${what}`).join(", "));
    for (const what of ["add", "update", "delete", "transaction", "transaction undone", "deploy", "as guest"])
      expect(tally.get(what) ?? 0, what).toBeGreaterThan(0);
  });
});

interface Answer {
  readonly data?: Readonly<Record<string, { readonly numUids: number } | null>> | null;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly string[] }[];
}

class Game {
  readonly #kernel: Kernel;
  readonly #seed: number;
  readonly #random: Random;
  #choice: Choice;
  #things: ReadonlyMap<string, Thing> = new Map();
  #made = 0;
  #log: string[] = [];

  constructor(kernel: Kernel, seed: number) {
    this.#kernel = kernel;
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#choice = randomChoice(this.#random);
  }

  async play(): Promise<void> {
    await this.#kernel.deploy("type Nothing { name: String }");
    await this.#kernel.erase({ kind: "data" });
    await this.#kernel.deploy(schemaText(this.#choice, line));
    for (let i = 0; i < steps; i++) await this.#step(i);
    expect((await this.#kernel.storage.verify()).faults).toEqual([]);
  }

  async #step(i: number): Promise<void> {
    if (i > 5 && this.#random.chance(8)) return await this.#redeploy();
    const isGuest = this.#things.size > 3 && this.#random.chance(30);
    if (isGuest) count("as guest");
    const size = this.#random.chance(25) ? 2 + this.#random.below(3) : 1;
    const world = new World(this.#things, this.#choice, { isGuest });
    const fresh = (type: TypeName) => `${type === "Team" ? "t" : "p"}${++this.#made}`;
    const mutations = Array.from({ length: size }, () => randomMutation({ random: this.#random, world, isGuest, fresh }));
    const texts = mutations.map((mutation, m) => mutationText(mutation, `m${m}`));
    const query = `mutation ${size > 1 ? "@transaction " : ""}{ ${texts.join("\n  ")} }`;
    this.#log.push(`${isGuest ? "guest: " : ""}${query}`);
    const counts: number[] = [];
    let failed: number | undefined;
    for (const [m, mutation] of mutations.entries()) {
      try {
        counts.push(world.run(mutation));
      } catch (reason) {
        if (!(reason instanceof Refused)) throw reason;
        failed = m;
        break;
      }
    }
    const what = size > 1 ? "transaction" : (mutations[0]?.kind ?? "");
    count(failed === undefined ? what : size > 1 ? "transaction undone" : `${what} refused`);
    const { data, errors } = await this.#ask<Answer>(query, isGuest ? {} : administrator);
    if (failed === undefined) {
      this.#things = world.things;
      this.#same([data, errors], [Object.fromEntries(counts.map((numUids, m) => [`m${m}`, { numUids }])), undefined]);
    } else {
      const undone = size > 1 ? null : { m0: null };
      // Who may not learn the reason gets none.
      const path = errors === undefined && isGuest ? undefined : [`m${failed}`];
      this.#same([data, errors?.[0]?.path], [undone, path]);
    }
    await this.#compare();
  }

  async #redeploy(): Promise<void> {
    const choice = randomChoice(this.#random);
    const fits = new World(this.#things, choice, { isGuest: false }).fits;
    this.#log.push(`deploy ${schemaText(choice, "")}`);
    const refusal = await this.#kernel.deploy(schemaText(choice, line)).then(
      () => undefined,
      (reason: { readonly code?: string }) => reason.code,
    );
    this.#same(refusal, fits ? undefined : "MIGRATION_REFUSED");
    count(fits ? "deploy" : "deploy refused");
    if (fits) this.#choice = choice;
    await this.#compare();
  }

  /** Everything as the administrator sees it, and what a guest sees of it: lists, counts behind links, groups. */
  async #compare(): Promise<void> {
    const { counted } = this.#choice;
    const rev = (type: TypeName) => (counted[type] ? "rev" : "");
    const all = `{
      teams: queryTeam(order: {asc: code}) { code n open ${rev("Team")} players(order: {asc: code}) { code } lead { code } }
      players: queryPlayer(order: {asc: code}) { code n tag open ${rev("Player")} team { code } rival { code } }
    }`;
    const { data } = await this.#ask<{ readonly data: unknown }>(all, administrator);
    this.#same(data, this.#whole());
    const world = new World(this.#things, this.#choice, { isGuest: true });
    const visible = (type: TypeName) => world.of(type).filter((each) => world.may("query", each));
    const seen = `{
      totals: queryPlayerConnection(first: 1) { totalCount }
      crowded: queryTeam(filter: {players: {count: {ge: 2}}}, order: {asc: code}) { code }
      groups: groupPlayer(by: [{field: team}], order: {desc: count}) { key { team { code } } count }
    }`;
    const answer = await this.#ask<{ readonly data: { readonly groups: readonly unknown[] } }>(seen, {});
    const groups = new Map<string, number>();
    for (const player of visible("Player")) {
      const [team] = world.seen.partners(player, "team");
      const key = JSON.stringify(team ? { code: team.code } : null);
      groups.set(key, (groups.get(key) ?? 0) + 1);
    }
    this.#same(
      { ...answer.data, groups: sorted(answer.data.groups) },
      {
        totals: { totalCount: visible("Player").length },
        crowded: byCode(visible("Team").filter((team) => world.seen.partners(team, "players").length >= 2)).map(({ code }) => ({ code })),
        groups: sorted([...groups].map(([key, count]) => ({ key: { team: JSON.parse(key) }, count }))),
      },
    );
  }

  #whole() {
    const { counted } = this.#choice;
    const world = new World(this.#things, this.#choice, { isGuest: false });
    const one = (thing: Thing, link: string) => world.partners(thing, link).map(({ code }) => ({ code }))[0] ?? null;
    const values = ({ code, n, open, rev, type }: Thing) => ({
      ...{ code, n: n ?? null, open: open ?? null },
      ...(counted[type] && { rev: rev ?? null }),
    });
    return {
      teams: byCode(world.of("Team")).map((team) => ({
        ...values(team),
        players: byCode(world.partners(team, "players")).map(({ code }) => ({ code })),
        lead: one(team, "lead"),
      })),
      players: byCode(world.of("Player")).map((player) => ({
        ...values(player),
        ...{ tag: player.tag ?? null, team: one(player, "team"), rival: one(player, "rival") },
      })),
    };
  }

  async #ask<T>(query: string, headers: Readonly<Record<string, string>>): Promise<T> {
    return JSON.parse((await this.#kernel.execute({ query, headers })).body);
  }

  #same(found: unknown, expected: unknown): void {
    expect(found, `seed ${this.#seed}\n${schemaText(this.#choice, "")}\n${this.#log.join("\n")}`).toEqual(expected);
  }
}

function byCode(things: readonly Thing[]): readonly Thing[] {
  return [...things].sort((a, b) => (a.code < b.code ? -1 : 1));
}

function sorted(values: readonly unknown[]): readonly string[] {
  return values.map((each) => JSON.stringify(each)).sort();
}

function count(what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1);
}
