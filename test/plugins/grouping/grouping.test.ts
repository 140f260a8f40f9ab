// `@groupBy`: groups of objects, by values, by units of time, by links.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { prepareDeployment, QuernError } from "../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { line, token } from "../auth/token.ts";

const schema = `
  enum Mood { GAY GRIM }
  interface Work @groupBy(fields: ["author", "mood"]) { id: ID!  author: Author  mood: Mood  size: Int }
  type Author @auth(query: { or: [ { rule: "query { queryAuthor(filter: {secret: false}) { handle } }" }, { rule: "{$ROLE: {eq: \\"ADMIN\\"}}" } ] }) {
    handle: String! @id  secret: Boolean! @search  works: [Work] @hasInverse(field: author)  posts: [Post] @hasInverse(field: editor)  town: Town
  }
  type Town { name: String! }
  type Post implements Work @groupBy(fields: ["author", "editor", "mood", "section", "year", "big", "rate", "open", "at", "tag", "size"]) {
    section: String @search(by: [hash])  year: Int @search  big: Int64 @search  rate: Float  open: Boolean @search  at: DateTime @search  plainAt: DateTime
    score: Int @search  weight: Float  editor: Author  tag: String @search(by: [exact])
  }
  type Song implements Work { length: Int }
  type PostGroup { a: Int }
  ${line}
`;

let api: TemporaryKernel;
beforeAll(async () => {
  api = await temporaryKernel();
  await api.kernel.deploy(schema);
  await ask(
    `mutation { addAuthor(input: [{handle: "ada", secret: false, town: {name: "Ely"}}, {handle: "bo", secret: false}, {handle: "spy", secret: true}]) { numUids } }`,
    admin,
  );
  await ask(
    `mutation {
      addPost(input: [
        {section: "b", year: 2001, score: 1, weight: 0.1, big: 9007199254740993, rate: 0.5, open: true, at: "2031-04-09T06:00:00Z", mood: GAY, size: 1, author: {handle: "ada"}, editor: {handle: "bo"}, tag: "é"},
        {section: "a", year: 2002, score: 4, weight: 0.2, big: 9007199254740993, rate: 0.5, open: true, at: "2031-04-09T08:00:00+02:00", mood: GAY, size: 2, author: {handle: "spy"}, editor: {handle: "bo"}, tag: "z"},
        {section: "a", year: 2001, weight: 0.3, big: -1, open: false, at: "2031-04-30T23:59:59.5-01:00", mood: GRIM, size: 3, author: {handle: "bo"}, editor: {handle: "ada"}, tag: "z"},
        {section: "", score: 9, at: "2032-01-01T00:00:00Z", size: 4, author: {handle: "ada"}},
        {year: 2001, score: 7, open: false, size: 5}]) { numUids }
      addSong(input: [{mood: GRIM, author: {handle: "ada"}, size: 10}, {mood: GRIM, size: 20}]) { numUids }
    }`,
    admin,
  );
});
afterAll(() => api.remove());

const admin = { "x-harbour": token({ ROLE: "ADMIN" }) };

interface Answer {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly unknown[] }[];
}

async function raw(
  query: string,
  headers: Readonly<Record<string, string>> = {},
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  return JSON.parse((await api.kernel.execute({ query, headers, variables })).body);
}

async function ask(query: string, headers: Readonly<Record<string, string>> = {}): Promise<Readonly<Record<string, unknown>>> {
  const { data, errors } = await raw(query, headers);
  if (errors || !data) throw new Error(errors?.map(({ message }) => message).join("\n"));
  return data;
}

/** The groups of `groupPost`. */
async function groups(args: string, selection: string, headers: Readonly<Record<string, string>> = admin): Promise<unknown> {
  return (await ask(`{ groupPost(${args}) { ${selection} } }`, headers)).groupPost;
}

