// `@version` and `@increment`, one at a time and by many writers at once.

import { afterEach, describe, expect, it } from "vitest";
import { constraintsPlugin } from "../../../plugins/constraints/index.ts";
import { validationPlugin } from "../../../plugins/validation/index.ts";
import { type Api, deploy } from "../../mutation/api.ts";
import { storageName } from "../../support/storage.ts";

let api: Api;
afterEach(() => api.close());

async function start(schema: string): Promise<void> {
  api = await deploy(schema, [validationPlugin(), constraintsPlugin()]);
}

const failed = (field: string, reason: string) => [
  expect.stringContaining(`mutation ${field} failed because Dgraph execution failed because ${reason}`),
];

/** Concurrent writers; a round trip to a database takes longer than a call. */
const writers = storageName === "level" ? 1_000 : 200;

/** Runs `count` requests, a hundred at a time. */
async function concurrently<T>(count: number, run: (i: number) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async () => {
    for (let i = next++; i < count; i = next++) results[i] = await run(i);
  };
  await Promise.all(Array.from({ length: 100 }, lane));
  return results;
}

describe("@version", () => {
  const post = `
    interface Entry { id: ID!  title: String!  revision: Int @version }
    type Post implements Entry { tags: [String]  author: Author @hasInverse(field: posts) }
    type PostNote { id: ID!  title: String  revision: Int }
    type Author { name: String! @id  posts: [Post]  revision: Int! @version }`;

  it("is 1 for a new object, nested ones included, and for no type with a similar name", async () => {
    await start(post);
    await api.run(
      'mutation { addAuthor(input: [{ name: "a", posts: [{ title: "p" }] }]) { numUids } addPostNote(input: [{ title: "n" }]) { numUids } }',
    );
    expect(await api.run("{ queryAuthor { revision posts { revision } } queryPostNote { revision } }")).toEqual({
      queryAuthor: [{ revision: 1, posts: [{ revision: 1 }] }],
      queryPostNote: [{ revision: null }],
    });
  });

  it("counts changes of the object's own values, and neither links nor values that stay", async () => {
    await start(post);
    await api.run('mutation { addAuthor(input: [{ name: "a" }]) { numUids } addPost(input: [{ title: "p", tags: ["x"] }]) { numUids } }');
    const revisions = async (change: string) =>
      api.run(`mutation { ${change} { numUids } } `).then(() => api.run("{ queryPost { revision } queryAuthor { revision } }"));
    const are = (post: number, author: number) => ({ queryPost: [{ revision: post }], queryAuthor: [{ revision: author }] });
    expect(await revisions('updatePost(input: { filter: {}, set: { title: "p", tags: ["x"] } })')).toEqual(are(1, 1));
    expect(await revisions('updatePost(input: { filter: {}, set: { author: { name: "a" } } })')).toEqual(are(1, 1));
    expect(await revisions('updateEntry(input: { filter: {}, set: { title: "q" } })')).toEqual(are(2, 1));
    expect(await revisions('updatePost(input: { filter: {}, set: { title: "r", tags: ["y"] }, remove: { tags: ["x"] } })')).toEqual(are(3, 1));
    expect(await revisions("updatePost(input: { filter: {}, remove: { tags: null, author: null } })")).toEqual(are(4, 1));
    expect(await revisions('addAuthor(input: [{ name: "a" }], upsert: true)')).toEqual(are(4, 1));
  });

  it("is in no input, and in filters", async () => {
    await start(post);
    expect(await api.refused('mutation { addPost(input: [{ title: "p", revision: 7 }]) { numUids } }')).toEqual([
      expect.stringContaining('Field "revision" is not defined by type "AddPostInput"'),
    ]);
    await api.run(
      'mutation { addPost(input: [{ title: "p" }, { title: "q" }]) { numUids } updatePost(input: { filter: { revision: { eq: 1 } }, set: { tags: ["t"] } }) { numUids } }',
    );
    expect(
      await api.run("{ queryEntry(filter: { revision: { ge: 2 } }) { title } one: queryPost(filter: { revision: { eq: 1 } }) { title } }"),
    ).toEqual({
      queryEntry: [{ title: "p" }, { title: "q" }],
      one: [],
    });
  });

  it("begins at 1 with the first change of an object that had none", async () => {
    await start("type Post { id: ID!  title: String }");
    await api.run('mutation { addPost(input: [{ title: "p" }]) { numUids } }');
    await api.kernel.deploy("type Post { id: ID!  title: String  revision: Int @version }");
    expect(
      await api.run('mutation { updatePost(input: { filter: { revision: { eq: null } }, set: { title: "q" } }) { post { revision } } }'),
    ).toEqual({
      updatePost: { post: [{ revision: 1 }] },
    });
  });

  it("lets exactly one of many concurrent updates from one version succeed", async () => {
    await start(post);
    await api.run('mutation { addPost(input: [{ title: "p" }]) { numUids } }');
    const rounds = 5;
    const racers = writers / 20;
    for (let revision = 1; revision <= rounds; revision++) {
      const answers = await concurrently(racers, (i) =>
        api.run(
          `mutation { updatePost(input: { filter: { revision: { eq: ${revision} } }, set: { title: "${revision} ${i}" } }) { numUids post { title } } }`,
        ),
      );
      const won = answers.filter((each) => (each as { updatePost: { numUids: number } }).updatePost.numUids === 1);
      expect(won).toHaveLength(1);
      const { title } = (won[0] as { updatePost: { post: [{ title: string }] } }).updatePost.post[0];
      expect(await api.run("{ queryPost { title revision } }")).toEqual({ queryPost: [{ title, revision: revision + 1 }] });
    }
  });

  it("refuses other fields, and a second one, at their lines", async () => {
    await start(post);
    const errors = await api.kernel.validate("type A {\n a: String @version\n b: [Int] @version\n c: Int @version\n d: Int @version }");
    expect(errors.map(({ message, locations }) => [message, locations?.[0]?.line])).toEqual([
      ["Type A; Field a: @version is for Int fields.", 2],
      ["Type A; Field b: @version is for Int fields.", 3],
      ["Type A; Field d: the field c counts the versions of A already.", 5],
    ]);
  });
});

