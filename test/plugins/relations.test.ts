// The directives for relations together: schemas whose names nearly clash, and input that tries to make them stall.

import { describe, expect, it } from "vitest";
import { deploy } from "./auth/harness.ts";

describe("names that nearly clash", () => {
  it("deploy, and each type keeps its own fields, filters, groups and pages", async () => {
    const words = (fields: string) => `@paged @groupBy(fields: [${fields}]) @nested`;
    const { ask } = await deploy(`
      type Todo ${words('"title", "user"')} @unique(fields: ["title", "user"]) { id: ID!  title: String @search  n: Int @increment  user: User @search }
      type TodoList ${words('"title"')} { id: ID!  title: String  todos: [Todo] @search @onDelete(linked: DELETE) }
      type User ${words('"name"')} { name: String! @id  todos: [Todo] @hasInverse(field: user) @search @paged  group: UserGroup @search  revision: Int @version }
      type UserGroup ${words('"name"')} { name: String! @id  users: [User] @hasInverse(field: group) @search }
      type UserMan { id: ID!  user: User @search }
      type Count ${words('"value"')} { id: ID!  value: Int @search  counts: [Count] @search }`);
    await ask(`mutation {
      addUserGroup(input: [{ name: "g", users: [{ name: "u", todos: [{ title: "a", n: 1 }, { title: "b" }] }] }]) { numUids }
      addTodoList(input: [{ title: "l", todos: [{ title: "c", user: { name: "v" } }] }]) { numUids }
      addCount(input: [{ value: 1, counts: [{ value: 2 }] }]) { numUids }
      addUserMan(input: [{ user: { name: "u" } }]) { numUids }
    }`);
    expect(
      await ask(`{
        queryTodo(filter: { user: { group: { name: { eq: "g" } } } }, order: { user: { todos: { desc: count } }, then: { asc: title } }) { title }
        queryTodoList(filter: { todos: { some: { title: { anyofterms: "c" } } } }) { title }
        queryUserGroup(filter: { users: { every: { todos: { count: { eq: 2 } } } } }) { name }
        queryUserMan(filter: { user: { name: { eq: "u" } } }) { user { name } }
        queryCount(filter: { counts: { count: { eq: 1 } } }) { value }
        groupCount(by: [{ field: value }]) { key { value } count }
        groupTodo(by: [{ field: user }]) { key { user { name } } count }
        queryTodoConnection(order: { asc: title }, first: 2) { totalCount nodes { title } }
        queryTodoListConnection(first: 2) { totalCount }
        queryCountConnection(first: 1) { totalCount nodes { value } }
        queryUser(order: { asc: name }) { name revision todosConnection(order: { asc: title }, last: 1) { totalCount nodes { title } } }
      }`),
    ).toEqual({
      data: {
        queryTodo: [{ title: "a" }, { title: "b" }],
        queryTodoList: [{ title: "l" }],
        queryUserGroup: [{ name: "g" }],
        queryUserMan: [{ user: { name: "u" } }],
        queryCount: [{ value: 1 }],
        groupCount: [
          { key: { value: 1 }, count: 1 },
          { key: { value: 2 }, count: 1 },
        ],
        groupTodo: [
          { key: { user: { name: "u" } }, count: 2 },
          { key: { user: { name: "v" } }, count: 1 },
        ],
        queryTodoConnection: { totalCount: 3, nodes: [{ title: "a" }, { title: "b" }] },
        queryTodoListConnection: { totalCount: 1 },
        queryCountConnection: { totalCount: 2, nodes: [{ value: 1 }] },
        queryUser: [
          { name: "u", revision: 1, todosConnection: { totalCount: 2, nodes: [{ title: "b" }] } },
          { name: "v", revision: 1, todosConnection: { totalCount: 1, nodes: [{ title: "c" }] } },
        ],
      },
    });
    const taken = await ask('mutation { addTodo(input: [{ title: "a", user: { name: "u" } }]) { numUids } }');
    expect(taken.errors?.[0]?.message).toContain("Todo.title and Todo.user must be unique together");
    expect(await ask("mutation { deleteTodoList(filter: {}) { numUids } }")).toEqual({ data: { deleteTodoList: { numUids: 1 } } });
    expect(await ask("{ aggregateTodo { count } }")).toEqual({ data: { aggregateTodo: { count: 2 } } });
  });
});