describe("groups by values", () => {
  it("come by key, what is missing last, with count and measures", async () => {
    expect(await groups("by: [{field: section}]", "key { section } count scoreMin scoreMax scoreSum scoreAvg")).toEqual([
      { key: { section: "" }, count: 1, scoreMin: 9, scoreMax: 9, scoreSum: 9, scoreAvg: 9 },
      { key: { section: "a" }, count: 2, scoreMin: 4, scoreMax: 4, scoreSum: 4, scoreAvg: 4 },
      { key: { section: "b" }, count: 1, scoreMin: 1, scoreMax: 1, scoreSum: 1, scoreAvg: 1 },
      { key: { section: null }, count: 1, scoreMin: 7, scoreMax: 7, scoreSum: 7, scoreAvg: 7 },
    ]);
  });

  it.each([
    [
      "numbers",
      "year",
      [
        [2001, 3],
        [2002, 1],
        [null, 1],
      ],
    ],
    [
      "floats",
      "rate",
      [
        [0.5, 2],
        [null, 3],
      ],
    ],
    [
      "booleans",
      "open",
      [
        [false, 2],
        [true, 2],
        [null, 1],
      ],
    ],
    [
      "enums",
      "mood",
      [
        ["GAY", 2],
        ["GRIM", 1],
        [null, 2],
      ],
    ],
    [
      "texts, by UTF-8 bytes",
      "tag",
      [
        ["z", 2],
        ["é", 1],
        [null, 2],
      ],
    ],
    [
      "instants, however they are written",
      "at",
      [
        ["2031-04-09T06:00:00Z", 2],
        ["2031-05-01T00:59:59.5Z", 1],
        ["2032-01-01T00:00:00Z", 1],
        [null, 1],
      ],
    ],
  ])("count the objects of each value: %s", async (_, field, expected) => {
    const found = await groups(`by: [{field: ${field}}]`, `key { ${field} } count`);
    expect((found as { key: Record<string, unknown>; count: number }[]).map(({ key, count }) => [key[field], count])).toEqual(expected);
  });

  it("keep 64-bit integers exact", async () => {
    const { body } = await api.kernel.execute({ query: "{ groupPost(by: [{field: big}]) { key { big } count } }", headers: admin });
    expect(body).toContain('[{"key":{"big":-1},"count":1},{"key":{"big":9007199254740993},"count":2},{"key":{"big":null},"count":2}]');
  });

  it.each([
    ["YEAR", ["2031-01-01T00:00:00Z", "2032-01-01T00:00:00Z", null]],
    ["MONTH", ["2031-04-01T00:00:00Z", "2031-05-01T00:00:00Z", "2032-01-01T00:00:00Z", null]],
    ["DAY", ["2031-04-09T00:00:00Z", "2031-05-01T00:00:00Z", "2032-01-01T00:00:00Z", null]],
    ["HOUR", ["2031-04-09T06:00:00Z", "2031-05-01T00:00:00Z", "2032-01-01T00:00:00Z", null]],
  ])("unite dates by %s, in UTC", async (unit, expected) => {
    const found = await groups(`by: [{field: at, unit: ${unit}}]`, "key { at }");
    expect((found as { key: { at: string } }[]).map(({ key }) => key.at)).toEqual(expected);
  });

  it("of several fields are the combinations that occur", async () => {
    expect(await groups("by: [{field: year}, {field: open}]", "key { open year } n: count")).toEqual([
      { key: { open: false, year: 2001 }, n: 2 },
      { key: { open: true, year: 2001 }, n: 1 },
      { key: { open: true, year: 2002 }, n: 1 },
      { key: { open: null, year: null }, n: 1 },
    ]);
  });

  it("show null for a field that they are not grouped by, and type names", async () => {
    expect(await groups("by: [{field: open}], first: 1", "__typename key { __typename section open }")).toEqual([
      { __typename: "PostGroupByResult", key: { __typename: "PostGroupByKeys", section: null, open: false } },
    ]);
  });

  it("of nothing are none", async () => {
    expect(await groups(`by: [{field: open}], filter: {section: {eq: "none"}}`, "count")).toEqual([]);
    expect(await groups(`by: [{field: open}], filter: {section: {eq: "a"}}`, "count")).toEqual([{ count: 1 }, { count: 1 }]);
  });

  it("add floats in the order of the objects", async () => {
    expect(await groups("by: [{field: size}], having: {count: {gt: 1}}", "count")).toEqual([]);
    expect(await groups("by: [{field: editor}], having: {weightSum: {gt: 0}}", "weightSum weightAvg")).toEqual([
      { weightSum: 0.3, weightAvg: 0.3 },
      { weightSum: 0.1 + 0.2, weightAvg: (0.1 + 0.2) / 2 },
    ]);
  });
});