describe("@increment", () => {
  const counter = `
    interface Counted { id: ID!  n: Int @increment }
    type Counter implements Counted { big: Int64 @increment @range(min: 0)  share: Float @increment  name: String @id }
    type Tally implements Counted { name: String }`;
  const increment = (what: string, filter = "{}") =>
    `mutation { updateCounter(input: { filter: ${filter}, increment: ${what} }) { numUids counter { n big share } } }`;

  it("adds to the stored values; an absent one counts as 0", async () => {
    await start(counter);
    await api.run('mutation { addCounter(input: [{ name: "a", n: 5, big: "9007199254740993" }, { name: "b" }]) { numUids } }');
    const { kernel } = api;
    const { body } = await kernel.execute({ query: increment("{ n: -2, big: 1, share: 0.5 }") });
    expect(body).toContain('"counter":[{"n":3,"big":9007199254740994,"share":0.5},{"n":-2,"big":1,"share":0.5}]');
  });

  it("works through an interface, and beside set and remove of other fields", async () => {
    await start(counter);
    await api.run('mutation { addCounter(input: [{ name: "a", n: 1 }]) { numUids } addTally(input: [{ name: "t" }]) { numUids } }');
    await api.run("mutation { updateCounted(input: { filter: {}, increment: { n: 2 } }) { numUids } }");
    await api.run('mutation { updateTally(input: { filter: {}, set: { name: "u" }, increment: { n: 1 } }) { numUids } }');
    expect(await api.run("{ queryCounter { n } queryTally { name n } }")).toEqual({ queryCounter: [{ n: 3 }], queryTally: [{ name: "u", n: 3 }] });
  });

  it("does nothing for null and for an empty object", async () => {
    await start(counter);
    await api.run('mutation { addCounter(input: [{ name: "a", n: 1 }]) { numUids } }');
    for (const what of ["null", "{}", "{ n: null }"]) await api.run(increment(what));
    expect(await api.run("{ queryCounter { n } }")).toEqual({ queryCounter: [{ n: 1 }] });
    expect(await api.refused(`mutation { updateCounter(input: { filter: { id: null }, increment: { n: 1 } }) { numUids } }`)).toEqual([
      expect.stringContaining("its filter selects every object only through nulls"),
    ]);
  });

  it("refuses sums beyond the type, broken rules, and fields that the update sets too; nothing is changed", async () => {
    await start(counter);
    await api.run('mutation { addCounter(input: [{ name: "a", n: 1 }, { name: "b", n: 2147483647, share: 1e308 }]) { numUids } }');
    expect(await api.refused(increment("{ n: 1 }"))).toEqual(failed("updateCounter", "Counter.n: the sum is beyond the range of Int"));
    expect(await api.refused(increment("{ share: 1e308 }"))).toEqual(failed("updateCounter", "Counter.share: the sum is beyond the range of Float"));
    expect(await api.refused(increment("{ big: -1 }"))).toEqual(failed("updateCounter", "Counter.big breaks @range(min: 0)."));
    await api.run(increment('{ big: "9223372036854775807" }', '{ name: { eq: "a" } }'));
    expect(await api.refused(increment("{ big: 1 }"))).toEqual(failed("updateCounter", "Counter.big: the sum is beyond the range of Int64"));
    expect(
      await api.refused('mutation { updateCounter(input: { filter: { name: { eq: "a" } }, set: { n: 7 }, increment: { n: 1 } }) { numUids } }'),
    ).toEqual(failed("updateCounter", "Counted.n is written twice: by increment, and by another member of the same update"));
    expect(await api.run("{ queryCounter { n share } }")).toEqual({
      queryCounter: [
        { n: 1, share: null },
        { n: 2147483647, share: 1e308 },
      ],
    });
  });

  it(`loses none of ${writers} concurrent increments`, async () => {
    await start(counter);
    await api.run('mutation { addCounter(input: [{ name: "a" }, { name: "b" }]) { numUids } }');
    await concurrently(writers, (i) => api.run(increment(`{ n: ${(i % 3) + 1} }`, `{ name: { eq: "${i % 2 === 0 ? "a" : "b"}" } }`)));
    const sums = [0, 1].map((rest) =>
      Array.from({ length: writers }, (_, i) => (i % 2 === rest ? (i % 3) + 1 : 0)).reduce((sum, each) => sum + each, 0),
    );
    expect(await api.run("{ queryCounter { n } }")).toEqual({ queryCounter: sums.map((n) => ({ n })) });
  });

  it("refuses other fields, and a generated name that the schema has", async () => {
    await start(counter);
    const messages = async (schema: string) => (await api.kernel.validate(schema)).map(({ message }) => message);
    expect(await messages("type A { a: String @increment  b: [Int] @increment  c: Int }")).toEqual([
      "Type A; Field a: @increment is for single Int, Int64 and Float fields.",
      "Type A; Field b: @increment is for single Int, Int64 and Float fields.",
    ]);
    expect(await messages("type A { a: Int @increment } type AIncrement { a: Int }")).toEqual([expect.stringContaining("AIncrement")]);
    expect(await messages("type A { a: Int } type AIncrement { a: Int  version: Int  increment: Int }")).toEqual([]);
  });
});
