// Orders over many matches cost the page, not the matches: counted in nodes that a request touches and in rows that are looked at.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { workMeter } from "../../support/work-meter.ts";

const nodes = 20_000;
const meter = workMeter();
let stack: TemporaryKernel;

beforeAll(async () => {
  stack = await temporaryKernel({ metrics: meter.metrics });
  await stack.kernel.deploy(`type T @paged { id: ID!  text: String @search(by: [term])  code: String @search(by: [exact])  size: Int @search }`);
  const query = "mutation ($input: [AddTInput!]!) { addT(input: $input) { numUids } }";
  for (let start = 0; start < nodes; start += 2_000) {
    const input = Array.from({ length: 2_000 }, (_, i) => {
      const n = ((start + i) * 7_919) % nodes;
      // `every`, `each` and `all` go together; every second is `even`; ten have `rare`.
      const text = ["every each all", n % 2 === 0 ? "even" : "odd", ...(n % 2_000 === 7 ? ["rare"] : [])].join(" ");
      return { text, code: String(n).padStart(6, "0"), size: n };
    });
    await stack.kernel.execute({ query, variables: { input } });
  }
});
afterAll(() => stack?.remove());

async function ask(words: string, order: string, page = "first: 10") {
  const query = `{ queryT(filter: {text: {allofterms: "${words}"}}, order: ${order}, ${page}) { size } }`;
  const { body } = await stack.kernel.execute({ query });
  const { data } = JSON.parse(body);
  return { sizes: data.queryT.map((each: { readonly size: number }) => each.size), touched: meter.touched() };
}

const upTo = (count: number, step = 1, from = 0) => Array.from({ length: count }, (_, i) => from + i * step);

describe("the first ten of many matches", () => {
  it("are found without visiting all nodes, when all match", async () => {
    const { sizes, touched } = await ask("every", "{asc: code}");
    expect(sizes).toEqual(upTo(10));
    expect(touched).toBeLessThan(1_000);
  });

  it("are found so when conditions are correlated, and when half of the nodes match", async () => {
    const same = await ask("every each all", "{asc: code}");
    expect(same.sizes).toEqual(upTo(10));
    expect(same.touched).toBeLessThan(1_000);
    const half = await ask("every each all even", "{desc: code}");
    expect(half.sizes).toEqual(upTo(10, -2, nodes - 2));
    expect(half.touched).toBeLessThan(1_000);
  });

  it("are found from the matches, when few match", async () => {
    const { sizes, touched } = await ask("every rare", "{asc: code}");
    expect(sizes).toEqual(upTo(10, 2_000, 7));
    expect(touched).toBeLessThan(1_000);
  });

  it("are found by one column scan or by the index, when sorted by a number", async () => {
    expect((await ask("every each all", "{desc: size}")).sizes).toEqual(upTo(10, -1, nodes - 1));
    expect((await ask("odd", "{asc: size}", "first: 3, offset: 5")).sizes).toEqual([11, 13, 15]);
  });
});

describe("a page behind a cursor", () => {
  async function pageAfter(order: string, rows: number, filter = "") {
    const page = async (args: string) => {
      const text = `{ queryTConnection(${filter}order: ${order}, ${args}) { nodes { size } pageInfo { endCursor } } }`;
      const { data } = JSON.parse((await stack.kernel.execute({ query: text })).body);
      return { ...data.queryTConnection, touched: meter.touched() };
    };
    const before = rows === 0 ? undefined : await page(`first: ${rows}`);
    return await page(`first: 10${before ? `, after: "${before.pageInfo.endCursor}"` : ""}`);
  }

  it.each([
    ["{asc: code}", 1],
    ["{desc: code}", -1],
    ["{asc: size}", 1],
    ["{desc: size}", -1],
  ])("touches as many nodes as the first page, however many come before it, order %s", async (order, step) => {
    const first = await pageAfter(order, 0);
    const from = step > 0 ? 0 : nodes - 1;
    for (const rows of [10, 990, 15_000]) {
      const later = await pageAfter(order, rows);
      expect(later.nodes.map(({ size }: { readonly size: number }) => size)).toEqual(upTo(10, step, from + rows * step));
      expect(later.touched).toBe(first.touched);
    }
  });

  it("touches few nodes of a filter and of equal values", async () => {
    const even = await pageAfter("{asc: code}", 5_000, 'filter: {text: {allofterms: "even"}}, ');
    expect(even.nodes.map(({ size }: { readonly size: number }) => size)).toEqual(upTo(10, 2, 10_000));
    expect(even.touched).toBeLessThan(1_000);
    await stack.kernel.execute({ query: "mutation { updateT(input: {filter: {size: {ge: 10000}}, set: {size: 7}}) { numUids } }" });
    for (const order of ["{asc: size}", "{desc: size}"]) {
      const first = await pageAfter(order, 0);
      for (const rows of [3, 4_000, 9_000]) expect((await pageAfter(order, rows)).touched).toBeLessThanOrEqual(first.touched + 20);
    }
  });
});