describe("groups by links", () => {
  it("give the object, to read on from", async () => {
    expect(await groups("by: [{field: editor}], order: {desc: count}", "key { editor { handle town { name } posts { year } } } count")).toEqual([
      { key: { editor: { handle: "bo", town: null, posts: [{ year: 2001 }, { year: 2002 }] } }, count: 2 },
      { key: { editor: null }, count: 2 },
      { key: { editor: { handle: "ada", town: { name: "Ely" }, posts: [{ year: 2001 }] } }, count: 1 },
    ]);
  });

  it("count objects of a partner whom the caller may not see as objects without one", async () => {
    const asked = ["by: [{field: author}]", "key { author { handle } } count scoreSum"] as const;
    expect(await groups(...asked)).toEqual([
      { key: { author: { handle: "ada" } }, count: 2, scoreSum: 10 },
      { key: { author: { handle: "bo" } }, count: 1, scoreSum: null },
      { key: { author: { handle: "spy" } }, count: 1, scoreSum: 4 },
      { key: { author: null }, count: 1, scoreSum: 7 },
    ]);
    expect(await groups(...asked, {})).toEqual([
      { key: { author: { handle: "ada" } }, count: 2, scoreSum: 10 },
      { key: { author: { handle: "bo" } }, count: 1, scoreSum: null },
      { key: { author: null }, count: 2, scoreSum: 11 },
    ]);
  });

  it("of an interface hold objects of all its types", async () => {
    expect(
      (await ask("{ groupWork(by: [{field: author}, {field: mood}]) { key { author { handle } mood } count sizeSum } }", admin)).groupWork,
    ).toEqual([
      { key: { author: { handle: "ada" }, mood: "GAY" }, count: 1, sizeSum: 1 },
      { key: { author: { handle: "ada" }, mood: "GRIM" }, count: 1, sizeSum: 10 },
      { key: { author: { handle: "ada" }, mood: null }, count: 1, sizeSum: 4 },
      { key: { author: { handle: "bo" }, mood: "GRIM" }, count: 1, sizeSum: 3 },
      { key: { author: { handle: "spy" }, mood: "GAY" }, count: 1, sizeSum: 2 },
      { key: { author: null, mood: "GRIM" }, count: 1, sizeSum: 20 },
      { key: { author: null, mood: null }, count: 1, sizeSum: 5 },
    ]);
  });

  it("show no object that @cascade leaves out, and keep its group", async () => {
    expect(await groups("by: [{field: editor}]", "key { editor @cascade { handle town { name } } } count")).toEqual([
      { key: { editor: { handle: "ada", town: { name: "Ely" } } }, count: 1 },
      { key: { editor: null }, count: 2 },
      { key: { editor: null }, count: 2 },
    ]);
  });
});

