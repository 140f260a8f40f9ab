// How an order was read, where sizes decide: `quern explain`, and the plan that an administrator asks for, say it.

import { afterAll, beforeAll, expect, it } from "vitest";
import { line, token } from "../../plugins/auth/token.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

const rule = "query($USER: String!) { queryParcel(filter: {owner: {eq: $USER}}) { code } }";
const query = "{ queryParcel(order: {desc: weight}, first: 3) { code } }";
let stack: TemporaryKernel;

beforeAll(async () => {
  stack = await temporaryKernel({ debug: true });
  await stack.kernel.deploy(`
    type Parcel @auth(query: { rule: ${JSON.stringify(rule)} }) @index(fields: ["shelf", "weight"]) {
      code: String! @id  owner: String @search(by: [hash])  shelf: Int @search  weight: Int @search  note: String
    }
    ${line}`);
  const add = "mutation ($input: [AddParcelInput!]!) { addParcel(input: $input) { numUids } }";
  // Ann owns every second one, and Bob the ten lightest.
  const input = Array.from({ length: 2_000 }, (_, i) => ({
    code: `p${i}`,
    owner: i < 10 ? "Bob" : i % 2 === 0 ? "Ann" : "Cy",
    weight: i,
    shelf: i % 4,
    note: `${i % 7}`,
  }));
  expect(JSON.parse((await stack.kernel.execute({ query: add, variables: { input } })).body).errors).toBeUndefined();
});
afterAll(() => stack?.remove());

async function ways(text: string, user: string, who: { readonly explains?: boolean; readonly as?: "system" } = { explains: true }) {
  const { body } = await stack.kernel.execute({ query: text, plan: true, headers: { "x-harbour": token({ USER: user }) }, ...who });
  const { data, extensions } = JSON.parse(body);
  const plan: readonly string[] = extensions.plan;
  const title = plan.findIndex((each) => each.startsWith("chosen by "));
  return { codes: data.queryParcel.map(({ code }: { readonly code: string }) => code), plan, ways: title < 0 ? [] : plan.slice(title + 1) };
}

it("walks the index of the order where a rule lets much through", async () => {
  for (const _ of ["first", "again"]) {
    const asked = await ways(query, "Ann");
    expect(asked.codes).toEqual(["p1998", "p1996", "p1994"]);
    expect(asked.ways).toEqual([
      expect.stringMatching(/^ {2}by Parcel\.weight desc: the first 3 of its index, where about [\d,]+ of [\d,]+ entries match$/),
    ]);
  }
});

it("takes the column of the few nodes that a rule lets through", async () => {
  const asked = await ways(query, "Bob");
  expect(asked.codes).toEqual(["p9", "p8", "p7"]);
  expect(asked.ways).toEqual(["  by Parcel.weight desc: the first 3 of about 10 candidates, by its column"]);
});

it("names records and the lists of an index over several fields", async () => {
  const byNote = await ways("{ queryParcel(order: {asc: note, then: {asc: weight}}, first: 2) { code } }", "Bob");
  expect(byNote.ways).toEqual(["  by Parcel.note asc, Parcel.weight asc: the first 2 of about 10 candidates, by their records"]);
  const byShelf = await ways("{ queryParcel(filter: {shelf: {in: [1, 2]}}, order: {desc: weight}, first: 2) { code } }", "Ann", { as: "system" });
  expect(byShelf.codes).toEqual(["p1998", "p1997"]);
  expect(byShelf.ways).toEqual(["  by Parcel.weight desc: the first 2 of 2 lists of the index Parcel.weight within Parcel.shelf"]);
});

it("does not say to a caller how many nodes there are, in debug mode either", async () => {
  const asked = await ways(query, "Bob", {});
  expect(asked.plan.length).toBeGreaterThan(0);
  expect(asked.ways).toEqual([]);
});