describe("bad input", () => {
  const schema = `
    type Author @paged @nested { handle: String! @id  posts: [Post] @hasInverse(field: author) @search @onDelete(linked: DELETE) }
    type Post @paged @nested { code: String! @id @pattern(regexp: "^(a+)+$")  score: Int @search  author: Author @search  links: [Post] @search @onDelete(linked: DELETE) }`;
  const size = 40;

  /** Each post links to all others. */
  async function dense(limits = {}) {
    const { ask } = await deploy(schema, {}, { limits });
    const code = (i: number) => "a".repeat(i + 1);
    const posts = Array.from({ length: size }, (_, i) => `{ code: "${code(i)}", score: ${i}, author: { handle: "h${i % 4}" } }`);
    await ask(`mutation { addPost(input: [${posts.join(" ")}]) { numUids } }`);
    const all = posts.map((_, i) => `{ code: "${code(i)}" }`).join(" ");
    expect((await ask(`mutation { updatePost(input: { filter: {}, set: { links: [${all}] } }) { numUids } }`)).errors).toBeUndefined();
    return ask;
  }
  const message = (answer: { readonly errors?: readonly { readonly message: string }[] }) => answer.errors?.[0]?.message ?? "no error";

  it("nests that contradict each other match nothing", async () => {
    const ask = await dense();
    expect(
      await ask(`{
        one: queryPost(filter: { links: { some: { score: { gt: 5 } }, none: {} } }) { code }
        two: queryPost(filter: { links: { every: { score: { lt: 0 } }, count: { ge: 1 } } }) { code }
        three: queryPost(filter: { author: { handle: { eq: "h1" }, not: { handle: { eq: "h1" } } } }) { code }
        four: queryAuthor(filter: { posts: { some: { author: { posts: { none: {} } } } } }) { handle }
      }`),
    ).toEqual({ data: { one: [], two: [], three: [], four: [] } });
  });

  it("filters five links deep cost a semi-join for each link, and the budget ends what is too much", async () => {
    const filter =
      "{ links: { some: { links: { every: { links: { none: { links: { some: { links: { some: { score: { gt: 1000 } } } } } } } } } } } }";
    const ask = await dense();
    expect(await ask(`{ aggregatePost(filter: ${filter}) { count } }`)).toEqual({ data: { aggregatePost: { count: size } } });
    const short = await dense({ maxTouchedNodes: 2_000 });
    expect(message(await short(`{ queryPost(filter: ${filter}) { code links { code links { code } } } }`))).toContain("limits.maxTouchedNodes");
  });

  it("cursors of another order, of another type and made-up ones are errors", async () => {
    const ask = await dense();
    const { data } = await ask("{ queryPostConnection(order: { asc: score }, first: 1) { pageInfo { endCursor } } }");
    const { endCursor } = (data as { queryPostConnection: { pageInfo: { endCursor: string } } }).queryPostConnection.pageInfo;
    const page = (args: string, type = "Post") => ask(`{ query${type}Connection(${args}) { totalCount } }`);
    expect((await page(`order: { asc: score }, first: 1, after: "${endCursor}"`)).errors).toBeUndefined();
    for (const args of [`order: { desc: score }, first: 1, after: "${endCursor}"`, `first: 1, after: "${endCursor}"`])
      expect(message(await page(args))).toMatch(/cursor/i);
    expect(message(await page(`first: 1, after: "${endCursor}"`, "Author"))).toMatch(/cursor/i);
    for (const made of ["", "0", "null", "e30=", "W10=", "🛥", "a".repeat(100_000)]) {
      expect(message(await page(`order: { asc: score }, first: 1, after: ${JSON.stringify(made)}`)), made.slice(0, 9)).toMatch(/cursor/i);
    }
  });

  it("cascades beyond maxChanges change nothing", async () => {
    const ask = await dense({ maxChanges: size + 4 });
    const more = Array.from({ length: 4 }, (_, i) => `{ code: "${"a".repeat(size + i + 1)}", author: { handle: "h1" }, links: [{ code: "a" }] }`);
    expect((await ask(`mutation { addPost(input: [${more.join(" ")}]) { numUids } }`)).errors).toBeUndefined();
    expect(message(await ask('mutation { deleteAuthor(filter: { handle: { eq: "h1" } }) { numUids } }'))).toContain("limits.maxChanges");
    expect(await ask("{ aggregatePost { count } aggregateAuthor { count } }")).toEqual({
      data: { aggregatePost: { count: size + 4 }, aggregateAuthor: { count: 4 } },
    });
  });

  it("a transaction whose fourth field fails undoes the three before it, and names its path", async () => {
    const ask = await dense();
    const { data, errors } = await ask(`mutation @transaction {
      one: addAuthor(input: [{ handle: "x" }]) { numUids }
      two: updatePost(input: { filter: { score: { lt: 5 } }, set: { score: 100 } }) { numUids }
      three: deleteAuthor(filter: { handle: { eq: "x" } }) { numUids }
      four: addPost(input: [{ code: "b" }]) { numUids }
    }`);
    expect([data, errors?.[0]?.path]).toEqual([null, ["four"]]);
    expect(await ask("{ aggregateAuthor { count } aggregatePost(filter: { score: { eq: 100 } }) { count } }")).toEqual({
      data: { aggregateAuthor: { count: 4 }, aggregatePost: { count: 0 } },
    });
  });

  it("a pattern at which a backtracking engine would stall is judged at once", async () => {
    const ask = await dense();
    expect(message(await ask(`mutation { addPost(input: [{ code: "${"a".repeat(5_000)}!" }]) { numUids } }`))).toContain("@pattern");
  });
});