describe("groups beside a list", () => {
  it("group the linked objects of each object", async () => {
    const { queryAuthor } = await ask(
      "{ queryAuthor(order: {asc: handle}) { handle postsGroup(by: [{field: year}]) { key { year } count } worksGroup(by: [{field: mood}], having: {count: {ge: 1}}, order: {desc: sizeSum}, first: 2) { key { mood } sizeSum } } }",
      admin,
    );
    expect(queryAuthor).toEqual([
      {
        handle: "ada",
        postsGroup: [{ key: { year: 2001 }, count: 1 }],
        worksGroup: [
          { key: { mood: "GRIM" }, sizeSum: 10 },
          { key: { mood: null }, sizeSum: 4 },
        ],
      },
      {
        handle: "bo",
        postsGroup: [
          { key: { year: 2001 }, count: 1 },
          { key: { year: 2002 }, count: 1 },
        ],
        worksGroup: [{ key: { mood: "GRIM" }, sizeSum: 3 }],
      },
      { handle: "spy", postsGroup: [], worksGroup: [{ key: { mood: "GAY" }, sizeSum: 2 }] },
    ]);
  });
});

describe("having, order and page", () => {
  const years = async (args: string) =>
    ((await groups(`by: [{field: year}], ${args}`, "key { year }")) as { key: { year: number | null } }[]).map(({ key }) => key.year);

  it("compare count and measures, selected or not", async () => {
    expect(await years("having: {count: {gt: 1}}")).toEqual([2001]);
    expect(await years("having: {count: {in: [1]}, scoreMax: {between: {min: 4, max: 9}}}")).toEqual([2002, null]);
    expect(await years("having: {weightSum: {eq: null}}")).toEqual([null]);
    expect(await years("having: {count: null, scoreAvg: {gt: null}}")).toEqual([2001, 2002, null]);
    expect(await years(`having: {atMax: {lt: "2031-05-01T00:00:00Z"}}`)).toEqual([2002]);
    expect(await years(`having: {bigSum: {ge: 9007199254740993}}`)).toEqual([2002]);
    expect(await years(`having: {sectionMin: {ge: "a"}}`)).toEqual([2001, 2002]);
  });

  it("order by keys and measures, ties by key, what is missing last both ways", async () => {
    expect(await years("order: {desc: year}")).toEqual([2002, 2001, null]);
    expect(await years("order: {asc: count}")).toEqual([2002, null, 2001]);
    expect(await years("order: {asc: count, then: {desc: scoreMax}}")).toEqual([null, 2002, 2001]);
    expect(await years("order: {desc: weightSum}")).toEqual([2001, 2002, null]);
  });

  it("cut the ordered groups", async () => {
    expect(await years("order: {desc: year}, first: 1, offset: 1")).toEqual([2001]);
    expect(await years("order: {desc: year}, first: 0")).toEqual([2002, 2001, null]);
    expect(await years("order: {desc: year}, first: 0, offset: 1")).toEqual([2001, null]);
    expect(await years("order: {desc: year}, first: 2147483647, offset: 2147483647")).toEqual([]);
    expect(await years("offset: 9")).toEqual([]);
  });

  it.each([
    ["an empty by", "by: []", /"by" is empty/],
    ["a field twice", "by: [{field: at, unit: DAY}, {field: at, unit: YEAR}]", /has the field at twice/],
    ["a unit of a number", "by: [{field: year, unit: DAY}]", /gives the field year a unit, but it is no DateTime/],
    ["an order by what is no key", "by: [{field: year}], order: {asc: section}", /"order" names section, but "by" does not/],
    ["two directions in one object", "by: [{field: year}], order: {asc: count, desc: year}", /asc and desc in one object/],
    ["a negative first", "by: [{field: year}], first: -1", /"first" of groups is -1/],
  ])("%s is refused", async (_, args, expected) => {
    const { data, errors } = await raw(`{ groupPost(${args}) { count } }`);
    expect([data, errors?.[0]?.message, errors?.[0]?.path]).toEqual([{ groupPost: null }, expect.stringMatching(expected), ["groupPost"]]);
  });

  it("take variables", async () => {
    const query =
      "query($by: [PostGroupByKey!]!, $n: Int, $order: PostGroupByOrder, $having: PostGroupByHaving) { groupPost(by: $by, first: $n, order: $order, having: $having) { count } }";
    expect(await raw(query, admin, { by: [{ field: "year" }], n: 2, order: { desc: "count" }, having: { count: { lt: 3 } } })).toMatchObject({
      data: { groupPost: [{ count: 1 }, { count: 1 }] },
    });
    expect(await raw(query, admin, { by: { field: "at", unit: "YEAR" } })).toMatchObject({
      data: { groupPost: [{ count: 3 }, { count: 1 }, { count: 1 }] },
    });
  });
});

