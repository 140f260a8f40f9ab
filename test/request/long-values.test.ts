// Long values: what is refused, with which numbers, and what is still done with longer ones that are stored.

import { expect, it } from "vitest";
import { bulkWriter } from "../../adapters/transfer/index.ts";
import { type Limits, parseJson } from "../../core/index.ts";
import { queryDql } from "../../plugins/dql/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

interface Answer {
  readonly errors?: readonly { readonly message: string; readonly extensions?: unknown }[];
  readonly data?: unknown;
}
type Ask = (query: string, variables?: Record<string, unknown>) => Promise<Answer>;

const schema = `
  type Mill {
    id: ID!
    name: String! @id
    about: String @search(by: [term, fulltext])
    code: String @search(by: [regexp])
    tags: [String] @search(by: [term])
    note: String @default(add: { value: "made by the default" })
    ground: Polygon @search
  }`;
const add = "mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }";
const added = { data: { addMill: { numUids: 1 } } };

function asking({ kernel }: TemporaryKernel): Ask {
  return async (query, variables = {}) => {
    const { data, errors } = parseJson((await kernel.execute({ query, variables })).body) as Answer;
    return errors ? { errors } : { data };
  };
}

async function withLimits(limits: Partial<Limits>, use: (ask: Ask, opened: TemporaryKernel) => Promise<void>): Promise<void> {
  const opened = await temporaryKernel({ limits, extensions: false });
  try {
    await opened.kernel.deploy(schema);
    await use(asking(opened), opened);
  } finally {
    await opened.remove();
  }
}

const refusal = (...parts: readonly string[]) => ({
  errors: [
    expect.objectContaining({ message: expect.stringMatching(new RegExp(parts.map((each) => each.replace(/[.$[\]()]/g, "\\$&")).join(".*"))) }),
  ],
});
const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(" ");

it("refuses a longer text in a variable, and names its place, its length, the limit and the setting", () =>
  withLimits({ maxValueCharacters: 20 }, async (ask) => {
    const fits = "x".repeat(20);
    expect(await ask(add, { input: [{ name: "a", about: fits, note: "" }] })).toEqual(added);
    const message = "The text of $input[1].about has 21 characters; at most 20 are allowed (limits.maxValueCharacters). Send less, or in parts.";
    expect((await ask(add, { input: [{ name: "b" }, { name: "c", about: `${fits}x` }] })).errors?.[0]?.message).toBe(message);
    expect(await ask("{ queryMill { name } }")).toEqual({ data: { queryMill: [{ name: "a" }] } });
  }));

it("counts UTF-16 units, as JavaScript does", () =>
  withLimits({ maxValueCharacters: 20 }, async (ask) => {
    expect(await ask(add, { input: [{ name: "a", about: "😀".repeat(10), note: "" }] })).toEqual(added);
    expect(await ask(add, { input: [{ name: "b", about: "😀".repeat(11), note: "" }] })).toEqual(refusal("has 22 characters"));
  }));

it("refuses a longer literal, element of a list, key and operand", () =>
  withLimits({ maxValueCharacters: 20 }, async (ask) => {
    const long = "x".repeat(21);
    expect(await ask(`mutation { addMill(input: [{name: "${long}"}]) { numUids } }`)).toEqual(refusal("input.name has 21"));
    expect(await ask(add, { input: [{ name: "a", tags: ["short", long] }] })).toEqual(refusal("$input[0].tags[1] has 21"));
    expect(await ask("query ($name: String!) { getMill(name: $name) { name } }", { name: long })).toEqual(refusal("$name has 21"));
    const filter = { about: { anyofterms: long } };
    expect(await ask("query ($filter: MillFilter) { queryMill(filter: $filter) { name } }", { filter })).toEqual(
      refusal("$filter.about.anyofterms has 21"),
    );
  }));

it("refuses a longer value that a plugin gives, and names its field", () =>
  withLimits({ maxValueCharacters: 18 }, async (ask) => {
    expect(await ask(add, { input: [{ name: "a", note: "given" }] })).toEqual(added);
    expect(await ask(add, { input: [{ name: "b" }] })).toEqual(refusal("Mill.note has 19 characters; at most 18"));
  }));

it("counts the distinct tokens of each index, not how often they come", () =>
  withLimits({ maxTokensPerValue: 100 }, async (ask) => {
    expect(await ask(add, { input: [{ name: "a", tags: [words(100)], about: "the same ".repeat(500) }] })).toEqual(added);
    expect(await ask(add, { input: [{ name: "b", tags: ["w", words(101)] }] })).toEqual(
      refusal("Mill.tags in the index Mill.tags/term has 101 tokens", "at most 100", "(limits.maxTokensPerValue)"),
    );
    const set = { about: words(101) };
    expect(await ask("mutation ($set: MillPatch) { updateMill(input: {filter: {}, set: $set}) { numUids } }", { set })).toEqual(
      refusal("Mill.about in the index Mill.about/", "has 101 tokens"),
    );
    expect(await ask("{ queryMill { name about } }")).toEqual({ data: { queryMill: [{ name: "a", about: "the same ".repeat(500) }] } });
  }));

