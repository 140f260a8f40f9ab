// Random questions about a random graph, answered by the kernel and, plainly and slowly, by a walk over the seed itself.

import { describe, expect, it } from "vitest";
import fc from "../support/properties.ts";
import { deploy, type TestApi } from "./harness.ts";

const schema = `
  type Author { tag: Int! @id  name: String @search(by: [exact])  age: Int @search  posts: [Post] @hasInverse(field: author) @search  best: Post @search  friends: [Author] @hasInverse(field: friends) @search }
  type Post { tag: Int! @id  name: String @search(by: [exact])  age: Int @search  author: Author @search  quotes: [Post] @search }
`;
const targets = {
  Author: { posts: "Post", best: "Post", friends: "Author" },
  Post: { author: "Author", quotes: "Post" },
} as const;
type TypeName = keyof typeof targets;
const singles = new Set(["best", "author"]);

interface Thing {
  readonly tag: number;
  readonly type: TypeName;
  readonly name: string | undefined;
  readonly age: number | undefined;
  readonly links: Record<string, Set<Thing>>;
}

interface Ask {
  readonly filter: Filter | undefined;
  /** `through`: of the object that this link leads to; of a link to many: by their number. */
  readonly order: { readonly key: "name" | "age"; readonly direction: "asc" | "desc"; readonly through: string | undefined } | undefined;
  readonly first: number | undefined;
  readonly offset: number | undefined;
  readonly cascade: boolean;
  readonly values: readonly ("name" | "age" | "tag")[];
  readonly links: readonly { readonly field: string; readonly ask: Ask }[];
}
type Filter =
  | { readonly kind: "age"; readonly least: number }
  | { readonly kind: "name"; readonly text: string }
  | { readonly kind: "tags"; readonly tags: readonly number[] }
  | { readonly kind: "has"; readonly field: string }
  | { readonly kind: "link"; readonly field: string; readonly which: "some" | "every" | "none"; readonly of: Filter }
  | { readonly kind: "count"; readonly field: string; readonly op: "eq" | "lt" | "ge"; readonly count: number }
  | { readonly kind: "not"; readonly of: Filter }
  | { readonly kind: "or"; readonly of: readonly [Filter, Filter] };

// ---- random graphs and questions --------------------------------------------------------------------------------------

const names = ["", "a", "B", "é", "🛥", "\uffff"];
const things = (type: TypeName, from: number) =>
  fc
    .array(
      fc.record({
        name: fc.option(fc.constantFrom(...names), { nil: undefined }),
        age: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 8 },
    )
    .map((list) => list.map((each, i): Thing => ({ ...each, tag: from + i, type, links: {} })));
const pairs = fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 14 });

const graphs = fc
  .record({ authors: things("Author", 0), posts: things("Post", 100), posted: pairs, best: pairs, friends: pairs, quotes: pairs })
  .map((raw) => {
    // Fresh ones each time: the generator keeps its values while it looks for a smaller counterexample.
    const [authors, posts] = [raw.authors, raw.posts].map((list) => list.map((each): Thing => ({ ...each, links: {} }))) as [Thing[], Thing[]];
    const author = (i: number) => authors[i % authors.length] as Thing;
    const post = (i: number) => posts[i % posts.length] as Thing;
    const add = (from: Thing, field: string, to: Thing) => {
      from.links[field] ??= new Set();
      from.links[field].add(to);
    };
    for (const [a, p] of raw.posted) {
      if (post(p).links.author) continue;
      add(author(a), "posts", post(p));
      add(post(p), "author", author(a));
    }
    for (const [a, p] of raw.best) if (!author(a).links.best) add(author(a), "best", post(p));
    for (const [a, b] of raw.friends) {
      add(author(a), "friends", author(b));
      add(author(b), "friends", author(a));
    }
    for (const [a, b] of raw.quotes) add(post(a), "quotes", post(b));
    return [...authors, ...posts];
  });

const linkFilterOf = (type: TypeName, depth: number): fc.Arbitrary<Filter> =>
  fc
    .record({
      field: fc.constantFrom(...Object.keys(targets[type])),
      which: fc.constantFrom("some" as const, "every" as const, "none" as const, "count" as const),
      op: fc.constantFrom("eq" as const, "lt" as const, "ge" as const),
      count: fc.integer({ min: -1, max: 4 }),
    })
    .chain(({ field, which, op, count }): fc.Arbitrary<Filter> => {
      if (which === "count" && !singles.has(field)) return fc.constant({ kind: "count", field, op, count });
      const quantifier = which === "count" || singles.has(field) ? "some" : which;
      return filterOf(targetOf(type, field), depth - 1).map((of) => ({ kind: "link", field, which: quantifier, of }));
    });

