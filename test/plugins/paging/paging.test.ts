// `@paged`: pages by cursors.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { prepareDeployment } from "../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import fc from "../../support/properties.ts";
import { line, token } from "../auth/token.ts";

const schema = `
  type Author @paged { handle: String! @id  posts: [Post] @hasInverse(field: author) @paged @search  friends: [Author] @paged }
  type Post @paged @auth(query: { or: [ { rule: "query { queryPost(filter: {hidden: false}) { id } }" }, { rule: "{$ROLE: {eq: \\"ADMIN\\"}}" } ] }) {
    id: ID!  title: String @search(by: [exact])  score: Int @search  big: Int64  at: DateTime  hidden: Boolean @search
    author: Author @search
  }
  interface Thing @paged { name: String! @id }
  type Tool implements Thing { weight: Int }
  type PostConnected { a: Int }
  ${line}
`;

let api: TemporaryKernel;
beforeAll(async () => {
  api = await temporaryKernel();
  await api.kernel.deploy(schema);
});
afterAll(() => api.remove());

const admin = { "x-harbour": token({ ROLE: "ADMIN" }) };

interface Answered {
  readonly data: Record<string, never> | null;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly unknown[] }[];
}

async function raw(query: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
  return JSON.parse((await api.kernel.execute({ query, headers })).body);
}

async function ask(query: string, headers: Readonly<Record<string, string>> = {}): Promise<Record<string, never>> {
  const { data, errors } = await raw(query, headers);
  if (errors || !data) throw new Error(errors?.map(({ message }) => message).join("\n"));
  return data;
}

async function fill(posts: readonly string[], authors: readonly string[] = []): Promise<void> {
  await api.kernel.erase({ kind: "data" });
  if (authors.length > 0) await ask(`mutation { addAuthor(input: [${authors.map((handle) => `{handle: "${handle}"}`).join(", ")}]) { numUids } }`);
  await ask(
    `mutation { addPost(input: [${posts.map((post) => (post.includes("hidden") ? post : post.replace("{", "{hidden: false, "))).join(", ")}]) { numUids } }`,
    admin,
  );
}