describe("the API of @groupBy", () => {
  const sdlOf = (text: string) => prepareDeployment(text, standardPlugins()).api.sdl;

  function problems(text: string): readonly string[] {
    try {
      prepareDeployment(text, standardPlugins());
      return [];
    } catch (error) {
      return error instanceof QuernError ? error.errors.map(({ message }) => message) : [String(error)];
    }
  }

  it("is the same without the directive as without the plugin", () => {
    const plain = "type A { name: String  b: [B] }  type B { a: Int  count: Int }  type AGroupByResult { x: Int }";
    const without = prepareDeployment(
      plain,
      standardPlugins().filter(({ name }) => name !== "grouping"),
    );
    expect(sdlOf(plain)).toBe(without.api.sdl);
  });

  it("has the words of the reference", () => {
    const sdl = sdlOf(
      `type Post @groupBy(fields: ["author", "at"]) { score: Int  at: DateTime  author: Author }  type Author { posts: [Post] @hasInverse(field: author) }`,
    );
    for (const part of [
      "groupPost(by: [PostGroupByKey!]!, filter: PostFilter, having: PostGroupByHaving, order: PostGroupByOrder, first: Int, offset: Int): [PostGroupByResult]",
      "postsGroup(by: [PostGroupByKey!]!, filter: PostFilter, having: PostGroupByHaving, order: PostGroupByOrder, first: Int, offset: Int): [PostGroupByResult]",
      "enum TimeUnit {\n\tYEAR\n\tMONTH\n\tDAY\n\tHOUR\n}",
      "key: PostGroupByKeys!\n\tcount: Int!\n\tscoreMin: Int",
    ])
      expect(sdl.replace(/^\t*""".*\n/gm, "")).toContain(part);
    for (const text of ["The number of objects.", "The least score.", "The greatest score.", "The sum of score.", "The average of score."])
      expect(sdl).toContain(`\t"""${text}"""\n`);
  });

  it.each([
    ["an unknown field", `type A @groupBy(fields: ["nane"]) { name: String }`, 'names the field nane, which A does not have; did you mean "name"?'],
    ["a field twice", `type A @groupBy(fields: ["name", "name"]) { name: String }`, "names the field name twice"],
    ["no field", "type A @groupBy(fields: []) { name: String }", "names no field"],
    ["a list", `type A @groupBy(fields: ["names"]) { names: [String] }`, "names the field names of type [String]"],
    ["a list of objects", `type A @groupBy(fields: ["b"]) { b: [A] }`, "names the field b of type [A]"],
    ["a geometry", `type A @groupBy(fields: ["at"]) { at: Point }`, "names the field at of type Point"],
    ["an ID", `type A @groupBy(fields: ["id"]) { id: ID!  n: Int }`, "names the field id of type ID"],
    ["the name of a measure", `type A @groupBy(fields: ["nMin"]) { nMin: String  n: Int }`, "groups show a measure of that name"],
    ["a field named count", `type A @groupBy(fields: ["count"]) { count: Int }`, "groups show a measure of that name"],
  ])("refuses %s", (_, text, expected) => {
    expect(problems(text).join("\n")).toContain(expected);
  });

  it("refuses a name that the schema uses itself", () => {
    expect(problems(`type A @groupBy(fields: ["n"]) { n: Int }  type AGroupByKeys { n: Int }`).join("\n")).toContain("AGroupByKeys");
  });
});
