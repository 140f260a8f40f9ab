// `@index(fields:)`: pages, ranges and measures of a group cost what they return, and say the same as without the index.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { QuernError } from "../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { workMeter } from "../../support/work-meter.ts";

const meter = workMeter();
const items = 12_000;
const index = '@index(fields: ["group", "size"]) @index(fields: ["shop", "kind", "name"])';
const schemaOf = (directives: string) => `
  interface Thing ${directives} {
    name: String! @id
    group: String @search(by: [hash])
    kind: Kind @search(by: [hash])
    shop: String @search(by: [hash])
    size: Int @search
    weight: Float @search
  }
  type Item implements Thing { note: String @search(by: [term]) }
  type Part implements Thing { note: String }
  enum Kind { NEW OLD }
`;

const nameOf = (n: number) => `item ${String(n).padStart(6, "0")}`;
/** Every twentieth is in the group "g0". Every seventh has no size. */
const itemAt = (i: number) => {
  const n = (i * 7_919) % items;
  const sized = n % 7 === 0 ? {} : { size: n % 500, weight: (n % 500) / 8 };
  const group = n % 20 === 0 ? "g0" : `g${n % 1_000}`;
  return { name: nameOf(n), group, kind: n % 2 === 0 ? "NEW" : "OLD", shop: `s${n % 5}`, ...sized };
};

const questions = [
  '{ queryItem(filter: {group: {eq: "g0"}}, order: {asc: size}, first: 5) { name size } }',
  '{ queryItem(filter: {group: {eq: "g0"}}, order: {desc: size}, first: 5, offset: 20) { name size } }',
  '{ queryItem(filter: {group: {eq: "g0"}, size: {between: {min: 100, max: 102}}}, order: {desc: size, then: {asc: name}}) { name size } }',
  '{ queryItem(filter: {group: {eq: "g0"}, size: {lt: 2}}) { name size } }',
  '{ queryItem(filter: {group: {eq: "g77"}}, order: {asc: size}) { name size } }',
  '{ queryItem(filter: {group: {eq: "g0"}, and: [{kind: {eq: NEW}}, {not: {size: {eq: 6}}}]}, order: {asc: size}, first: 7) { name size } }',
  '{ queryThing(filter: {shop: {eq: "s3"}, kind: {eq: OLD}}, order: {desc: name}, first: 4) { name } }',
  '{ queryPart(filter: {group: {eq: "g0"}}, order: {asc: size}, first: 3) { name } }',
  '{ aggregateItem(filter: {group: {eq: "g0"}}) { count sizeMin sizeMax sizeSum sizeAvg } }',
  '{ aggregateItem(filter: {group: {eq: "g0"}, size: {ge: 490}}) { count sizeMin sizeMax } }',
  '{ aggregateItem(filter: {group: {eq: "g0"}}) { count weightMin weightMax } }',
];

let plain: TemporaryKernel;
let indexed: TemporaryKernel;

