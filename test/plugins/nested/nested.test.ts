// `@nested`: what an update does to linked objects, in which order, and who may.

import { describe, expect, it } from "vitest";
import { deploy } from "../auth/harness.ts";
import { line, token } from "../auth/token.ts";

const blog = (rule = "") => `
  type Author @nested { name: String! @id  posts: [Post] @hasInverse(field: author)  editor: Author  staff: [Author] @hasInverse(field: editor)  works: [Work] }
  type Post @withSubscription ${rule} { title: String! @id  score: Int @search @increment  author: Author @nested  tags: [Tag] @nested }
  type PostDraft { title: String! @id  score: Int }
  interface Tag { name: String! @id }
  type Topic implements Tag { about: String }
  type Place implements Tag { town: String }
  union Work = PostDraft | Topic`;

type Ask = Awaited<ReturnType<typeof deploy>>["ask"];

async function start(rule = "") {
  const api = await deploy(`${rule === "" ? "" : line}\n${blog(rule)}`);
  const made = await api.ask(
    `mutation { addAuthor(input: [
    { name: "a", posts: [{ title: "p1", score: 1 }, { title: "p2", score: 2 }, { title: "p3", score: 3 }], editor: { name: "e" } },
    { name: "b", posts: [{ title: "q1", score: 1 }] }]) { numUids } }`,
    token({ ROLE: "clerk" }),
  );
  expect(made.errors).toBeUndefined();
  return api;
}

const links = (what: string, filter = '{ name: { eq: "a" } }') =>
  `mutation { updateAuthor(input: { filter: ${filter}, links: ${what} }) { numUids } }`;
const done = { data: { updateAuthor: { numUids: 1 } } };

/** `a: p1 p2 | b: q1`, and what has no author. */
async function posts(ask: Ask): Promise<string> {
  const { data } = await ask("{ queryPost(order: { asc: title }) { title score author { name } } }", token({ ROLE: "clerk" }));
  return (data as { queryPost: { title: string; score: number; author: { name: string } | null }[] }).queryPost
    .map(({ title, score, author }) => `${title}=${score}${author ? `@${author.name}` : ""}`)
    .join(" ");
}

describe("@nested on a list", () => {
  it("removes links, deletes, updates and adds, among the linked objects only", async () => {
    const { ask } = await start();
    expect(await ask(links("{ posts: { remove: { score: { eq: 1 } } } }"))).toEqual(done);
    expect(await posts(ask)).toBe("p1=1 p2=2@a p3=3@a q1=1@b");
    expect(await ask(links("{ posts: { delete: { score: { le: 2 } } } }"))).toEqual(done);
    expect(await posts(ask)).toBe("p1=1 p3=3@a q1=1@b");
    expect(await ask(links("{ posts: { update: [{ filter: { score: { ge: 1 } }, set: { score: 9 } }] } }"))).toEqual(done);
    expect(await posts(ask)).toBe("p1=1 p3=9@a q1=1@b");
    expect(await ask(links('{ posts: { add: [{ title: "p1" }, { title: "p4", score: 4 }] } }'))).toEqual(done);
    expect(await posts(ask)).toBe("p1=1@a p3=9@a p4=4@a q1=1@b");
  });

  it("acts on the links as they were before: updates see what is removed, and not what is added", async () => {
    const { ask } = await start();
    await ask(
      links(`{ posts: {
      add: [{ title: "p4", score: 1 }, { title: "q1" }],
      update: [{ filter: {}, set: { score: 7 } }],
      delete: { title: { eq: "p2" } }, remove: { title: { eq: "p1" } } } }`),
    );
    expect(await posts(ask)).toBe("p1=7 p3=7@a p4=1@a q1=1@a");
  });

  it("replaces all links; an empty list empties, null does nothing", async () => {
    const { ask } = await start();
    await ask(links('{ posts: { replace: [{ title: "p2" }, { title: "q1" }] } }'));
    expect(await posts(ask)).toBe("p1=1 p2=2@a p3=3 q1=1@a");
    await ask(links("{ posts: { replace: null } }"));
    expect(await posts(ask)).toBe("p1=1 p2=2@a p3=3 q1=1@a");
    await ask(links("{ posts: { replace: [] } }"));
    expect(await posts(ask)).toBe("p1=1 p2=2 p3=3 q1=1");
    const refused = await ask(links('{ posts: { replace: [], add: [{ title: "p1" }] } }'));
    expect(refused.errors?.[0]?.message).toContain("links.posts of Author has replace and add, and replace stands alone");
  });

  it("takes {} for all, and nothing for null and absent filters; a filter that nulls would widen is refused", async () => {
    const { ask } = await start();
    await ask(links("{ posts: { remove: null, delete: null, update: null, add: null } }"));
    await ask(links("{ posts: null }"));
    await ask(links("null"));
    expect((await ask(links("{ posts: { delete: { title: null } } }"))).errors?.[0]?.message).toContain(
      "its filter selects every object only through nulls",
    );
    expect(await posts(ask)).toBe("p1=1@a p2=2@a p3=3@a q1=1@b");
    await ask(links("{ posts: { delete: {} } }", "{}"));
    expect(await posts(ask)).toBe("");
  });

  it("goes down any number of links, with set and increment on the way", async () => {
    const { ask } = await start();
    await ask(`mutation { updateAuthor(input: { filter: { name: { eq: "a" } }, links: { editor: { update: {
      links: { staff: { update: [{ filter: {}, links: { posts: { update: [{ filter: { score: { eq: 3 } }, set: { tags: [{ name: "t" }] } }] } } }] } } } } } }) { numUids } }`);
    await ask('mutation { addTopic(input: [{ name: "t" }]) { numUids } }');
    await ask(
      `mutation { updatePost(input: { filter: { title: { eq: "p3" } }, increment: { score: 1 }, links: { tags: { add: [{ name: "t" }] }, author: { update: { set: { posts: [{ title: "n", score: 0 }] } } } } }) { numUids } }`,
    );
    const { data } = await ask('{ getAuthor(name: "a") { posts(order: { asc: title }) { title score tags { name } } } }');
    expect(data).toEqual({
      getAuthor: {
        posts: [
          { title: "n", score: 0, tags: [] },
          { title: "p1", score: 1, tags: [] },
          { title: "p2", score: 2, tags: [] },
          { title: "p3", score: 4, tags: [{ name: "t" }] },
        ],
      },
    });
    await ask('mutation { updatePost(input: { filter: { title: { eq: "p3" } }, links: { tags: { delete: { name: { eq: "t" } } } } }) { numUids } }');
    expect(await ask("{ queryTag { name } }")).toEqual({ data: { queryTag: [] } });
  });

  it("works through unions", async () => {
    const { ask } = await start();
    await ask(links('{ works: { add: [{ topicRef: { name: "t" } }, { postDraftRef: { title: "d" } }] } }'));
    await ask(links("{ works: { remove: { memberTypes: [Topic] } } }"));
    expect(await ask('{ getAuthor(name: "a") { works { __typename } } queryTopic { name } }')).toEqual({
      data: { getAuthor: { works: [{ __typename: "PostDraft" }] }, queryTopic: [{ name: "t" }] },
    });
    await ask(links("{ works: { delete: {} } }"));
    expect(await ask("{ aggregatePostDraft { count } aggregateTopic { count } }")).toEqual({
      data: { aggregatePostDraft: { count: 0 }, aggregateTopic: { count: 1 } },
    });
  });
});