describe("a page far down", () => {
  /** How often the request looks at the clock. */
  async function looks(order: string, offset: number) {
    const clock = vi.spyOn(performance, "now");
    try {
      const query = `{ queryT(order: ${order}, first: 3, offset: ${offset}) { size } }`;
      const { data } = JSON.parse((await stack.kernel.execute({ query })).body);
      expect(data.queryT).toHaveLength(3);
      return clock.mock.calls.length;
    } finally {
      clock.mockRestore();
    }
  }

  it.each([
    ["of records", "{desc: text, then: {asc: size}}"],
    ["of a column", "{desc: size}"],
  ])("is sorted in turns, %s", async (_, order) => {
    // Two for each block of rows that is selected, sorted or merged, beside those of the scan.
    expect((await looks(order, 15_000)) - (await looks(order, 300))).toBeGreaterThan((2 * nodes) / 512);
  });
});

describe("a page of a node with thousands of partners", () => {
  const rooms = { big: 12_000, small: 300 };
  const total = rooms.big + rooms.small;
  let chat: TemporaryKernel;
  const chatMeter = workMeter();

  beforeAll(async () => {
    chat = await temporaryKernel({ metrics: chatMeter.metrics });
    await chat.kernel.deploy(`
      type Room { name: String! @id  messages: [Message] @hasInverse(field: room) }
      type Message { id: ID!  room: Room  sent: Int @search  text: String @search(by: [exact])  size: Int @search }
    `);
    const query = "mutation ($input: [AddMessageInput!]!) { addMessage(input: $input) { numUids } }";
    const rooms = await chat.kernel.execute({ query: 'mutation { addRoom(input: [{name: "big"}, {name: "small"}]) { numUids } }' });
    expect(JSON.parse(rooms.body).errors).toBeUndefined();
    for (let start = 0; start < total; start += 3_075) {
      const input = Array.from({ length: 3_075 }, (_, i) => {
        const n = ((start + i) * 7_919) % total;
        return { room: { name: n % 41 === 0 ? "small" : "big" }, sent: n, text: String(n).padStart(6, "0"), size: n % 100 };
      });
      const added = await chat.kernel.execute({ query: query, variables: { input } });
      expect(JSON.parse(added.body).data.addMessage.numUids).toBe(3_075);
    }
  });
  afterAll(() => chat?.remove());

  async function messages(room: string, args: string) {
    const query = `{ getRoom(name: "${room}") { messages(${args}) { sent } } }`;
    const { data } = JSON.parse((await chat.kernel.execute({ query })).body);
    return { sent: data.getRoom.messages.map((each: { readonly sent: number }) => each.sent), touched: chatMeter.touched() };
  }

  const inBig = Array.from({ length: total }, (_, n) => n).filter((n) => n % 41 > 0);
  const inSmall = Array.from({ length: total }, (_, n) => n).filter((n) => n % 41 === 0);

  it.each(["sent", "text"])("costs the page in the order of the indexed field %s", async (field) => {
    const newest = await messages("big", `order: {desc: ${field}}, first: 10`);
    expect(newest.sent).toEqual(inBig.slice(-10).reverse());
    expect(newest.touched).toBeLessThan(200);
    const second = await messages("big", `order: {asc: ${field}}, first: 10, offset: 20`);
    expect(second.sent).toEqual(inBig.slice(20, 30));
    expect(second.touched).toBeLessThan(300);
  });

  it("touches few partners under a condition that most satisfy", async () => {
    const { sent, touched } = await messages("big", "filter: {size: {ge: 10}}, order: {desc: sent}, first: 10");
    expect(sent).toEqual(
      inBig
        .filter((n) => n % 100 >= 10)
        .slice(-10)
        .reverse(),
    );
    expect(touched).toBeLessThan(500);
  });

  it("touches no more than the partners of a room whose messages are few among all", async () => {
    const { sent, touched } = await messages("small", "order: {desc: text}, first: 10");
    expect(sent).toEqual(inSmall.slice(-10).reverse());
    expect(touched).toBeLessThan(2 * rooms.small);
  });
});
