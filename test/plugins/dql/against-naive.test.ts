// Random documents over random graphs: the answers are those of an evaluator over plain arrays.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import fc, { examples } from "../../support/properties.ts";
import { type DqlStack, dqlStack } from "./harness.ts";
import { evaluate, type Question, textOf } from "./naive.ts";
import { anyCondition, anyCut, anyShape, anyTowns, schema, type Town } from "./random-world.ts";

const graphs = examples(12);
const questionsOfGraph = 25;

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack(schema);
});
afterAll(() => dql?.stack.remove());

type Plain = Omit<Town, "uid" | "name">;

/** Replaces all towns. */
async function store(plain: readonly Plain[]): Promise<readonly Town[]> {
  await dql.run("mutation { deleteTown(filter: {}) { numUids } }");
  const input = plain.map(({ roads: _roads, capital: _capital, ...values }, i) => ({ name: `t${i}`, ...values }));
  await dql.run("mutation ($input: [AddTownInput!]!) { addTown(input: $input) { numUids } }", { input });
  for (const [i, { roads, capital }] of plain.entries()) {
    const set = { roads: roads.map((each) => ({ name: `t${each}` })), ...(capital !== undefined && { capital: { name: `t${capital}` } }) };
    await dql.run("mutation ($name: String, $set: TownPatch) { updateTown(input: { filter: { name: { eq: $name } }, set: $set }) { numUids } }", {
      name: `t${i}`,
      set,
    });
  }
  const { q } = (await dql.ask("{ q(func: type(Town)) { uid Town.name } }")) as {
    readonly q: readonly { readonly uid: string; readonly "Town.name": string }[];
  };
  const uids = new Map(q.map((each) => [each["Town.name"], Number(each.uid)]));
  return plain.map((town, i) => ({ ...town, name: `t${i}`, uid: uids.get(`t${i}`) ?? 0 }));
}

const anyQuestion: fc.Arbitrary<Question> = fc.record({
  root: fc.constant(undefined),
  filter: fc.option(anyCondition, { nil: undefined }),
  cut: anyCut,
  shape: anyShape,
});

/** Lists of values have no order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.every((each) => typeof each === "string") ? [...value].sort() : value.map(sorted);
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sorted(each)])) : value;
}

describe("DQL on random graphs", () => {
  it("gives what a look at every node gives", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(anyTowns, fc.array(anyQuestion, { minLength: questionsOfGraph, maxLength: questionsOfGraph }), async (plain, questions) => {
        const towns = await store(plain);
        const byUid = [...towns].sort((a, b) => a.uid - b.uid);
        expect(byUid.map((town) => town.name)).toEqual(towns.map((town) => town.name));
        for (const question of questions) {
          const { q } = (await dql.ask(textOf(question))) as { readonly q: unknown };
          expect(sorted(q), textOf(question)).toEqual(sorted(evaluate(question, towns)));
        }
      }),
      { numRuns: graphs, endOnFailure: true },
    );
  });
});