describe("@nested on a single link", () => {
  it("updates, replaces, removes, and deletes", async () => {
    const { ask } = await start();
    const editor = async () => JSON.stringify((await ask('{ getAuthor(name: "a") { editor { name posts { title } } } }')).data);
    await ask(links('{ editor: { update: { set: { posts: [{ title: "x" }] } } } }'));
    expect(await editor()).toContain('"editor":{"name":"e","posts":[{"title":"x"}]}');
    await ask(links('{ editor: { replace: { name: "b" } } }'));
    expect(await editor()).toContain('"name":"b"');
    await ask(links("{ editor: { remove: false, delete: false, update: null, replace: null } }"));
    expect(await editor()).toContain('"name":"b"');
    await ask(links("{ editor: { remove: true } }"));
    expect(await editor()).toContain('"editor":null');
    await ask(links('{ editor: { replace: { name: "f" } } }'));
    await ask(links("{ editor: { delete: true } }"));
    expect(await ask("{ queryAuthor(order: { asc: name }) { name } }")).toEqual({
      data: { queryAuthor: [{ name: "a" }, { name: "b" }, { name: "e" }] },
    });
  });
});

describe("rules", () => {
  const only = (kind: string) => `@auth(${kind}: { rule: "{ $ROLE: { eq: \\"clerk\\" } }" })`;
  const guest = token({ ROLE: "guest" });

  it.each([
    ["update", "{ posts: { update: [{ filter: {}, set: { score: 9 } }] } }"],
    ["delete", "{ posts: { delete: {} } }"],
    ["query", "{ posts: { remove: {} } }"],
  ])("of %s hide objects from that step, which changes none of them", async (kind, what) => {
    const { ask } = await start(only(kind));
    expect(await ask(links(what), guest)).toEqual(done);
    expect(await posts(ask)).toBe("p1=1@a p2=2@a p3=3@a q1=1@b");
    expect(await ask(links(what), token({ ROLE: "clerk" }))).toEqual(done);
    expect(await posts(ask)).not.toBe("p1=1@a p2=2@a p3=3@a q1=1@b");
  });

  it("of add refuse all steps together", async () => {
    const { ask } = await start(only("add"));
    const answer = await ask(links('{ posts: { delete: { title: { eq: "p1" } }, add: [{ title: "new" }] } }'), guest);
    expect(answer.data).toEqual({ updateAuthor: null });
    expect(await posts(ask)).toBe("p1=1@a p2=2@a p3=3@a q1=1@b");
  });
});

