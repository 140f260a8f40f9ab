// `@affects`: how many objects an update or a delete must be about.

import { describe, expect, it } from "vitest";
import { type Answer, type Api, deploy } from "../auth/harness.ts";
import { line, token } from "../auth/token.ts";

const shop = `
  type Item { sku: String! @id  stock: Int! @increment @search  orders: [Order] @hasInverse(field: item) }
  type Order { id: ID!  item: Item! }`;

async function open(stock: number): Promise<Api> {
  const api = await deploy(shop);
  await api.ask(`mutation { addItem(input: [{ sku: "lamp", stock: ${stock} }, { sku: "lampshade", stock: 5 }]) { numUids } }`);
  return api;
}
const state = "{ queryItem(order: { asc: sku }) { sku stock } aggregateOrder { count } }";
const left = (stock: number, orders: number) => ({
  data: {
    queryItem: [
      { sku: "lamp", stock },
      { sku: "lampshade", stock: 5 },
    ],
    aggregateOrder: { count: orders },
  },
});
const take = (sku: string, bounds = "@affects(atLeast: 1)") =>
  `take: updateItem(input: { filter: { sku: { eq: "${sku}" }, stock: { ge: 1 } }, increment: { stock: -1 } }) ${bounds} { numUids }`;
const order = (sku: string) => `addOrder(input: [{ item: { sku: "${sku}" } }]) { numUids }`;
const checkout = (sku: string, bounds?: string) => `mutation @transaction { ${take(sku, bounds)} ${order(sku)} }`;
const mismatch = (found: string, wanted: string) => ({
  message: `mutation updateItem failed because its filter matches ${found}, and must match ${wanted}; nothing was changed`,
  path: ["take"],
  extensions: { code: "COUNT_MISMATCH" },
});

describe("@affects", () => {
  it("of three checkouts of the last item makes one order", async () => {
    const { ask } = await open(1);
    const answers = await Promise.all([1, 2, 3].map(() => ask(checkout("lamp"))));
    const refused = { data: null, errors: [mismatch("0 objects", "at least 1")] };
    const ordered = { data: { take: { numUids: 1 }, addOrder: { numUids: 1 } } };
    const byOutcome = [...answers].sort((a, b) => Number(a.data === null) - Number(b.data === null));
    expect(byOutcome).toEqual([ordered, refused, refused]);
    expect(await ask(state)).toEqual(left(0, 1));
  });

  it("is needed for that: without it a checkout of nothing makes an order", async () => {
    const { ask } = await open(0);
    expect(await ask(checkout("lamp", ""))).toEqual({ data: { take: { numUids: 0 }, addOrder: { numUids: 1 } } });
    expect(await ask(state)).toEqual(left(0, 1));
  });

  it("undoes what came before it, and refuses a mutation alone too", async () => {
    const { ask } = await open(0);
    const answer = await ask(`mutation @transaction { ${order("lampshade")} ${take("lamp")} }`);
    expect(answer).toEqual({ data: null, errors: [mismatch("0 objects", "at least 1")] });
    expect(await ask(`mutation { ${take("lamp")} }`)).toEqual({ data: { take: null }, errors: [mismatch("0 objects", "at least 1")] });
    expect(await ask(state)).toEqual(left(0, 0));
  });

  it("has an upper bound, for deletes too; a bound that is met or null changes nothing", async () => {
    const { ask } = await open(1);
    const two = await ask("mutation { take: deleteItem(filter: {}) @affects(atMost: 1) { numUids } }");
    expect(two.errors?.[0]?.message).toBe(
      "mutation deleteItem failed because its filter matches 2 objects, and must match at most 1; nothing was changed",
    );
    const exactly = "mutation ($n: Int, $m: Int) { deleteItem(filter: { stock: { ge: 1 } }) @affects(atLeast: $n, atMost: $m) { numUids } }";
    const { kernel } = (await open(1)).stack;
    const run = async (variables: Readonly<Record<string, unknown>>) => JSON.parse((await kernel.execute({ query: exactly, variables })).body);
    expect((await run({ n: 3, m: 4 })).errors[0].message).toContain("2 objects, and must match at least 3 and at most 4");
    expect((await run({ n: 2, m: null })).data).toEqual({ deleteItem: { numUids: 2 } });
  });

  it("counts an update that changes nothing as one of no object", async () => {
    const { ask } = await open(1);
    const nothing = await ask('mutation { take: updateItem(input: { filter: { sku: { eq: "lamp" } } }) @affects(atLeast: 1) { numUids } }');
    expect(nothing.errors).toEqual([mismatch("0 objects", "at least 1")]);
  });

  it("counts only what the caller may see and change", async () => {
    const rule = '@auth(update: { rule: "query($USER: String!) { queryNote(filter: { owner: { eq: $USER } }) { id } }" })';
    const { ask } = await deploy(`${line}\n type Note ${rule} { id: ID!  owner: String! @search(by: [hash])  text: String }`);
    await ask('mutation { addNote(input: [{ owner: "ada" }, { owner: "bob" }]) { numUids } }');
    const both = 'mutation { updateNote(input: { filter: {}, set: { text: "x" } }) @affects(atLeast: 2) { numUids } }';
    const mine = 'mutation { updateNote(input: { filter: {}, set: { text: "x" } }) @affects(atLeast: 1) { numUids } }';
    const ada = token({ USER: "ada" });
    expect((await ask(both, ada)).errors?.[0]?.message).toContain("matches 1 object, and must match at least 2");
    expect(await ask(mine, ada)).toEqual({ data: { updateNote: { numUids: 1 } } });
  });

  it.each([
    ["an add", 'mutation { addOrder(input: [{ item: { sku: "lamp" } }]) @affects(atLeast: 1) { numUids } }', "addOrder"],
    ["a query", "{ queryItem @affects(atLeast: 1) { sku } }", "queryItem"],
    ["a field of a payload", "mutation { deleteItem(filter: {}) { numUids @affects(atLeast: 1) } }", "numUids"],
  ])("refuses a document with it on %s, where it would be ignored", async (_, document, field) => {
    const { ask } = await open(1);
    const { data, errors }: Answer = await ask(document);
    expect(data).toBeUndefined();
    expect(errors?.map(({ message }) => message)).toEqual([
      `@affects is for fields of Mutation that update or delete objects, and ${field} is none.`,
    ]);
    expect(await ask(state)).toEqual(left(1, 0));
  });

  it("counts on whichever of several places of one field it is", async () => {
    const { ask } = await open(0);
    const plain = take("lamp", "");
    const answer = await ask(`mutation { ${plain} ...Strict } fragment Strict on Mutation { ${take("lamp")} }`);
    expect(answer.errors).toEqual([mismatch("0 objects", "at least 1")]);
  });
});