it.each(["anyofterms", "allofterms", "anyoftext", "alloftext"])("bounds the tokens of %s, also under not and or", (operator) =>
  withLimits({ maxTokensPerValue: 100 }, async (ask) => {
    const query = "query ($filter: MillFilter) { queryMill(filter: $filter) { name } }";
    await ask(add, { input: [{ name: "a", about: words(100) }, { name: "b" }] });
    const condition = (count: number) => ({ about: { [operator]: words(count) } });
    const found = { data: { queryMill: [{ name: "a" }] } };
    expect(await ask(query, { filter: condition(100) })).toEqual(found);
    expect(await ask(query, { filter: { not: { not: condition(100) } } })).toEqual(found);
    expect(await ask(query, { filter: { or: [{ name: { eq: "a" } }, condition(100)] } })).toEqual(found);
    expect(await ask(query, { filter: condition(101) })).toEqual(refusal("Mill.about has 101 tokens"));
    expect(await ask(query, { filter: { not: { or: [condition(101)] } } })).toEqual(refusal("Mill.about has 101 tokens"));
  }),
);

it("counts a point of an area as a hundred characters", () =>
  withLimits({ maxValueCharacters: 500 }, async (ask) => {
    const ring = (points: number) =>
      Array.from({ length: points }, (_, i) => ({ longitude: (i % (points - 1)) % 2, latitude: (i % (points - 1)) / 2 }));
    const ground = (points: number) => ({ coordinates: [{ points: ring(points) }] });
    expect(await ask(add, { input: [{ name: "a", ground: ground(5) }] })).toEqual(added);
    expect(await ask(add, { input: [{ name: "b", ground: ground(6) }] })).toEqual(refusal("Mill.ground has 600 characters"));
  }));

it("reads, finds, replaces and removes longer values that are stored", () =>
  withLimits({}, async (_, opened) => {
    const about = words(3_000);
    await asking(opened)(add, {
      input: [
        { name: "a", about, tags: [about] },
        { name: "b", about },
      ],
    });
    const restarted = await opened.restart({ limits: { maxValueCharacters: 30, maxTokensPerValue: 10 }, extensions: false });
    const ask = asking(restarted);
    try {
      const found = `{ queryMill(filter: {about: {allofterms: "w7 w2999"}}, order: {asc: name}) { name about } }`;
      expect(await ask(found)).toEqual({ data: { queryMill: ["a", "b"].map((name) => ({ name, about })) } });
      expect(await ask(`mutation { updateMill(input: {filter: {name: {eq: "a"}}, set: {about: "w7", tags: ["more"]}}) { numUids } }`)).toEqual({
        data: { updateMill: { numUids: 1 } },
      });
      expect(await ask(`mutation { deleteMill(filter: {name: {eq: "b"}}) { numUids } }`)).toEqual({ data: { deleteMill: { numUids: 1 } } });
      expect(await ask(`{ queryMill(filter: {about: {anyofterms: "w7 w2999"}}) { name about tags } }`)).toEqual({
        data: { queryMill: [{ name: "a", about: "w7", tags: [about, "more"] }] },
      });
      expect(await ask(`{ queryMill(filter: {about: {anyofterms: "w2999"}}) { name } }`)).toEqual({ data: { queryMill: [] } });
    } finally {
      await restarted.kernel.close();
    }
  }));

it("bounds arguments in DQL", () =>
  withLimits({ maxValueCharacters: 1_000, maxTokensPerValue: 100 }, async (ask, { kernel }) => {
    await ask(add, { input: [{ name: "a", about: words(100) }] });
    const mills = (text: string) => queryDql(kernel, `{ mills(func: anyofterms(Mill.about, "${text}")) { Mill.name } }`);
    expect(await mills(words(100))).toEqual({ mills: [{ "Mill.name": "a" }] });
    await expect(mills(words(101))).rejects.toMatchObject({ code: "LIMIT_REACHED", message: expect.stringContaining("101 tokens") });
    await expect(mills("w1 ".repeat(400))).rejects.toMatchObject({ code: "LIMIT_REACHED", message: expect.stringContaining("1200 characters") });
  }));

it("leaves a long text of a bulk load to the mutation, which judges it", () =>
  withLimits({ maxTokensPerValue: 100 }, async (_, { kernel }) => {
    await kernel.deploy("type Mast { name: String! @id  about: String @search(by: [term]) }");
    const writer = bulkWriter(kernel, "Mast");
    expect(await writer?.create([{ name: "a", about: "short" }])).toBe(true);
    expect(await writer?.create([{ name: "b", about: words(101) }])).toBe(false);
  }));

it("refuses a regular expression of too many characters or steps, and compiles one of many", () =>
  withLimits({}, async (ask) => {
    await ask(add, { input: [{ name: "a", code: "ab1f" }] });
    const query = "query ($regexp: String) { queryMill(filter: {code: {regexp: $regexp}}) { name } }";
    const alternatives = (count: number) => `/${Array.from({ length: count }, (_, i) => `ab${i.toString(36)}`).join("|")}/`;
    expect(await ask(query, { regexp: alternatives(1_000) })).toEqual({ data: { queryMill: [{ name: "a" }] } });
    expect(await ask(query, { regexp: alternatives(20_000) })).toEqual(refusal("too large", "characters; at most 10000"));
    expect(await ask(query, { regexp: `/(${"a{100}".repeat(10)}){11}/` })).toEqual(refusal("too large", "steps; at most 10000"));
  }));