const filterOf = (type: TypeName, depth = 2): fc.Arbitrary<Filter> =>
  fc.oneof(
    fc.record({ kind: fc.constant("age" as const), least: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ kind: fc.constant("name" as const), text: fc.constantFrom(...names) }),
    fc.record({ kind: fc.constant("tags" as const), tags: fc.subarray([0, 1, 2, 3, 100, 101, 102]) }),
    fc.record({ kind: fc.constant("has" as const), field: fc.constantFrom("age", "name", ...Object.keys(targets[type])) }),
    ...(depth === 0
      ? []
      : [
          filterOf(type, depth - 1).map((of): Filter => ({ kind: "not", of })),
          linkFilterOf(type, depth),
          fc.tuple(filterOf(type, depth - 1), filterOf(type, depth - 1)).map((of): Filter => ({ kind: "or", of })),
        ]),
  );

const askOf = (type: TypeName, depth: number): fc.Arbitrary<Ask> =>
  fc.record({
    filter: fc.option(filterOf(type), { nil: undefined }),
    order: fc.option(
      fc.record({
        key: fc.constantFrom("name" as const, "age" as const),
        direction: fc.constantFrom("asc" as const, "desc" as const),
        through: fc.option(fc.constantFrom(...Object.keys(targets[type])), { nil: undefined }),
      }),
      { nil: undefined },
    ),
    first: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
    offset: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
    cascade: fc.boolean(),
    values: fc.subarray(["tag", "name", "age"] as const, { minLength: 1 }),
    links:
      depth === 0
        ? fc.constant([])
        : fc
            .subarray(Object.keys(targets[type]))
            .chain((fields) => fc.tuple(...fields.map((field) => askOf(targetOf(type, field), depth - 1).map((ask) => ({ field, ask }))))),
  });

function targetOf(type: TypeName, field: string): TypeName {
  return (targets[type] as Record<string, TypeName>)[field] ?? type;
}

// ---- as GraphQL -------------------------------------------------------------------------------------------------------

function textOf(ask: Ask, { isSingle }: { readonly isSingle: boolean }): string {
  const args = [
    ...(ask.filter ? [`filter: ${filterText(ask.filter)}`] : []),
    ...(ask.order && !isSingle ? [`order: ${orderText(ask.order)}`] : []),
    ...(ask.first !== undefined && !isSingle ? [`first: ${ask.first}`] : []),
    ...(ask.offset !== undefined && !isSingle ? [`offset: ${ask.offset}`] : []),
  ];
  const links = ask.links.map(({ field, ask: inner }) => `${field}${textOf(inner, { isSingle: singles.has(field) })}`);
  return `${args.length > 0 ? `(${args.join(", ")})` : ""}${ask.cascade ? " @cascade" : ""} { ${[...ask.values, ...links].join(" ")} }`;
}

function orderText({ key, direction, through }: NonNullable<Ask["order"]>): string {
  if (through === undefined) return `{${direction}: ${key}}`;
  return `{${through}: {${direction}: ${singles.has(through) ? key : "count"}}}`;
}

function filterText(filter: Filter): string {
  switch (filter.kind) {
    case "age":
      return `{age: {ge: ${filter.least}}}`;
    case "name":
      return `{name: {eq: ${JSON.stringify(filter.text)}}}`;
    case "tags":
      return `{tag: {in: [${filter.tags.join(", ")}]}}`;
    case "has":
      return `{has: ${filter.field}}`;
    case "link":
      return singles.has(filter.field)
        ? `{${filter.field}: ${filterText(filter.of)}}`
        : `{${filter.field}: {${filter.which}: ${filterText(filter.of)}}}`;
    case "count":
      return `{${filter.field}: {count: {${filter.op}: ${filter.count}}}}`;
    case "not":
      return `{not: ${filterText(filter.of)}}`;
    case "or":
      return `{or: [${filter.of.map(filterText).join(", ")}]}`;
  }
}

// ---- plainly ----------------------------------------------------------------------------------------------------------

type Plain = Record<string, unknown>;

interface Inherited {
  readonly cascade: boolean;
}

