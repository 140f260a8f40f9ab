// What an index over two fields saves: nodes that a request looks at, counted with the index and without it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { workMeter } from "../../support/work-meter.ts";

const nodes = 20_000;
const fields = "id: ID!  group: String @search(by: [hash])  size: Int @search  code: String";
const meter = workMeter();
let stack: TemporaryKernel;

beforeAll(async () => {
  stack = await temporaryKernel({ metrics: meter.metrics });
  await stack.kernel.deploy(`type Plain { ${fields} } type Indexed @index(fields: ["group", "size"]) { ${fields} }`);
  for (const type of ["Plain", "Indexed"]) {
    const query = `mutation ($input: [Add${type}Input!]!) { add${type}(input: $input) { numUids } }`;
    for (let start = 0; start < nodes; start += 2_000) {
      // Two hundred groups of a hundred nodes, spread over all; one of ten thousand.
      const input = Array.from({ length: 2_000 }, (_, i) => {
        const n = ((start + i) * 7_919) % nodes;
        return { group: n % 2 === 0 ? "large" : `g${(n >> 1) % 100}`, size: n % 3 === 0 ? null : n, code: String(n) };
      });
      await stack.kernel.execute({ query, variables: { input } });
    }
  }
}, 120_000);
afterAll(() => stack?.remove());

async function touchedBy(query: string): Promise<number> {
  const { data, errors } = JSON.parse((await stack.kernel.execute({ query })).body);
  expect(errors).toBeUndefined();
  expect(Object.values(data)[0]).not.toEqual([]);
  return meter.touched();
}

describe("an index over two fields", () => {
  it.each([
    ["a page of a group in order", '{ queryTYPE(filter: {group: {eq: "g7"}}, order: {desc: size}, first: 10) { code } }', 40],
    ["a range of a group", '{ queryTYPE(filter: {group: {eq: "large"}, size: {between: {min: 100, max: 120}}}) { code } }', 60],
    ["the last page of a group", '{ queryTYPE(filter: {group: {eq: "g7"}}, order: {asc: size}, first: 10, offset: 95) { code } }', 120],
    ["a page of several groups", '{ queryTYPE(filter: {group: {in: ["g7", "large", "g3"]}}, order: {desc: size}, first: 10) { code } }', 100],
    [
      "a page behind a place of a large group",
      '{ queryTYPE(filter: {group: {eq: "large"}, size: {gt: 12000}}, order: {asc: size}, first: 10) { code } }',
      40,
    ],
  ])("has %s cost what it shows", async (_, query, most) => {
    expect(await touchedBy(query.replace("TYPE", "Indexed"))).toBeLessThan(most);
  });

  it("has a page of a scattered group cost a tenth", async () => {
    const query = '{ queryTYPE(filter: {group: {eq: "g7"}}, order: {desc: size}, first: 3) { code } }';
    const [without, withIndex] = [await touchedBy(query.replace("TYPE", "Plain")), await touchedBy(query.replace("TYPE", "Indexed"))];
    expect(without).toBeGreaterThan(withIndex * 10);
  });

  it("is left where another condition names few nodes", async () => {
    const query = '{ queryIndexed(filter: {group: {eq: "large"}, id: ["0x1"]}, order: {asc: size}, first: 10) { code } }';
    await stack.kernel.execute({ query });
    expect(meter.touched()).toBeLessThan(10);
  });
});
