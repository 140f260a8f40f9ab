// Variables, groups, recursion and paths over random graphs. An administrator gets what a look at every town gives; a caller under `rules: true` what a
// look at the towns gives that the rules show: hidden ones do not exist in counts, variables, paths and groups.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { parseJson, writeJson } from "../../../core/index.ts";
import { dqlPlugin } from "../../../plugins/dql/index.ts";
import { type FunctionCall, lambdaPlugin } from "../../../plugins/lambda/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import fc, { examples } from "../../support/properties.ts";
import { anyDocument, type NaiveDocument } from "./naive-documents.ts";
import { anyTowns, schema, type Town } from "./random-world.ts";

const graphs = examples(30);
const documentsOfGraph = 25;

const guarded = `${schema.replace("type Town {", 'type Town @auth(query: { rule: """query { queryTown(filter: { open: true }) { name } }""" }) { open: Boolean @search')}
  type Query { ask(text: String!, as: String!): String @lambda }
  type Mutation { fill(text: String!, input: String!): String @lambda }`;

const functions = {
  "Query.ask": async ({ args, quern }: FunctionCall) =>
    writeJson(await quern.dql(String(args.text), {}, { as: args.as === "admin" ? "admin" : "caller" })),
  "Mutation.fill": async ({ args, quern }: FunctionCall) =>
    writeJson(await quern.graphql(String(args.text), parseJson(String(args.input)) as Record<string, unknown>, { as: "admin" })),
};

type Blocks = Readonly<Record<string, unknown>>;

let stack: TemporaryKernel;
beforeAll(async () => {
  const ours = { dql: dqlPlugin({ rules: true }), lambda: lambdaPlugin({ functions }) };
  stack = await temporaryKernel({ plugins: standardPlugins().map((each) => Object.entries(ours).find(([name]) => name === each.name)?.[1] ?? each) });
  await stack.kernel.deploy(guarded);
});
afterAll(() => stack?.remove());

async function call(query: string, variables: Blocks): Promise<Blocks> {
  const { data, errors } = JSON.parse((await stack.kernel.execute({ query, variables })).body);
  expect(errors, JSON.stringify(variables)).toBeUndefined();
  const answer = JSON.parse(Object.values(data)[0] as string);
  expect(answer.errors, JSON.stringify(variables)).toEqual([]);
  return answer.data;
}

const ask = (text: string, as: "admin" | "caller") => call("query ($text: String!, $as: String!) { ask(text: $text, as: $as) }", { text, as });
const fill = (text: string, input: Blocks) =>
  call("mutation ($text: String!, $input: String!) { fill(text: $text, input: $input) }", { text, input: writeJson(input) });

type Plain = Omit<Town, "uid" | "name"> & { readonly open: boolean };
type Known = Town & { readonly open: boolean };

/** Replaces all towns. */
async function store(plain: readonly Plain[]): Promise<readonly Known[]> {
  const named = plain.map(({ roads: _roads, capital: _capital, ...values }, i) => ({ name: `t${i}`, ...values }));
  await fill("mutation ($input: [AddTownInput!]!) { deleteTown(filter: {}) { numUids } addTown(input: $input) { numUids } }", { input: named });
  const sets = plain.map(({ roads, capital }, i) => [
    `p${i}`,
    {
      filter: { name: { eq: `t${i}` } },
      set: { roads: roads.map((each) => ({ name: `t${each}` })), ...(capital !== undefined && { capital: { name: `t${capital}` } }) },
    },
  ]);
  const declared = sets.map(([name]) => `$${name}: UpdateTownInput!`).join(" ");
  const updates = sets.map(([name]) => `${name}: updateTown(input: $${name}) { numUids }`).join(" ");
  await fill(`mutation (${declared}) { ${updates} }`, Object.fromEntries(sets));
  const { q } = await ask("{ q(func: type(Town), orderasc: Town.name) { uid } }", "admin");
  return plain.map((town, i) => ({ ...town, name: `t${i}`, uid: Number((q as readonly { readonly uid: string }[])[i]?.uid) }));
}

/** The graph of what is open: roads and capitals that lead elsewhere do not exist. */
function seenOf(towns: readonly Known[]): readonly Known[] {
  const seen = towns.filter(({ open }) => open);
  const placeOf = (place: number | undefined) => seen.findIndex((town) => town === towns[place ?? -1]);
  return seen.map((town) => ({
    ...town,
    roads: town.roads.map(placeOf).filter((place) => place >= 0),
    capital: placeOf(town.capital) < 0 ? undefined : placeOf(town.capital),
  }));
}

/** Lists have no order here, except where the document gives one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, sorted(each)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function compare({ text, answer, accepts }: NaiveDocument, found: Blocks, towns: readonly Town[]): void {
  if (accepts) expect(accepts(found, towns), `${text}\n${JSON.stringify(found)}\n${JSON.stringify(answer(towns))}`).toBe(true);
  else expect(sorted(found), text).toEqual(sorted(answer(towns)));
}

describe("DQL with variables, groups, recursion and paths on random graphs", () => {
  it("gives what a look at every town gives, or at every one that the rules show", { timeout: 600_000 }, async () => {
    const anyOpen = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });
    const anyDocuments = fc.array(anyDocument, { minLength: documentsOfGraph, maxLength: documentsOfGraph });
    await fc.assert(
      fc.asyncProperty(anyTowns, anyOpen, anyDocuments, async (plain, open, documents) => {
        const towns = await store(plain.map((town, i) => ({ ...town, open: open[i] ?? true })));
        const seen = seenOf(towns);
        for (const document of documents) {
          compare(document, await ask(document.text, "admin"), towns);
          compare(document, await ask(document.text, "caller"), seen);
        }
      }),
      { numRuns: graphs, endOnFailure: true },
    );
  });
});
