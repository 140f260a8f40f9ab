// What a rule costs, counted in nodes that a request looks at, which a server does not report by itself: as many as an index gives.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { line, token } from "../../plugins/auth/token.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { workMeter } from "../../support/work-meter.ts";

/** 4,000 parcels, ten in each depot, two depots in each town, one mayor for each town. */
const parcels = 4_000;
const meter = workMeter();
let stack: TemporaryKernel;

const schema = (rule: string) => `
  type Parcel @auth(query: { rule: ${JSON.stringify(rule)} }) {
    code: String! @id  owner: String @search(by: [hash])  note: String  weight: Int @search  depot: Depot
  }
  type Depot { code: String! @id  town: Town }
  type Town { name: String! @id  mayor: Mayor }
  type Mayor { name: String! @id }
  ${line}`;

const byOwner = "query($USER: String!) { queryParcel(filter: {owner: {eq: $USER}}) { code } }";
const byNote = "query { queryParcel { note } }";
const byMayor = "query($USER: String!) { queryParcel { depot { town { mayor(filter: {name: {eq: $USER}}) { name } } } } }";

beforeAll(async () => {
  stack = await temporaryKernel({ metrics: meter.metrics });
  await stack.kernel.deploy(schema(byOwner));
  const query = "mutation ($input: [AddDepotInput!]!) { addDepot(input: $input) { numUids } }";
  const input = Array.from({ length: parcels / 10 }, (_, d) => {
    const town = Math.floor(d / 2);
    return { code: `d${d}`, town: { name: `t${town}`, mayor: { name: `m${town}` } } };
  });
  expect(JSON.parse((await stack.kernel.execute({ query, variables: { input } })).body).errors).toBeUndefined();
  const add = "mutation ($input: [AddParcelInput!]!) { addParcel(input: $input) { numUids } }";
  const all = Array.from({ length: parcels }, (_, p) => {
    // Ann owns three; every tenth has a note.
    const owner = p % 1_500 === 20 ? "Ann" : "Bob";
    return { code: `p${p}`, owner, weight: p, depot: { code: `d${Math.floor(p / 10)}` }, ...(p % 10 === 0 && { note: "fragile" }) };
  });
  expect(JSON.parse((await stack.kernel.execute({ query: add, variables: { input: all } })).body).errors).toBeUndefined();
});
afterAll(() => stack?.remove());

async function ask(query: string, user: string) {
  const { data, errors } = JSON.parse((await stack.kernel.execute({ query, headers: { "x-harbour": token({ USER: user }) } })).body);
  expect(errors).toBeUndefined();
  return { data, touched: meter.touched() };
}

const codes = (all: readonly string[]) => all.map((code) => ({ code }));

describe("a rule on an indexed field", () => {
  beforeAll(() => stack.kernel.deploy(schema(byOwner)));

  it("uses the index: an owner of three nodes sees three and visits about as many", async () => {
    for (const _ of ["first", "again"]) {
      const { data, touched } = await ask("{ queryParcel(order: {asc: weight}) { code } }", "Ann");
      expect(data.queryParcel).toEqual(codes(["p20", "p1520", "p3020"]));
      expect(touched).toBeLessThan(20);
    }
  });

  it("does so for aggregates, and beside a filter that all nodes pass", async () => {
    const counted = await ask("{ aggregateParcel { count weightMax } }", "Ann");
    expect(counted.data.aggregateParcel).toEqual({ count: 3, weightMax: 3_020 });
    expect(counted.touched).toBeLessThan(20);
    const filtered = await ask("{ queryParcel(filter: {weight: {ge: 0}}, order: {desc: weight}, first: 2) { code } }", "Ann");
    expect(filtered.data.queryParcel).toEqual(codes(["p3020", "p1520"]));
    expect(filtered.touched).toBeLessThan(20);
  });

  it("leaves a lookup by key unchanged, for a caller who may see nearly all", async () => {
    const seen = await ask('{ getParcel(code: "p21") { code } }', "Bob");
    expect(seen.data).toEqual({ getParcel: { code: "p21" } });
    expect(seen.touched).toBeLessThan(5);
    const hidden = await ask('{ getParcel(code: "p20") { code } }', "Bob");
    expect(hidden.data).toEqual({ getParcel: null });
    expect(hidden.touched).toBeLessThan(5);
  });

  it("is tested only for the nodes of the page, when most nodes pass", async () => {
    const { data, touched } = await ask("{ queryParcel(first: 3) { code } }", "Bob");
    expect(data.queryParcel).toHaveLength(3);
    expect(touched).toBeLessThan(300);
  });
});

describe("a rule of three levels", () => {
  beforeAll(() => stack.kernel.deploy(schema(byMayor)));

  it("starts from its selective end: from one mayor to the town's twenty parcels", async () => {
    for (const _ of ["first", "again"]) {
      const { data, touched } = await ask("{ queryParcel(order: {asc: weight}) { code } }", "m7");
      expect(data.queryParcel).toEqual(codes(Array.from({ length: 20 }, (_each, i) => `p${140 + i}`)));
      expect(touched).toBeLessThan(120);
    }
  });

  it("does so for aggregates, and after a commit that changes the result", async () => {
    const before = await ask("{ aggregateParcel { count weightMin } }", "m7");
    expect(before.data.aggregateParcel).toEqual({ count: 20, weightMin: 140 });
    expect(before.touched).toBeLessThan(120);
    const moved = 'mutation { updateTown(input: {filter: {name: {eq: "t8"}}, set: {mayor: {name: "m7"}}}) { numUids } }';
    expect((await ask(moved, "m7")).data.updateTown.numUids).toBe(1);
    const after = await ask("{ aggregateParcel { count weightMax } }", "m7");
    expect(after.data.aggregateParcel).toEqual({ count: 40, weightMax: 179 });
    expect(after.touched).toBeLessThan(240);
  });

  it("starts from the request's condition when that is more selective", async () => {
    const { data, touched } = await ask('{ getParcel(code: "p145") { code } }', "m7");
    expect(data).toEqual({ getParcel: { code: "p145" } });
    expect(touched).toBeLessThan(5);
  });
});

describe("a rule on a field without an index", () => {
  it("visits every node, which shows that the counts are sensitive", async () => {
    await stack.kernel.deploy(schema(byNote));
    const { data, touched } = await ask("{ aggregateParcel { count } }", "Ann");
    expect(data.aggregateParcel).toEqual({ count: parcels / 10 });
    expect(touched).toBeGreaterThanOrEqual(parcels);
  });
});