async function ask({ kernel }: TemporaryKernel, query: string, variables: Record<string, unknown> = {}) {
  const { data, errors } = JSON.parse((await kernel.execute({ query, variables })).body);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

async function filled(schema: string): Promise<TemporaryKernel> {
  const stack = await temporaryKernel({ metrics: meter.metrics, debug: true });
  await stack.kernel.deploy(schema);
  const query = "mutation ($input: [AddItemInput!]!) { addItem(input: $input) { numUids } }";
  const parts = "mutation ($input: [AddPartInput!]!) { addPart(input: $input) { numUids } }";
  for (let i = 0; i < items; i += 2_000) await ask(stack, query, { input: Array.from({ length: 2_000 }, (_, k) => itemAt(i + k)) });
  await ask(stack, parts, { input: Array.from({ length: 30 }, (_, n) => ({ ...itemAt(n), name: `part ${n}` })) });
  return stack;
}

beforeAll(async () => {
  [plain, indexed] = [await filled(schemaOf("")), await filled(schemaOf(index))];
}, 120_000);
afterAll(async () => {
  await plain?.remove();
  await indexed?.remove();
});

describe("an index over several fields", () => {
  it.each(questions)("answers as without it: %s", async (query) => {
    const expected = await ask(plain, query);
    expect(Object.values(expected)[0]).not.toEqual([]);
    expect(await ask(indexed, query)).toEqual(expected);
  });

  it("makes a page of a large group cost what it shows, in both directions and behind an offset", async () => {
    for (const query of questions.slice(0, 2)) {
      await ask(indexed, query);
      expect(meter.touched()).toBeLessThan(60);
    }
  });

  it("reads only the range of a group, with an order and without", async () => {
    const [, , within, few] = questions;
    for (const query of [within, few]) {
      const { queryItem } = await ask(indexed, query ?? "");
      expect(meter.touched()).toBeLessThan(queryItem.length * 4 + 20);
    }
  });

  it("shows those without a value last, also of a page that begins among them", async () => {
    const of = (page: string) => `{ queryItem(filter: {group: {eq: "g0"}}, order: {asc: size}, ${page}) { name size } }`;
    const total = (await ask(plain, '{ aggregateItem(filter: {group: {eq: "g0"}, size: {ge: 0}}) { count } }')).aggregateItem.count;
    for (const page of [`first: 6, offset: ${total - 3}`, `first: 6, offset: ${total + 3}`, "first: 4, offset: 100000"])
      expect(await ask(indexed, of(page))).toEqual(await ask(plain, of(page)));
  });

  it("is named in the plan of a query that it serves, and in no other", async () => {
    const planOf = async (query: string) => {
      const body = Buffer.from(JSON.stringify({ query, extensions: { plan: true } }));
      const answer = await indexed.kernel.http({ method: "POST", url: "/graphql", headers: { "content-type": "application/json" }, body });
      return JSON.parse(String(answer.body)).extensions.plan.join("\n");
    };
    expect(await planOf(questions[0] ?? "")).toContain("from the index Thing.size within Thing.group");
    expect(await planOf('{ queryItem(filter: {group: {in: ["g0", "g1"]}}, order: {asc: size}, first: 1) { name } }')).toContain("from the index");
    const seventeen = JSON.stringify(Array.from({ length: 17 }, (_, i) => `g${i}`));
    expect(await planOf(`{ queryItem(filter: {group: {in: ${seventeen}}}, order: {asc: size}, first: 1) { name } }`)).not.toContain("from the index");
    expect(await planOf('{ queryItem(filter: {group: {eq: "g0"}}, order: {asc: name}, first: 1) { name } }')).not.toContain("from the index");
  });

  it("follows what changes: a value, a group, an object that goes", async () => {
    const first = '{ queryItem(filter: {group: {eq: "g0"}}, order: {desc: size}, first: 3) { name size } }';
    for (const stack of [plain, indexed]) {
      await ask(stack, `mutation { updateItem(input: {filter: {name: {eq: "${nameOf(20)}"}}, set: {size: 900}}) { numUids } }`);
      await ask(stack, `mutation { updateItem(input: {filter: {name: {eq: "${nameOf(40)}"}}, set: {size: 901, group: "g1"}}) { numUids } }`);
      await ask(stack, `mutation { updateItem(input: {filter: {name: {eq: "${nameOf(60)}"}}, remove: {size: null}}) { numUids } }`);
      await ask(stack, `mutation { deleteItem(filter: {name: {eq: "${nameOf(80)}"}}) { numUids } }`);
    }
    const { queryItem } = await ask(indexed, first);
    expect(queryItem[0]).toEqual({ name: nameOf(20), size: 900 });
    expect(queryItem).toEqual((await ask(plain, first)).queryItem);
    expect((await indexed.kernel.storage.verify()).faults).toEqual([]);
  });

  it("comes and goes with a deploy over the data, which stay as they are", async () => {
    await indexed.kernel.deploy(schemaOf(""));
    const [first = ""] = questions;
    const before = await ask(indexed, first);
    const steps = new Set<string>();
    await indexed.kernel.deploy(schemaOf(index), { progress: ({ what }) => steps.add(what) });
    expect([...steps].join()).toContain("Thing.size within Thing.group");
    expect(await ask(indexed, first)).toEqual(before);
    expect(meter.touched()).toBeLessThan(60);
    expect((await indexed.kernel.storage.verify()).faults).toEqual([]);
  });

  it("changes nothing of the API but its own definition", async () => {
    const apis = [schemaOf(""), schemaOf(index)].map((schema) => plain.kernel.compare(schema));
    expect(await Promise.all(apis.map(async (compared) => (await compared).api))).toEqual([[], []]);
  });
});

describe("@index", () => {
  it.each([
    ['@index(fields: ["a"])', "needs two fields or more"],
    ["@index(fields: [])", "needs two fields or more"],
    ["@index", "takes one argument, fields, a list of names"],
    ['@index(fields: ["a", "sise"])', "names the field sise, which T does not have; did you mean"],
    ['@index(fields: ["a", "size", "a"])', "names the field a twice"],
    ['@index(fields: ["tags", "size"])', "names the field tags, which has not one"],
    ['@index(fields: ["a", "at"])', "names the field at, which has not one"],
    ['@index(fields: ["other", "size"])', "names the field other, which has not one"],
    ['@index(fields: ["id", "size"])', "names the field id, which has not one"],
  ])("is refused with its place and what to write: %s", async (use, text) => {
    const schema = `type T ${use} { id: ID!  a: String  size: Int  tags: [String]  at: Point  other: T }`;
    const refused = await plain.kernel.compare(schema).catch((thrown: QuernError) => thrown);
    const [error] = refused instanceof QuernError ? refused.errors : [];
    expect(error?.message).toContain(text);
    expect(error?.hint).toContain('Write @index(fields: ["section", "size"])');
    expect(error?.locations).toHaveLength(1);
  });
});
