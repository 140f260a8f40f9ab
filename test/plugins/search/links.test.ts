// `@search` on links: filters and orders by the objects that they lead to.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { prepareDeployment } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { problems } from "./harness.ts";

const schema = `
  interface Work { id: ID!  title: String! @search(by: [term])  author: Author @search }
  type Author {
    handle: String! @id
    name: String @search(by: [term])
    works: [Work] @hasInverse(field: author) @search
    favourite: Work @search
    shelf: [Thing] @search
    top: Thing @search
    friends: [Author] @hasInverse(field: friends) @search
  }
  type Post implements Work { score: Int @search }
  type Song implements Work { length: Int @search }
  type PostTag { id: ID!  score: Int }
  union Thing = Post | Author
`;

let api: TemporaryKernel;
beforeAll(async () => {
  api = await temporaryKernel();
  await api.kernel.deploy(schema);
  await ask(`mutation {
    addAuthor(input: [
      {handle: "ada", name: "Ada King"}, {handle: "bo", name: "Bo 🛥", friends: [{handle: "ada"}]}, {handle: "cy"}, {handle: "-", name: ""}]) { numUids }
    addPost(input: [
      {title: "stone mills", score: 9, author: {handle: "ada"}},
      {title: "wind mills", score: 2, author: {handle: "ada"}},
      {title: "sails", score: 9, author: {handle: "bo"}},
      {title: "adrift"}]) { numUids }
    addSong(input: [{title: "stone song", length: 3, author: {handle: "bo"}}]) { numUids }
  }`);
  const { queryPost } = await ask(`{ queryPost(filter: {title: {allofterms: "sails"}}) { id } }`);
  const [{ id }] = queryPost as [{ id: string }];
  await ask(
    `mutation { updateAuthor(input: {filter: {handle: {eq: "cy"}}, set: {favourite: {id: "${id}"}, top: {postRef: {id: "${id}"}}, shelf: [{postRef: {id: "${id}"}}, {authorRef: {handle: "ada"}}]}}) { numUids } }`,
  );
});
afterAll(() => api.remove());

