// Pages of long lists of many to many: a storage need not read the whole list, and must return the same as if it did.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

const schema = `
  interface Thing { id: ID!  name: String! @id(interface: true) @search(by: [exact])  size: Int @search  even: Boolean @search  rank: Int @search  tags: [Tag] @hasInverse(field: things) @search }
  type Book implements Thing { pages: Int }
  type Disc implements Thing { tracks: Int }
  type Tag @paged { id: ID!  name: String! @id @search(by: [exact])  things: [Thing] @paged  books: [Book]  oneWay: [Book]  mixed: [Either] }
  union Either = Book | Disc`;

interface Thing {
  readonly type: "Book" | "Disc";
  readonly name: string;
  readonly size?: number;
  readonly even: boolean;
  readonly rank: number;
  readonly tags: readonly string[];
}

const things: readonly Thing[] = Array.from({ length: 1_400 }, (_, i) => ({
  type: i < 1_000 ? "Book" : "Disc",
  name: `n${String((i * 577) % 1_400).padStart(4, "0")}`,
  ...(i % 11 > 0 && { size: i }),
  even: i % 2 === 0,
  rank: i % 2,
  // Most of all, those with the greatest sizes, three, none.
  tags: [...(i % 10 < 7 ? ["hub"] : []), ...(i >= 700 ? ["great"] : []), ...(i === 5 || i === 900 || i === 1_100 ? ["short"] : [])],
}));

let site: TemporaryKernel;

beforeAll(async () => {
  site = await temporaryKernel();
  await site.kernel.deploy(schema);
  const nodes = (type: string) =>
    things.filter((each) => each.type === type).map(({ type: _, tags, ...rest }) => ({ ...rest, tags: tags.map((name) => ({ name })) }));
  const named = (tag: string, type?: string) => things.filter((each) => each.tags.includes(tag) && (type ?? each.type) === each.type);
  const references = (tag: string) => {
    const books = named(tag, "Book").map(({ name }) => ({ name }));
    const mixed = named(tag).map(({ name, type }) => (type === "Book" ? { bookRef: { name } } : { discRef: { name } }));
    return { name: tag, books, oneWay: books, mixed };
  };
  const input = ["hub", "great", "short", "none"];
  await ask(`mutation ($tags: [AddTagInput!]!) { addTag(input: $tags) { numUids } }`, { tags: input.map((name) => ({ name })) });
  await ask(
    `mutation ($books: [AddBookInput!]!, $discs: [AddDiscInput!]!) { addBook(input: $books) { numUids } addDisc(input: $discs) { numUids } }`,
    {
      books: nodes("Book"),
      discs: nodes("Disc"),
    },
  );
  await ask(`mutation ($tags: [AddTagInput!]!) { addTag(input: $tags, upsert: true) { numUids } }`, { tags: input.map(references) });
}, 120_000);

afterAll(() => site.remove());

async function ask(query: string, variables: object = {}): Promise<Record<string, unknown>> {
  const { data, errors } = JSON.parse((await site.kernel.execute({ query, variables: { ...variables } })).body);
  if (errors) throw new Error(JSON.stringify(errors).slice(0, 1_000));
  return data;
}

interface Wanted {
  readonly tag: string;
  readonly type?: Thing["type"];
  readonly where?: (thing: Thing) => boolean;
  readonly order?: (a: Thing, b: Thing) => number;
  readonly offset?: number;
  readonly first: number;
}

/** Without an order they lie as they were added: books before discs. */
function expected({ tag, type, where = () => true, order = () => 0, offset = 0, first }: Wanted): readonly { name: string }[] {
  const found = things.filter((each) => each.tags.includes(tag) && (type ?? each.type) === each.type && where(each));
  return [...found]
    .sort(order)
    .slice(offset, offset + first)
    .map(({ name }) => ({ name }));
}

const last = Number.MAX_SAFE_INTEGER;
const bySize = (a: Thing, b: Thing) => (a.size ?? last) - (b.size ?? last);
const bySizeDown = (a: Thing, b: Thing) => (b.size ?? -1) - (a.size ?? -1);
const byName = (a: Thing, b: Thing) => (a.name < b.name ? -1 : 1);
const byRankAndSize = (a: Thing, b: Thing) => a.rank - b.rank || bySizeDown(a, b);