/** The answer, and the things it shows: those that pass, in order, cut. */
function plainList(from: readonly Thing[], ask: Ask, inherited: Inherited): readonly Plain[] {
  const cascade = ask.cascade || inherited.cascade;
  const passing = from
    .filter((each) => !ask.filter || passes(each, ask.filter))
    .map((thing) => ({ thing, shown: plainObject(thing, ask, { cascade }) }))
    .filter(({ shown }) => !cascade || isComplete(shown));
  const sorted = passing.sort((a, b) => compare(a.thing, b.thing, ask.order));
  const offset = ask.offset ?? 0;
  return sorted.slice(offset, ask.first ? offset + ask.first : undefined).map(({ shown }) => shown);
}

function plainObject(thing: Thing, ask: Ask, inherited: Inherited): Plain {
  const values = ask.values.map((key) => [key, thing[key] ?? null] as const);
  const links = ask.links.map(({ field, ask: inner }) => {
    const partners = [...(thing.links[field] ?? [])];
    const isSingle = singles.has(field);
    const list = plainList(partners, isSingle ? { ...inner, order: undefined, first: undefined, offset: undefined } : inner, inherited);
    return [field, isSingle ? (list[0] ?? null) : list] as const;
  });
  return Object.fromEntries([...values, ...links]);
}

function isComplete(shown: Plain): boolean {
  return Object.values(shown).every((value) => value !== null && !(Array.isArray(value) && value.length === 0));
}

function passes(thing: Thing, filter: Filter): boolean {
  switch (filter.kind) {
    case "age":
      return thing.age !== undefined && thing.age >= filter.least;
    case "name":
      return thing.name === filter.text;
    case "tags":
      return filter.tags.includes(thing.tag);
    case "has":
      return filter.field === "age" || filter.field === "name" ? thing[filter.field] !== undefined : (thing.links[filter.field]?.size ?? 0) > 0;
    case "link": {
      const partners = [...(thing.links[filter.field] ?? [])];
      if (filter.which === "every") return partners.every((each) => passes(each, filter.of));
      return partners.some((each) => passes(each, filter.of)) === (filter.which === "some");
    }
    case "count": {
      const count = thing.links[filter.field]?.size ?? 0;
      return { eq: count === filter.count, lt: count < filter.count, ge: count >= filter.count }[filter.op];
    }
    case "not":
      return !passes(thing, filter.of);
    case "or":
      return filter.of.some((each) => passes(thing, each));
  }
}

function sortValue(thing: Thing, { key, through }: NonNullable<Ask["order"]>): number | string | undefined {
  if (through === undefined) return thing[key];
  const partners = [...(thing.links[through] ?? [])];
  return singles.has(through) ? partners[0]?.[key] : partners.length;
}

function compare(a: Thing, b: Thing, order: Ask["order"]): number {
  if (order) {
    const [x, y] = [sortValue(a, order), sortValue(b, order)];
    if (x === undefined || y === undefined) return x === y ? a.tag - b.tag : x === undefined ? 1 : -1;
    const outcome = typeof x === "number" && typeof y === "number" ? x - y : Buffer.compare(Buffer.from(String(x)), Buffer.from(String(y)));
    if (outcome !== 0) return order.direction === "asc" ? outcome : -outcome;
  }
  return a.tag - b.tag;
}

async function store(graph: readonly Thing[], api: TestApi): Promise<void> {
  const linked = new Set(["best", "posts", "friends", "quotes"]);
  const seeds = graph.map(({ tag, type, name, age, links }) => {
    const partners = Object.entries(links).filter(([field]) => linked.has(field));
    const values = { tag, ...(name === undefined ? {} : { name }), ...(age === undefined ? {} : { age }) };
    return [
      String(tag),
      [type, { ...values, ...Object.fromEntries(partners.map(([field, to]) => [field, [...to].map((each) => String(each.tag))])) }] as const,
    ] as const;
  });
  await api.storage.erase({ kind: "data" });
  await api.seed(Object.fromEntries(seeds));
}

describe("any query on any graph", () => {
  it("has the same answer as a naive walk over the data", async () => {
    const api = await deploy(schema);
    const question = fc.constantFrom<TypeName>("Author", "Post").chain((type) => askOf(type, 3).map((ask) => ({ type, ask })));
    await fc.assert(
      fc.asyncProperty(graphs, fc.array(question, { minLength: 1, maxLength: 8 }), async (graph, questions) => {
        await store(graph, api);
        for (const { type, ask } of questions) {
          const expected = plainList(
            graph.filter((each) => each.type === type),
            ask,
            { cascade: false },
          );
          expect(await api.ask(`{ query${type}${textOf(ask, { isSingle: false })} }`)).toEqual({ data: { [`query${type}`]: expected } });
        }
      }),
      { numRuns: 60 },
    );
  }, 300_000);
});