async function ask(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Record<string, unknown>> {
  const { data, errors } = JSON.parse((await api.kernel.execute({ query, variables })).body);
  if (errors) throw new Error(errors.map((each: { message: string }) => each.message).join("\n"));
  return data;
}

async function authors(filter: string, variables: Readonly<Record<string, unknown>> = {}): Promise<readonly string[]> {
  const text = Object.keys(variables).length > 0 ? "query($f: WorkFilter) " : "";
  const { queryAuthor } = await ask(`${text}{ queryAuthor(filter: ${filter}, order: {asc: handle}) { handle } }`, variables);
  return (queryAuthor as { handle: string }[]).map(({ handle }) => handle);
}

async function posts(filter: string): Promise<readonly string[]> {
  const { queryPost } = await ask(`{ queryPost(filter: ${filter}, order: {asc: title}) { title } }`);
  return (queryPost as { title: string }[]).map(({ title }) => title);
}

const everybody = ["-", "ada", "bo", "cy"];

describe("a filter on links to many objects", () => {
  it.each([
    ["some: one satisfies it", `{works: {some: {title: {anyofterms: "mills"}}}}`, ["ada"]],
    ["some, over the types of an interface", `{works: {some: {title: {anyofterms: "stone"}}}}`, ["ada", "bo"]],
    ["some: {}: there is one", `{works: {some: {}}}`, ["ada", "bo"]],
    ["every: none fails it, also without links", `{works: {every: {title: {anyofterms: "mills"}}}}`, ["-", "ada", "cy"]],
    ["every: {}: everybody", `{works: {every: {}}}`, everybody],
    ["none", `{works: {none: {title: {anyofterms: "mills"}}}}`, ["-", "bo", "cy"]],
    ["none: {}: there is none", `{works: {none: {}}}`, ["-", "cy"]],
    ["all members together", `{works: {some: {title: {anyofterms: "stone"}}, every: {title: {anyofterms: "mills"}}}}`, ["ada"]],
    ["members that contradict each other", `{works: {some: {}, none: {}}}`, []],
    ["members that different objects satisfy", `{works: {some: {title: {anyofterms: "stone"}}, none: {title: {anyofterms: "sails"}}}}`, ["ada"]],
    ["count eq", `{works: {count: {eq: 2}}}`, ["ada", "bo"]],
    ["count eq 0", `{works: {count: {eq: 0}}}`, ["-", "cy"]],
    ["count gt", `{works: {count: {gt: 1}}}`, ["ada", "bo"]],
    ["count gt a negative number", `{works: {count: {gt: -5}}}`, everybody],
    ["count lt", `{works: {count: {lt: 1}}}`, ["-", "cy"]],
    ["count lt 0", `{works: {count: {lt: 0}}}`, []],
    ["count le and ge", `{works: {count: {le: 2, ge: 2}}}`, ["ada", "bo"]],
    ["count between", `{works: {count: {between: {min: 1, max: 2}}}}`, ["ada", "bo"]],
    ["count between bounds that cross", `{works: {count: {between: {min: 2, max: 1}}}}`, []],
    ["count in", `{works: {count: {in: [0, 1, 7]}}}`, ["-", "cy"]],
    ["count in nothing", `{works: {count: {in: []}}}`, []],
    ["count of an absent number", `{works: {count: {eq: null}}}`, []],
    ["count and a great number", `{works: {count: {ge: 2147483647}}}`, []],
    ["nulls are no condition", `{works: {some: null, every: null, none: null, count: null}}`, everybody],
    ["a null link is no condition", `{works: null}`, everybody],
    ["an object without members is no condition", `{works: {}}`, everybody],
    ["not", `{not: {works: {some: {title: {anyofterms: "stone"}}}}}`, ["-", "cy"]],
    ["or and and", `{or: [{works: {some: {title: {anyofterms: "sails"}}}}, {and: [{works: {count: {eq: 0}}}, {has: favourite}]}]}`, ["bo", "cy"]],
    ["a link of a type to itself", `{friends: {some: {works: {some: {title: {anyofterms: "sails"}}}}}}`, ["ada"]],
    ["members of a union", `{shelf: {some: {memberTypes: [Post], postFilter: {score: {gt: 5}}}}}`, ["cy"]],
    ["a union's member that fails", `{shelf: {some: {memberTypes: [Post], postFilter: {score: {lt: 5}}}}}`, []],
    ["every over a union", `{shelf: {every: {memberTypes: [Post]}, some: {}}}`, []],
    ["a count over a union", `{shelf: {count: {eq: 2}}}`, ["cy"]],
  ])("finds the objects whose links fit: %s", async (_, filter, expected) => {
    expect(await authors(filter)).toEqual(expected);
  });

  it("takes its conditions from variables", async () => {
    expect(await authors("{works: {some: $f}}", { f: { title: { anyofterms: "sails" } } })).toEqual(["bo"]);
    expect(await authors("{works: {some: $f}}", { f: null })).toEqual(everybody);
  });

  it("refuses a list of counts with more than 100 ranges", async () => {
    const counts = Array.from({ length: 101 }, (_, i) => i * 2).join(", ");
    await expect(authors(`{works: {count: {in: [${counts}]}}}`)).rejects.toThrow('use "between", "le" and "ge"');
  });
});

describe("a filter on a link to one object", () => {
  it.each([
    ["there is one, and it matches", `{author: {name: {anyofterms: "king"}}}`, ["stone mills", "wind mills"]],
    ["{}: there is one", `{author: {}}`, ["sails", "stone mills", "wind mills"]],
    ["null is no condition", `{author: null}`, ["adrift", "sails", "stone mills", "wind mills"]],
    ["not {}: there is none", `{not: {author: {}}}`, ["adrift"]],
    ["through two links", `{author: {friends: {some: {handle: {eq: "ada"}}}}}`, ["sails"]],
    ["and a filter of its own", `{author: {handle: {eq: "ada"}}, score: {gt: 5}}`, ["stone mills"]],
  ])("finds the objects whose link fits: %s", async (_, filter, expected) => {
    expect(await posts(filter)).toEqual(expected);
  });

  it("reads unions and interfaces", async () => {
    expect(await authors(`{favourite: {title: {anyofterms: "sails"}}}`)).toEqual(["cy"]);
    expect(await authors(`{top: {memberTypes: [Post]}}`)).toEqual(["cy"]);
    expect(await authors(`{top: {memberTypes: [Author]}}`)).toEqual([]);
    expect(await ask(`{ queryWork(filter: {author: {handle: {eq: "bo"}}}, order: {asc: title}) { title } }`)).toEqual({
      queryWork: [{ title: "sails" }, { title: "stone song" }],
    });
  });
});

describe("an order through links", () => {
  const ordered = async (type: string, args: string, shown: string) => {
    const answer = await ask(`{ query${type}(${args}) { ${shown} } }`);
    return (answer[`query${type}`] as Record<string, string>[]).map((each) => each[shown]);
  };

  it.each([
    [
      "by a value of the one object; objects without one come last",
      "order: {author: {asc: handle}}",
      ["stone mills", "wind mills", "sails", "adrift"],
    ],
    ["last also downwards", "order: {author: {desc: handle}}", ["sails", "stone mills", "wind mills", "adrift"]],
    ["then by an own value", "order: {author: {asc: handle}, then: {asc: score}}", ["wind mills", "stone mills", "sails", "adrift"]],
    ["after an own value", "order: {desc: score, then: {author: {desc: handle}}}", ["sails", "stone mills", "wind mills", "adrift"]],
    [
      "by a number at the other side",
      "order: {author: {friends: {desc: count}, then: {desc: handle}}}",
      ["sails", "stone mills", "wind mills", "adrift"],
    ],
    ["through two links", "order: {author: {favourite: {asc: title}}}", ["stone mills", "wind mills", "sails", "adrift"]],
    ["cut by a page", "order: {author: {desc: handle}}, first: 2, offset: 1", ["stone mills", "wind mills"]],
    ["with a filter", `order: {author: {desc: handle}}, filter: {score: {gt: 5}}`, ["sails", "stone mills"]],
    ["by nothing", "order: {author: {}}", ["stone mills", "wind mills", "sails", "adrift"]],
    ["by null", "order: {author: null, asc: title}", ["adrift", "sails", "stone mills", "wind mills"]],
  ])("sorts objects by what they link to: %s", async (_, args, expected) => {
    expect(await ordered("Post", args, "title")).toEqual(expected);
  });

  it("sorts by the number of links, none included, ties in the order in which objects were made", async () => {
    expect(await ordered("Author", "order: {works: {desc: count}}", "handle")).toEqual(["ada", "bo", "cy", "-"]);
    expect(await ordered("Author", "order: {works: {asc: count}, then: {desc: handle}}, first: 3", "handle")).toEqual(["cy", "-", "bo"]);
    expect(await ordered("Author", "order: {shelf: {desc: count}}, first: 1", "handle")).toEqual(["cy"]);
  });

  it("sorts lists of links, interfaces and payloads", async () => {
    expect(
      await ask(
        `{ queryAuthor(order: {asc: handle}) { friends(order: {works: {desc: count}}) { handle } works(order: {author: {desc: handle}, then: {desc: title}}, first: 1) { title } } }`,
      ),
    ).toEqual({
      queryAuthor: [
        { friends: [], works: [] },
        { friends: [{ handle: "bo" }], works: [{ title: "wind mills" }] },
        { friends: [{ handle: "ada" }], works: [{ title: "stone song" }] },
        { friends: [], works: [] },
      ],
    });
    expect(await ordered("Work", "order: {author: {desc: handle}}, first: 2", "title")).toEqual(["sails", "stone song"]);
    expect(
      await ask(
        `mutation { updatePost(input: {filter: {author: {}}, set: {score: 9}}) { post(order: {author: {desc: handle}}, first: 1) { title } } }`,
      ),
    ).toEqual({
      updatePost: { post: [{ title: "sails" }] },
    });
    await ask(`mutation { updatePost(input: {filter: {title: {allofterms: "wind"}}, set: {score: 2}}) { numUids } }`);
  });

  it("refuses two keys in one object, a key twice, and negative pages, with what to do", async () => {
    await expect(ordered("Post", "order: {asc: title, author: {asc: handle}}", "title")).rejects.toThrow(
      'An order of Post has asc and author in one object; give each an object of its own, by "then"',
    );
    await expect(ordered("Author", "order: {works: {asc: count}, friends: {asc: count}}", "handle")).rejects.toThrow(
      "works and friends in one object",
    );
    await expect(ordered("Post", "order: {author: {asc: handle}, then: {author: {desc: handle}}}", "title")).rejects.toThrow(
      "Sorting by an attribute: [Work.author.Author.handle] can only be done once",
    );
    await expect(ordered("Post", "order: {author: {asc: handle}}, first: -1", "title")).rejects.toThrow(
      "negative or infinite count with sorting: Work.author.Author.handle -1",
    );
  });

  it("has at most ten keys behind links, and follows at most ten links", async () => {
    const deep = Array.from({ length: 11 }).reduce<string>((inner) => `{favourite: {author: ${inner}}}`, "{asc: handle}");
    await expect(ordered("Author", `order: ${deep}`, "handle")).rejects.toThrow("An order follows at most 10 links");
  });
});

describe("wherever filters are", () => {
  it("filters nested lists, aggregates and payloads", async () => {
    expect(
      await ask(`{
        getAuthor(handle: "ada") { works(filter: {author: {friends: {count: {eq: 1}}}}) { title } worksAggregate(filter: {not: {author: {}}}) { count } }
        aggregateAuthor(filter: {works: {some: {title: {anyofterms: "stone"}}}}) { count }
      }`),
    ).toEqual({
      getAuthor: { works: [{ title: "stone mills" }, { title: "wind mills" }], worksAggregate: { count: 0 } },
      aggregateAuthor: { count: 2 },
    });
  });

  it("chooses what an update and a delete touch", async () => {
    await ask(
      `mutation { addAuthor(input: [{handle: "x1"}, {handle: "x2"}]) { numUids } addPost(input: [{title: "xx", author: {handle: "x1"}}]) { numUids } }`,
    );
    expect(await ask(`mutation { updatePost(input: {filter: {author: {handle: {eq: "x1"}}}, set: {score: 77}}) { post { title score } } }`)).toEqual({
      updatePost: { post: [{ title: "xx", score: 77 }] },
    });
    expect(await ask(`mutation { deleteAuthor(filter: {handle: {in: ["x1", "x2"]}, works: {none: {}}}) { author { handle } } }`)).toEqual({
      deleteAuthor: { author: [{ handle: "x2" }] },
    });
    expect(
      await ask(`mutation { deletePost(filter: {author: {handle: {eq: "x1"}}}) { numUids } deleteAuthor(filter: {handle: {eq: "x1"}}) { numUids } }`),
    ).toEqual({
      deletePost: { numUids: 1 },
      deleteAuthor: { numUids: 1 },
    });
  });

  it.each([
    `deleteAuthor(filter: {works: null}) { numUids }`,
    `deleteAuthor(filter: {works: {some: null}}) { numUids }`,
    `deleteAuthor(filter: {works: {count: {ge: null}}}) { numUids }`,
    `deleteAuthor(filter: {works: {some: {title: null}}}) { numUids }`,
    `deleteAuthor(filter: {handle: {eq: "ada"}, works: {every: {author: {name: null}}}}) { numUids }`,
    `deleteAuthor(filter: {or: [{works: {none: {title: {anyofterms: null}}}}]}) { numUids }`,
    `deleteAuthor(filter: {shelf: {some: {postFilter: {score: null}}}}) { numUids }`,
    `deleteAuthor(filter: {shelf: {some: {postFilter: null}}}) { numUids }`,
    `updatePost(input: {filter: {author: {name: null}}, set: {score: 1}}) { numUids }`,
  ])("refuses a write whose condition is null at any depth: %s", async (mutation) => {
    await expect(ask(`mutation { ${mutation} }`)).rejects.toThrow();
    expect(await authors("{}")).toEqual(everybody);
  });

  it("may delete by `{}` on a link: there is one", async () => {
    await ask(`mutation { addAuthor(input: [{handle: "y"}]) { numUids } addPost(input: [{title: "yy", author: {handle: "y"}}]) { numUids } }`);
    expect(
      await ask(
        `mutation { deletePost(filter: {author: {}, title: {allofterms: "yy"}}) { numUids } deleteAuthor(filter: {handle: {eq: "y"}}) { numUids } }`,
      ),
    ).toEqual({
      deletePost: { numUids: 1 },
      deleteAuthor: { numUids: 1 },
    });
  });
});

describe("a field that the caller may not read", () => {
  const guarded: DirectivePlugin = {
    name: "guarded",
    definitions: "",
    model: () => ({ permissions: () => unreadable }),
  };
  const unreadable = { mayRead: (name: string) => name !== "Work.title", checkWrites: () => undefined };

  it("matches nothing in a write, however deep the condition is and whatever it negates", async () => {
    const { kernel, remove } = await temporaryKernel({ plugins: [...standardPlugins(), guarded] });
    await kernel.deploy(schema);
    const run = async (query: string) => JSON.parse((await kernel.execute({ query })).body).data;
    await run(`mutation { addAuthor(input: [{handle: "ada"}]) { numUids } }`);
    for (const filter of [
      `works: {every: {title: {anyofterms: "x"}}}`,
      `works: {none: {title: {anyofterms: "x"}}}`,
      `friends: {every: {works: {none: {has: title}}}}`,
    ]) {
      expect(await run(`mutation { deleteAuthor(filter: {handle: {eq: "ada"}, ${filter}}) { numUids } }`), filter).toEqual({
        deleteAuthor: { numUids: 0 },
      });
    }
    expect(await run(`mutation { deleteAuthor(filter: {works: {none: {}}}) { numUids } }`)).toEqual({ deleteAuthor: { numUids: 1 } });
    await remove();
  });
});

describe("a deploy", () => {
  it("generates one input for each type that links to many lead to", () => {
    const sdl = prepareDeployment(schema, standardPlugins()).api.sdl.replace(/^\t*""".*\n/gm, "");
    expect(sdl).toContain("input WorkManyFilter {\n\tsome: WorkFilter\n\tevery: WorkFilter\n\tnone: WorkFilter\n\tcount: IntFilter\n}");
    expect(sdl.match(/input AuthorManyFilter/g)).toHaveLength(1);
    expect(sdl).toContain("\tauthor: AuthorFilter\n");
    expect(sdl).toContain("input WorkOrder {\n\tasc: WorkOrderable\n\tdesc: WorkOrderable\n\tauthor: AuthorOrder\n\tthen: WorkOrder\n}");
    expect(sdl).toContain("enum WorkManyOrderable {\n\tcount\n}");
    expect(sdl).not.toContain("ThingOrder");
  });

  it("generates the same API as before without the directive on a link", () => {
    const { sdl } = prepareDeployment(
      schema.replaceAll(/(\w+: \[?(?:Work|Author|Thing)\]?[^\n]*?) @search\n/g, "$1\n").replace("author: Author @search", "author: Author"),
      standardPlugins(),
    ).api;
    expect(sdl).not.toContain("Many");
    expect(sdl).not.toMatch(/\t(author|works|favourite|shelf|top|friends): \w+Filter/);
  });

  it("refuses a link whose name its filter or order has already", () => {
    const found = problems("type A {\n  has: A @search\n  then: [A] @search\n  other: A @search\n}");
    expect(found).toHaveLength(2);
    expect(found[0]).toContain("Type A; Field has: has the @search directive, but the filter or the order of A has a member has of its own");
    expect(found[1]).toContain("@3:14");
  });

  it("refuses words on a link", () => {
    expect(problems("type A {\n  next: A @search(by: [term])\n}")[0]).toContain(
      "has the @search directive but the argument term doesn't apply to field type A",
    );
  });

  it("refuses names that it would generate twice, and takes names beside them", async () => {
    const prepared = (text: string) => () => prepareDeployment(text, standardPlugins());
    const post = "type Post { a: Int  next: [Post] @search }";
    expect(prepared(`${post} type PostMany { a: Int }`)).toThrow("PostManyFilter would be generated");
    expect(prepared(`${post} input PostManyFilter { a: Int }`)).toThrow("PostManyFilter is a reserved word");
    expect(prepared(`${post} type PostMan { a: Int  next: [PostMan] @search }`)).not.toThrow();
    expect(
      problems("type Todo { a: Int  lists: [TodoList] @search }\ntype TodoList { todos: [Todo] @search }\ntype Count { counts: [Count] @search }"),
    ).toEqual([]);
  });
});