interface Connection {
  readonly totalCount: number;
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly title: string } }[];
  readonly nodes: readonly { readonly title: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

const selection = "{ totalCount edges { cursor node { title } } nodes { title } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }";

async function page(args: string, headers = {}): Promise<Connection> {
  return (await ask(`{ queryPostConnection${args === "" ? "" : `(${args})`} ${selection} }`, headers)).queryPostConnection ?? expect.fail("no page");
}

const titles = ({ edges }: Connection) => edges.map(({ node }) => node.title);
const some = [`{title: "c", score: 2}`, `{title: "a", score: 2}`, `{title: "b"}`, `{title: "é", score: 1, at: "2001-01-01T00:00:00Z"}`, `{score: 3}`];

describe("a page", () => {
  it("shows edges, nodes, counts and cursors after the Relay specification", async () => {
    await fill(some);
    const first = await page("order: {asc: title}, first: 2");
    expect(first).toEqual({
      totalCount: 5,
      edges: [
        { cursor: expect.any(String), node: { title: "a" } },
        { cursor: expect.any(String), node: { title: "b" } },
      ],
      nodes: [{ title: "a" }, { title: "b" }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: first.edges[0]?.cursor, endCursor: first.edges[1]?.cursor },
    });
    const second = await page(`order: {asc: title}, first: 2, after: "${first.pageInfo.endCursor}"`);
    expect([titles(second), second.pageInfo.hasNextPage, second.pageInfo.hasPreviousPage, second.totalCount]).toEqual([["c", "é"], true, true, 5]);
    const third = await page(`order: {asc: title}, first: 2, after: "${second.pageInfo.endCursor}"`);
    expect([titles(third), third.pageInfo.hasNextPage, third.pageInfo.hasPreviousPage]).toEqual([[null], false, true]);
    const back = await page(`order: {asc: title}, last: 2, before: "${third.pageInfo.startCursor}"`);
    expect([titles(back), back.pageInfo.hasNextPage, back.pageInfo.hasPreviousPage]).toEqual([["c", "é"], true, true]);
  });

  it("is empty of nothing, and whole for first 0 and last 0", async () => {
    await api.kernel.erase({ kind: "data" });
    const empty = {
      totalCount: 0,
      edges: [],
      nodes: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    };
    expect(await page("first: 5")).toEqual(empty);
    await fill(some);
    const whole = await page("");
    expect(titles(whole)).toEqual(["c", "a", "b", "é", null]);
    expect(whole).toMatchObject({ totalCount: 5, pageInfo: { hasNextPage: false, hasPreviousPage: false } });
    expect(await page("first: 0")).toEqual(whole);
    expect(await page("last: 0")).toEqual(whole);
    expect(await page("first: null")).toEqual(whole);
    expect(await page("first: 2147483647")).toEqual(whole);
    expect(await page("last: 2147483647")).toEqual(whole);
  });

  it("shows what is there all the time exactly once, whatever is written between pages", async () => {
    await fill(Array.from({ length: 9 }, (_, i) => `{title: "p${i}", score: ${i % 3}}`));
    const seen: string[] = [];
    let cursor = "";
    for (let i = 0; i < 9; i++) {
      const shown = await page(`order: {desc: score}, first: 2${cursor === "" ? "" : `, after: "${cursor}"`}`);
      seen.push(...titles(shown));
      if (!shown.pageInfo.hasNextPage) break;
      cursor = shown.pageInfo.endCursor ?? "";
      // The node of the cursor leaves, and others come before and after.
      await ask(
        `mutation { deletePost(filter: {title: {eq: "${titles(shown).at(-1)}"}}) { numUids } addPost(input: [{title: "n${i}", score: ${i % 2 ? 9 : -9}, hidden: false}]) { numUids } }`,
      );
    }
    expect(seen.filter((each) => each.startsWith("p")).sort()).toEqual(Array.from({ length: 9 }, (_, i) => `p${i}`));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("keeps its cursors over a restart", async () => {
    await fill(some);
    const { pageInfo } = await page("order: {asc: score}, first: 2");
    api = await api.restart();
    expect(titles(await page(`order: {asc: score}, first: 2, after: "${pageInfo.endCursor}"`))).toEqual(["a", null]);
  });
});

describe("any pages of any list", () => {
  it("together are the list that the query shows", async () => {
    const posts = fc.array(
      fc.record({
        title: fc.option(fc.constantFrom("", "a", "B", "é", "🛥")),
        score: fc.option(fc.integer({ min: 0, max: 3 })),
        big: fc.option(fc.constantFrom(1n, 9007199254740993n)),
        author: fc.option(fc.constantFrom("x", "y", "z")),
      }),
      { minLength: 1, maxLength: 12 },
    );
    const order = fc.constantFrom(
      "",
      "{asc: title}",
      "{desc: title}",
      "{asc: big}",
      "{desc: at}",
      "{asc: score, then: {desc: title}}",
      "{desc: score, then: {asc: title}}",
      "{author: {asc: handle}}",
      "{author: {posts: {desc: count}}, then: {asc: title}}",
    );
    await fc.assert(
      fc.asyncProperty(posts, order, fc.integer({ min: 1, max: 4 }), fc.boolean(), async (list, by, size, backwards) => {
        await fill(
          list.map(
            ({ title, score, big, author }) =>
              `{title: ${JSON.stringify(title)}, score: ${score}, big: ${big === null ? null : `"${big}"`}, author: ${author === null ? null : `{handle: "${author}"}`}}`,
          ),
          ["x", "y", "z"],
        );
        const orderText = by === "" ? "" : `order: ${by}`;
        const { queryPost } = await ask(`{ queryPost${by === "" ? "" : `(${orderText})`} { id } }`);
        const found: unknown[] = [];
        let cursor: string | null = null;
        for (let i = 0; i < 20; i++) {
          const cut = backwards ? `last: ${size}${cursor ? `, before: "${cursor}"` : ""}` : `first: ${size}${cursor ? `, after: "${cursor}"` : ""}`;
          const answer = await ask(
            `{ queryPostConnection(${orderText} ${cut}) { nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
          );
          const { nodes, pageInfo }: { nodes: unknown[]; pageInfo: Connection["pageInfo"] } = answer.queryPostConnection ?? expect.fail("no page");
          expect(backwards ? pageInfo.hasNextPage : pageInfo.hasPreviousPage).toBe(cursor !== null);
          if (backwards) found.unshift(...nodes);
          else found.push(...nodes);
          if (!(backwards ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) break;
          cursor = backwards ? pageInfo.startCursor : pageInfo.endCursor;
        }
        expect(found).toEqual(queryPost);
      }),
      { numRuns: 25 },
    );
  });
});

describe("lists of links", () => {
  it("have a page for each object", async () => {
    await fill(
      [
        `{title: "1", author: {handle: "x"}}`,
        `{title: "2", author: {handle: "x"}}`,
        `{title: "3", author: {handle: "x"}}`,
        `{title: "4", author: {handle: "y"}}`,
      ],
      ["x", "y", "z"],
    );
    const text = (args: string) =>
      `{ queryAuthor(order: {asc: handle}) { postsConnection(${args}) { totalCount nodes { title } pageInfo { hasNextPage hasPreviousPage endCursor } } } }`;
    const answer = await ask(text("order: {asc: title}, first: 2"));
    expect(answer.queryAuthor).toEqual([
      {
        postsConnection: {
          totalCount: 3,
          nodes: [{ title: "1" }, { title: "2" }],
          pageInfo: { hasNextPage: true, hasPreviousPage: false, endCursor: expect.any(String) },
        },
      },
      {
        postsConnection: {
          totalCount: 1,
          nodes: [{ title: "4" }],
          pageInfo: { hasNextPage: false, hasPreviousPage: false, endCursor: expect.any(String) },
        },
      },
      { postsConnection: { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false, hasPreviousPage: false, endCursor: null } } },
    ]);
    const authors: readonly { postsConnection: Connection }[] = answer.queryAuthor ?? [];
    const next = await ask(text(`order: {asc: title}, first: 2, after: "${authors[0]?.postsConnection.pageInfo.endCursor}"`));
    expect(
      (next.queryAuthor as unknown as typeof authors).map(({ postsConnection }) => [
        postsConnection.nodes.map(({ title }) => title),
        postsConnection.pageInfo.hasPreviousPage,
      ]),
    ).toEqual([
      [["3"], true],
      [["4"], false],
      [[], false],
    ]);
    const last = await ask(
      `{ getAuthor(handle: "x") { postsConnection(order: {author: {posts: {desc: count}}}, last: 2) { edges { node { title author { handle } } } } } }`,
    );
    expect(last.getAuthor).toEqual({
      postsConnection: { edges: [{ node: { title: "2", author: { handle: "x" } } }, { node: { title: "3", author: { handle: "x" } } }] },
    });
  });
});

describe("hidden objects", () => {
  it("are in no page, no count and no flag", async () => {
    await fill(
      [
        `{title: "a", hidden: true}`,
        `{title: "b"}`,
        `{title: "c", hidden: true}`,
        `{title: "d", author: {handle: "x"}}`,
        `{title: "e", hidden: true, author: {handle: "x"}}`,
      ],
      ["x"],
    );
    const shown = await page("order: {asc: title}, first: 1");
    expect([titles(shown), shown.totalCount, shown.pageInfo.hasNextPage]).toEqual([["b"], 2, true]);
    const next = await page(`order: {asc: title}, first: 1, after: "${shown.pageInfo.endCursor}"`);
    expect([titles(next), next.pageInfo.hasNextPage, next.pageInfo.hasPreviousPage]).toEqual([["d"], false, true]);
    const theirs = await page("order: {asc: title}, first: 1", admin);
    const beyond = await page(`order: {asc: title}, first: 1, after: "${theirs.pageInfo.endCursor}"`);
    expect([titles(beyond), beyond.pageInfo.hasPreviousPage]).toEqual([["b"], false]);
    expect(await ask(`{ getAuthor(handle: "x") { postsConnection { totalCount nodes { title } } } }`)).toEqual({
      getAuthor: { postsConnection: { totalCount: 1, nodes: [{ title: "d" }] } },
    });
  });
});

describe("@cascade on a connection", () => {
  it("means its nodes, wherever they are selected", async () => {
    await fill([`{title: "a", score: 1}`, `{title: "b", author: {handle: "x"}}`, `{title: "c", score: 1, author: {handle: "x"}}`], ["x"]);
    const answer = await ask(
      `{ queryPostConnection(order: {asc: title}) @cascade { totalCount nodes { score } edges { node { author { handle } } } } }`,
    );
    expect(answer.queryPostConnection).toEqual({ totalCount: 1, nodes: [{ score: 1 }], edges: [{ node: { author: { handle: "x" } } }] });
    const named = await ask(`{ queryPostConnection(order: {asc: title}) @cascade(fields: ["score"]) { nodes { title score } } }`);
    expect(named.queryPostConnection).toEqual({
      nodes: [
        { title: "a", score: 1 },
        { title: "c", score: 1 },
      ],
    });
    expect((await raw(`{ queryPostConnection @cascade(fields: ["nodes"]) { nodes { title } } }`)).errors?.[0]?.message).toContain(
      "Field `nodes` is not present in type `Post`",
    );
  });
});

describe("bad arguments", () => {
  it.each([
    ["first: -1", '"first" of a page is -1; give 0 or more'],
    ["last: -2", '"last" of a page is -2'],
    ["first: 1, last: 1", 'A page has "first" or "last", not both'],
    [`after: "x"`, `"x" in "after" is no cursor`],
    [`before: ""`, `"" in "before" is no cursor`],
    [`after: "${Buffer.from('["a",1]').toString("base64url")}"`, "belongs to another list or another order"],
    [`after: "${Buffer.from("[1,2,[]]").toString("base64url")}"`, "is no cursor"],
    [`after: "${"A".repeat(5_000)}"`, "…"],
  ])("%s is refused", async (args, message) => {
    const { data, errors } = await raw(`{ queryPostConnection(${args}) { nodes { title } } }`);
    expect(data).toBeNull();
    expect(errors?.[0]?.message).toContain(message);
  });

  it("refuses a cursor of another order and of another type, and values that do not fit", async () => {
    await fill(some, ["x", "y"]);
    const { pageInfo } = await page("order: {asc: title}, first: 1");
    await expect(page(`order: {desc: title}, after: "${pageInfo.endCursor}"`)).rejects.toThrow("belongs to another list or another order");
    await expect(page(`after: "${pageInfo.endCursor}"`)).rejects.toThrow("with the same order");
    await expect(ask(`{ queryAuthorConnection(after: "${pageInfo.endCursor}") { totalCount } }`)).rejects.toThrow("belongs to another list");
    const [mark, uid] = JSON.parse(Buffer.from(pageInfo.endCursor ?? "", "base64url").toString());
    const made = Buffer.from(JSON.stringify([mark, uid, 17])).toString("base64url");
    await expect(page(`order: {asc: title}, after: "${made}"`)).rejects.toThrow("is no cursor");
  });
});

describe("the schema", () => {
  it("has one PageInfo, and the types and fields of what is paged only", () => {
    const { sdl } = prepareDeployment(schema, standardPlugins()).api;
    expect(sdl.match(/^type (\w*Connection|\w*Edge|PageInfo) /gm)).toEqual([
      "type AuthorConnection ",
      "type AuthorEdge ",
      "type PageInfo ",
      "type PostConnection ",
      "type PostEdge ",
      "type ThingConnection ",
      "type ThingEdge ",
    ]);
    expect(sdl).toContain(
      "queryPostConnection(filter: PostFilter, order: PostOrder, first: Int, after: String, last: Int, before: String): PostConnection!",
    );
    expect(sdl).toContain(
      "postsConnection(filter: PostFilter, order: PostOrder, first: Int, after: String, last: Int, before: String): PostConnection!",
    );
  });

  it("stays as it is without the directive", () => {
    const plain = "type A { id: ID!  b: [A] }";
    const without = standardPlugins().filter(({ name }) => name !== "paging");
    expect(prepareDeployment(plain, standardPlugins()).api.sdl).toBe(prepareDeployment(plain, without).api.sdl);
  });

  it.each([
    ["type A { a: Int @paged }", "@paged is for types, and for fields that list objects"],
    ["type A { a: A @paged }", "@paged is for types, and for fields that list objects"],
    ["type A { a: [U] @paged } union U = A | B  type B { b: Int }", "@paged is for types, and for fields that list objects"],
    ["type A @paged { a: Int } type AConnection { b: Int }", "AConnection"],
    ["type A @paged { a: Int } type PageInfo { b: Int }", "PageInfo is a reserved word"],
    ["type A { bs: [A] @paged  bsConnection: Int }", "bsConnection can only be defined once"],
  ])("%s is refused", (text, message) => {
    expect(() => prepareDeployment(text, standardPlugins())).toThrow(message);
  });
});