const pages: readonly (readonly [args: string, wanted: Omit<Wanted, "tag">])[] = [
  ["first: 3", { first: 3 }],
  ["first: 3, offset: 400", { first: 3, offset: 400 }],
  ["order: { asc: size }, first: 5", { order: bySize, first: 5 }],
  ["order: { desc: size }, first: 5", { order: bySizeDown, first: 5 }],
  ["order: { asc: size }, first: 4, offset: 600", { order: bySize, first: 4, offset: 600 }],
  ["order: { asc: name }, first: 4, offset: 2", { order: byName, first: 4, offset: 2 }],
  ["order: { asc: rank, then: { desc: size } }, first: 6", { order: byRankAndSize, first: 6 }],
  ["filter: { even: true }, first: 4", { where: ({ even }) => even, first: 4 }],
  ["filter: { size: { lt: 20 } }, first: 40", { where: ({ size }) => size !== undefined && size < 20, first: 40 }],
  [
    "filter: { not: { has: size } }, order: { desc: name }, first: 3",
    { where: ({ size }) => size === undefined, order: (a, b) => byName(b, a), first: 3 },
  ],
  ['filter: { tags: { some: { name: { eq: "short" } } } }, first: 3', { where: ({ tags }) => tags.includes("short"), first: 3 }],
];

describe.each(["hub", "great", "short", "none"])("a page of the list of %s", (tag) => {
  it.each(pages)("is the part of the whole list that is asked for, of one type: %s", async (args, wanted) => {
    const answer = await ask(`{ getTag(name: "${tag}") { books(${args}) { name } oneWay(${args}) { name } } }`);
    const books = expected({ ...wanted, tag, type: "Book" });
    expect(answer.getTag).toEqual({ books, oneWay: books });
  });

  it.each(pages)("is the part of the whole list that is asked for, of an interface: %s", async (args, wanted) => {
    const answer = await ask(`{ getTag(name: "${tag}") { things(${args}) { name } } }`);
    expect(answer.getTag).toEqual({ things: expected({ ...wanted, tag }) });
  });

  it("is the part of the whole list that is asked for, of a union", async () => {
    const answer = await ask(`{ getTag(name: "${tag}") { mixed(first: 4, offset: 1) { ... on Book { name } ... on Disc { name } } } }`);
    expect(answer.getTag).toEqual({ mixed: expected({ tag, first: 4, offset: 1 }) });
  });

  it("goes on behind a cursor, and counts all", async () => {
    const page = (args: string) =>
      `things: thingsConnection(order: { asc: size }, first: 2${args}) { totalCount nodes { name } pageInfo { endCursor } }`;
    const { getTag: first } = await ask(`{ getTag(name: "${tag}") { ${page("")} } }`);
    const { things: one } = first as { things: { totalCount: number; nodes: readonly object[]; pageInfo: { endCursor: string | null } } };
    const all = expected({ tag, order: bySize, first: 2_000 });
    expect([one.totalCount, one.nodes]).toEqual([all.length, all.slice(0, 2)]);
    if (one.pageInfo.endCursor === null) return;
    const { getTag: second } = await ask(`{ getTag(name: "${tag}") { ${page(`, after: "${one.pageInfo.endCursor}"`)} } }`);
    expect(second).toMatchObject({ things: { nodes: all.slice(2, 4) } });
  });
});

describe("pages of several lists", () => {
  it.each(pages)("are those of each list: %s", async (args, wanted) => {
    const { queryTag } = await ask(`{ queryTag(order: { asc: name }) { name books(${args}) { name } things(${args}) { name } } }`);
    const of = (tag: string) => ({ name: tag, books: expected({ ...wanted, tag, type: "Book" }), things: expected({ ...wanted, tag }) });
    expect(queryTag).toEqual(["great", "hub", "none", "short"].map(of));
  });

  it("have their totals beside them", async () => {
    const { queryTag } = await ask("{ queryTag(order: { asc: name }) { name booksAggregate { count } thingsAggregate { count } } }");
    const of = (tag: string) => ({
      name: tag,
      booksAggregate: { count: expected({ tag, type: "Book", first: 2_000 }).length },
      thingsAggregate: { count: expected({ tag, first: 2_000 }).length },
    });
    expect(queryTag).toEqual(["great", "hub", "none", "short"].map(of));
  });
});

describe("the least and the greatest of all", () => {
  it("are of the nodes that match, of all types, and null where none has a value", async () => {
    const answer = await ask(`{
      all: aggregateThing { sizeMin sizeMax nameMin nameMax }
      books: aggregateBook(filter: { even: false }) { sizeMax }
      none: aggregateBook(filter: { not: { has: size } }) { sizeMin sizeMax nameMin }
      nobody: aggregateBook(filter: { size: { gt: 5000 } }) { sizeMin }
      counted: aggregateDisc { count sizeMin }
    }`);
    const sizes = things.flatMap(({ size }) => size ?? []);
    const [noneMin] = things
      .filter(({ size, type }) => size === undefined && type === "Book")
      .map(({ name }) => name)
      .sort();
    expect(answer).toEqual({
      all: { sizeMin: Math.min(...sizes), sizeMax: Math.max(...sizes), nameMin: "n0000", nameMax: "n1399" },
      books: { sizeMax: 999 },
      none: { sizeMin: null, sizeMax: null, nameMin: noneMin },
      nobody: { sizeMin: null },
      counted: { count: 400, sizeMin: 1_000 },
    });
  });
});
