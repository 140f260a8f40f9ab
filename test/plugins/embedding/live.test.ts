// A subscription to the nearest: which commits must wake it, and which must not.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Live, liveApi } from "../../support/live-clients.ts";

const schema = `
  type Shade @withSubscription { code: String! @id  price: Int @search  colour: [Float!] @embedding @search(by: ["hnsw"]) }
`;
const nearest = "subscription { queryShade(near: {by: colour, vector: [0, 0], topK: 2}, filter: {price: {lt: 10}}) { code vector_distance } }";
const add = (code: string, colour: string, price = 1) =>
  `mutation { addShade(input: [{code: "${code}", colour: ${colour}, price: ${price}}], upsert: true) { numUids } }`;

let api: Live & { remove(): Promise<void> };
beforeAll(async () => {
  api = await liveApi(schema);
});
afterAll(() => api.remove());

describe("a subscription with near", () => {
  it("follows objects that come near, move away, start to match, and go", async () => {
    await api.change(add("a", "[1, 0]"), add("b", "[2, 0]"), add("c", "[3, 0]"));
    const client = await api.watch(nearest);
    const shown = (...rows: readonly (readonly [string, number])[]) => ({
      queryShade: rows.map(([code, vector_distance]) => ({ code, vector_distance })),
    });
    expect(client.data).toEqual([shown(["a", 1], ["b", 2])]);
    await api.change(add("d", "[0.5, 0]"));
    expect(client.data.at(-1)).toEqual(shown(["d", 0.5], ["a", 1]));
    await api.change(add("d", "[9, 0]"));
    expect(client.data.at(-1)).toEqual(shown(["a", 1], ["b", 2]));
    await api.change(add("c", "[1.5, 0]"));
    expect(client.data.at(-1)).toEqual(shown(["a", 1], ["c", 1.5]));
    await api.change(add("e", "[0.25, 0]", 99), add("e", "[0.25, 0]", 9));
    expect(client.data.at(-1)).toEqual(shown(["e", 0.25], ["a", 1]));
    await api.change(`mutation { deleteShade(filter: {code: {in: ["a", "e"]}}) { numUids } }`);
    expect(client.data.at(-1)).toEqual(shown(["c", 1.5], ["b", 2]));
    const before = client.data.length;
    await api.change(add("far", "[50, 0]"), `mutation { addShade(input: [{code: "none"}]) { numUids } }`);
    expect(client.data.length).toBe(before);
  });

  it("does not offer similarity queries", async () => {
    const refused = await api.watch("subscription { querySimilarShadeByEmbedding(by: colour, vector: [0, 0], topK: 1) { code } }");
    expect(refused.ending).toMatchObject({ kind: "refused" });
  });
});