describe("a nested update", () => {
  it("is one commit: live queries see it whole", async () => {
    const { ask, stack } = await start();
    const live = stack.kernel.live({ query: "subscription { queryPost(order: { asc: title }) { title } }" });
    await live.next();
    await ask(links('{ posts: { delete: { title: { eq: "p1" } }, add: [{ title: "z" }] } }'));
    expect((await live.next()).value?.data).toEqual({ queryPost: ["p2", "p3", "q1", "z"].map((title) => ({ title })) });
    await live.return?.();
  });

  it("leaves a consistent store after concurrent ones on the same objects", async () => {
    const { ask, stack } = await start();
    const what = [
      '{ posts: { replace: [{ title: "p1" }, { title: "p2" }] } }',
      "{ posts: { remove: {} } }",
      "{ posts: { delete: { score: { eq: 3 } } } }",
      '{ posts: { add: [{ title: "p9", score: 3 }] } }',
    ];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => ask(links(what[i % 4] ?? "", `{ name: { eq: "${i % 3 === 0 ? "b" : "a"}" } }`))),
    );
    expect(answers.filter(({ errors }) => errors !== undefined)).toEqual([]);
    expect((await stack.kernel.storage.verify()).faults).toEqual([]);
  });

  it("reads the links of all updated objects within limits.maxTouchedNodes, and writes nothing beyond it", async () => {
    const schema =
      "type Club @nested { code: String! @id  members: [Person] @search }\ntype Person { name: String! @id  clubs: [Club] @hasInverse(field: members) @search }";
    const { ask, stack } = await deploy(schema, {}, { limits: { maxTouchedNodes: 6_000 } });
    const clubs = Array.from({ length: 60 }, (_, i) => `{ code: "c${i}" }`).join(" ");
    const join = (from: number) =>
      `mutation { addPerson(input: [${Array.from({ length: 20 }, (_, i) => `{ name: "p${from + i}", clubs: [${clubs}] }`).join(" ")}]) { numUids } }`;
    for (const from of [0, 20, 40]) expect((await ask(join(from))).errors).toBeUndefined();
    const counted = async () =>
      JSON.stringify((await ask("{ queryClub(filter: { members: { count: { eq: 60 } } }) { code } }")).data).split("code").length - 1;
    // 3,600 links.
    const odd = Array.from({ length: 30 }, (_, i) => `"p${2 * i + 1}"`).join(" ");
    expect(
      (await ask(`mutation { updateClub(input: { filter: {}, links: { members: { remove: { name: { in: [${odd}] } } } } }) { numUids } }`)).errors,
    ).toBeUndefined();
    expect(await ask("{ queryClub(filter: { not: { members: { count: { eq: 30 } } } }) { code } }")).toEqual({ data: { queryClub: [] } });
    expect(await ask("{ queryPerson(filter: { clubs: { count: { ge: 1 } } }, order: { asc: name }, first: 2) { name } }")).toEqual({
      data: { queryPerson: [{ name: "p0" }, { name: "p10" }] },
    });
    for (const from of [60, 80, 100, 120, 140, 160]) expect((await ask(join(from))).errors).toBeUndefined();
    const refused = await ask("mutation { updateClub(input: { filter: {}, links: { members: { remove: {} } } }) { numUids } }");
    expect(refused.errors?.[0]?.message).toContain("limits.maxTouchedNodes");
    expect(await counted()).toBe(0);
    expect((await ask("{ queryClub(filter: { members: { count: { eq: 150 } } }, first: 1) { code } }")).data).toEqual({
      queryClub: [{ code: "c0" }],
    });
    expect((await stack.kernel.storage.verify()).faults).toEqual([]);
  });

  it("adds inputs to schemas that use it, and to no other", async () => {
    const { stack } = await deploy(
      "type A { name: String! @id  bs: [B] @nested  c: C @nested }\ntype B @generate(mutation: { update: false, delete: false }) { name: String! @id }\ntype C { name: String! @id }",
    );
    const { sdl } = stack.kernel.deployment?.api ?? { sdl: "" };
    const bare = sdl.replace(/^\t*""".*\n/gm, "");
    const input = (name: string) => new RegExp(`input ${name} \\{([^}]*)\\}`).exec(bare)?.[1]?.replace(/\s+/g, " ").trim();
    expect(input("ANestedPatch")).toBe("bs: BManyNested c: COneNested");
    expect(input("BManyNested")).toBe("remove: BFilter add: [BRef!] replace: [BRef!]");
    expect(input("COneNested")).toBe("remove: Boolean delete: Boolean update: CNestedSet replace: CRef");
    expect(input("CNestedSet")).toBe("set: CPatch remove: CPatch");
    const errors = await stack.kernel.validate("type A @nested {\n n: Int @nested\n}");
    expect(errors.map(({ message }) => message)).toEqual(["Type A: @nested finds no link in it.", "Type A; Field n: @nested is for links."]);
    const clash = await stack.kernel.validate("type A { name: String! @id  as: [A] @nested }\ntype ANestedPatch { n: Int }");
    expect(clash).toHaveLength(1);
    await stack.kernel.deploy("type ANestedPatch { nested: Int  links: [ANestedPatch] }");
    expect(stack.kernel.deployment?.api.sdl).not.toContain("@nested");
  });
});
