// A mutation that leaves everything as it is commits nothing: no change record, so that no live query runs again, and no new version.

import { afterEach, describe, expect, it } from "vitest";
import { constraintsPlugin } from "../../plugins/constraints/index.ts";
import { validationPlugin } from "../../plugins/validation/index.ts";
import { type Api, deploy } from "./api.ts";

const schema = `
  interface Entry { id: ID!  slug: String! @id }
  type Post implements Entry {
    title: String @search(by: [term])  tags: [String]  at: DateTime @search  big: Int64  score: Float  open: Boolean  place: Point
    author: Author @hasInverse(field: posts)  topics: [Topic] @hasInverse(field: posts)  next: Post @hasInverse(field: before)  before: Post
    revision: Int @version
  }
  type Author { name: String! @id  posts: [Post] }
  type Topic { name: String! @id  posts: [Post] }
  type Visit { page: String! @id  count: Int @increment  seen: Int @default(update: { value: "7" }) }`;

let api: Api;
afterEach(() => api.close());

async function start(): Promise<void> {
  api = await deploy(schema, [validationPlugin(), constraintsPlugin()]);
}

const whole = `{
  slug: "p", title: "Mills of Kent", tags: ["a", "b"], at: "2020-01-01T10:00:00+02:00", big: "9007199254740993", score: 0.5, open: true,
  place: { longitude: 1.5, latitude: 2.5 }, author: { name: "ann" }, topics: [{ name: "t" }], next: { slug: "q" } }`;

const others = `
  addAuthor(input: [{ name: "ann" }]) { numUids }
  addTopic(input: [{ name: "t" }]) { numUids }`;

/** The commits that other listeners hear of while `work` runs. The commit that ends the wait is not among them. */
async function commitsOf(work: () => Promise<unknown>): Promise<number> {
  const { storage } = api.kernel;
  let heard = 0;
  let last: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    last = resolve;
  });
  const stop = storage.changes((event) => {
    if (event.kind === "detailed" && event.nodes.some(({ type }) => type === "Topic")) last?.();
    else heard++;
  });
  await work();
  await api.run(`mutation { addTopic(input: [{ name: "end ${Math.random()}" }]) { numUids } }`);
  await ended;
  stop();
  return heard;
}

const revision = async () => api.run(`{ getPost(slug: "p") { revision } }`);

describe("a mutation that changes nothing", () => {
  const unchanged: readonly (readonly [what: string, mutation: string])[] = [
    ["an upsert with the values and links that are there", `addPost(input: [${whole}], upsert: true)`],
    ["an upsert with some of them", `addPost(input: [{ slug: "p", title: "Mills of Kent" }], upsert: true)`],
    ["an upsert of the key alone", `addPost(input: [{ slug: "p" }], upsert: true)`],
    ["an update with the values that are there", `updatePost(input: { filter: {}, set: { open: true, score: 0.5, tags: ["b"] } })`],
    ["an update of a key to itself", `updatePost(input: { filter: { slug: { eq: "p" } }, set: { slug: "p" } })`],
    ["an update by the interface", `updateEntry(input: { filter: { slug: { eq: "p" } }, set: { slug: "p" } })`],
    ["a single link that is there", `updatePost(input: { filter: { slug: { eq: "p" } }, set: { author: { name: "ann" } } })`],
    ["a list link that is there", `updateAuthor(input: { filter: { name: { eq: "ann" } }, set: { posts: [{ slug: "p" }] } })`],
    ["removal of a link that is not there", `updatePost(input: { filter: { slug: { eq: "q" } }, remove: { author: { name: "ann" } } })`],
    ["removal of another value than the one there", `updatePost(input: { filter: { slug: { eq: "p" } }, remove: { title: "Mills", tags: ["c"] } })`],
    ["a filter that chooses nothing", `updatePost(input: { filter: { slug: { eq: "none" } }, set: { title: "x" } })`],
  ];
  it.each(unchanged)("commits nothing: %s", async (_, mutation) => {
    await start();
    await api.run(`mutation { ${others} }`);
    await api.run(`mutation { addPost(input: [{ slug: "q", title: "Q", open: true, score: 0.5, tags: ["b"] }]) { numUids } }`);
    await api.run(`mutation { addPost(input: [${whole}]) { numUids } }`);
    const before = await revision();
    expect(await commitsOf(() => api.run(`mutation { ${mutation} { numUids } }`))).toBe(0);
    expect(await revision()).toEqual(before);
  });

  it("answers as one that does: it counts the nodes that it is about, and reads them", async () => {
    await start();
    await api.run(`mutation { addPost(input: [{ slug: "p", title: "Mills" }]) { numUids } }`);
    expect(await api.run(`mutation { updatePost(input: { filter: {}, set: { title: "Mills" } }) { numUids post { title revision } } }`)).toEqual({
      updatePost: { numUids: 1, post: [{ title: "Mills", revision: 1 }] },
    });
  });
});

describe("a mutation whose input repeats what is there, and that changes something", () => {
  it("commits a value that differs in its text alone, once", async () => {
    await start();
    await api.run(`mutation { addPost(input: [{ slug: "p", at: "2020-01-01T10:00:00+02:00" }]) { numUids } }`);
    const write = () => api.run(`mutation { addPost(input: [{ slug: "p", at: "2020-01-01T08:00:00Z" }], upsert: true) { numUids } }`);
    expect(await commitsOf(write)).toBe(1);
    expect(await commitsOf(write)).toBe(0);
    expect(await revision()).toEqual({ getPost: { revision: 2 } });
  });

  it("commits an increment, and the value that an update gives by itself, but not that value again", async () => {
    await start();
    await api.run(`mutation { addVisit(input: [{ page: "/", count: 1 }]) { numUids } }`);
    const raise = () => api.run("mutation { updateVisit(input: { filter: {}, increment: { count: 1 } }) { numUids } }");
    expect(await commitsOf(raise)).toBe(1);
    expect(await commitsOf(raise)).toBe(1);
    const touch = () => api.run(`mutation { addVisit(input: [{ page: "/" }], upsert: true) { numUids } }`);
    expect(await commitsOf(touch)).toBe(1);
    expect(await commitsOf(touch)).toBe(0);
    expect(await api.run("{ queryVisit { count seen } }")).toEqual({ queryVisit: [{ count: 3, seen: 7 }] });
  });

  it("commits the one node of several that changes", async () => {
    await start();
    await api.run(`mutation { addPost(input: [{ slug: "p", title: "a" }, { slug: "q", title: "b" }]) { numUids } }`);
    expect(await commitsOf(() => api.run(`mutation { updatePost(input: { filter: {}, set: { title: "b" } }) { numUids } }`))).toBe(1);
    expect(await api.run(`{ queryPost(order: { asc: title }) { slug revision } }`)).toEqual({
      queryPost: expect.arrayContaining([
        { slug: "p", revision: 2 },
        { slug: "q", revision: 1 },
      ]),
    });
  });
});
