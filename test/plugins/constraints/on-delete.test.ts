// `@onDelete`: what goes with a deleted object, what keeps it, and who may.

import { describe, expect, it } from "vitest";
import { deploy } from "../auth/harness.ts";
import { line, token } from "../auth/token.ts";

const blog = `
  type Author { name: String! @id  posts: [Post] @hasInverse(field: author) @onDelete(linked: DELETE)  friends: [Author] @hasInverse(field: friends) }
  type Post @withSubscription { title: String! @id  author: Author  comments: [Comment] @onDelete(linked: DELETE)  tags: [Tag] }
  type PostArchive { title: String! @id  comments: [Comment] }
  interface Comment { text: String! @id }
  type Praise implements Comment { stars: Int  replies: [Reply] @onDelete(linked: DELETE) }
  type Blame implements Comment { about: Post }
  union Reply = Praise | Blame
  type Tag { name: String! @id }`;

const all = "{ queryAuthor { name } queryPost { title } queryComment { text } queryTag { name } }";
const names = (data: unknown) =>
  Object.values(data as Record<string, object[]>)
    .flat()
    .flatMap((each) => Object.values(each))
    .sort()
    .join(" ");

describe("@onDelete(linked: DELETE)", () => {
  it("deletes what is linked, on and on, through interfaces and unions, and nothing else", async () => {
    const { ask } = await deploy(blog);
    await ask(`mutation { addAuthor(input: [
      { name: "a", friends: [{ name: "f" }], posts: [
        { title: "p1", tags: [{ name: "t" }], comments: [] },
        { title: "p2" }] },
      { name: "b", posts: [{ title: "p3" }] }]) { numUids } }`);
    await ask(
      `mutation { addPraise(input: [{ text: "c1", replies: [{ blameRef: { text: "c2" } }, { praiseRef: { text: "c3", replies: [{ praiseRef: { text: "c4" } }] } }] }, { text: "c5" }]) { numUids } }`,
    );
    await ask('mutation { updatePost(input: { filter: { title: { eq: "p1" } }, set: { comments: [{ text: "c1" }] } }) { numUids } }');
    await ask('mutation { addPostArchive(input: [{ title: "x", comments: [{ text: "c5" }] }]) { numUids } }');
    expect(await ask('mutation { deleteAuthor(filter: { name: { eq: "a" } }) { msg numUids author { name } } }')).toEqual({
      data: { deleteAuthor: { msg: "Deleted", numUids: 1, author: [{ name: "a" }] } },
    });
    expect(names((await ask(all)).data)).toBe("b c5 f p3 t");
    await ask('mutation { deletePostArchive(filter: { title: { eq: "x" } }) { numUids } }');
    expect(names((await ask(all)).data)).toBe("b c5 f p3 t");
  });

  it("ends on cycles, and on objects that lead to themselves", async () => {
    const { ask } = await deploy("type Ring { name: String! @id  next: [Ring] @onDelete(linked: DELETE) }");
    await ask(
      'mutation { addRing(input: [{ name: "a", next: [{ name: "b", next: [{ name: "c", next: [{ name: "a" }, { name: "c" }] }] }] }, { name: "d" }]) { numUids } }',
    );
    expect(await ask('mutation { deleteRing(filter: { name: { eq: "b" } }) { numUids } }')).toEqual({ data: { deleteRing: { numUids: 1 } } });
    expect(await ask("{ queryRing { name } }")).toEqual({ data: { queryRing: [{ name: "d" }] } });
  });

  it("deletes a long chain, within maxChanges", async () => {
    const { ask } = await deploy("type Ring { name: String! @id  next: Ring @onDelete(linked: DELETE) }", {}, { limits: { maxChanges: 500 } });
    const chain = async (length: number) => {
      for (let i = 0; i < length; i++)
        await ask(`mutation { addRing(input: [{ name: "${i}"${i > 0 ? `, next: { name: "${i - 1}" }` : ""} }]) { numUids } }`);
    };
    await chain(501);
    const last = (name: string) => ask(`mutation { deleteRing(filter: { name: { eq: "${name}" } }) { numUids } }`);
    expect((await last("500")).errors?.[0]?.message).toContain("more than one mutation may change (limits.maxChanges)");
    expect(await ask("{ aggregateRing { count } }")).toEqual({ data: { aggregateRing: { count: 501 } } });
    expect(await last("499")).toEqual({ data: { deleteRing: { numUids: 1 } } });
    expect(await ask("{ queryRing { name next { name } } }")).toEqual({ data: { queryRing: [{ name: "500", next: null }] } });
  });

  it("asks the delete rule of each type, and one refusal refuses all", async () => {
    const rule = '@auth(delete: { rule: "{ $ROLE: { eq: \\"clerk\\" } }" })';
    const { ask } = await deploy(`${line}\n type A { name: String! @id  bs: [B] @onDelete(linked: DELETE) }\n type B ${rule} { name: String! @id }`);
    await ask('mutation { addA(input: [{ name: "a", bs: [{ name: "b" }] }, { name: "free" }]) { numUids } }');
    const { data, errors } = await ask("mutation { deleteA(filter: {}) { numUids } }", token({ ROLE: "guest" }));
    expect(data).toEqual({ deleteA: null });
    expect(errors?.[0]?.message).toContain("@onDelete(linked: DELETE) on A.bs leads to an object that this request may not delete");
    expect(await ask("{ aggregateA { count } aggregateB { count } }")).toEqual({ data: { aggregateA: { count: 2 }, aggregateB: { count: 1 } } });
    expect(await ask("mutation { deleteA(filter: {}) { numUids } }", token({ ROLE: "clerk" }))).toEqual({ data: { deleteA: { numUids: 2 } } });
    expect(await ask("{ aggregateB { count } }")).toEqual({ data: { aggregateB: { count: 0 } } });
  });

  it("wakes live queries of the types that it empties", async () => {
    const { ask, stack } = await deploy(blog);
    await ask('mutation { addAuthor(input: [{ name: "a", posts: [{ title: "p" }] }]) { numUids } }');
    const live = stack.kernel.live({ query: "subscription { queryPost { title } }" });
    expect((await live.next()).value?.data).toEqual({ queryPost: [{ title: "p" }] });
    await ask("mutation { deleteAuthor(filter: {}) { numUids } }");
    expect((await live.next()).value?.data).toEqual({ queryPost: [] });
    await live.return?.();
  });

  it("leaves no orphan when many add while one deletes", async () => {
    const { ask, stack } = await deploy(blog);
    await ask('mutation { addAuthor(input: [{ name: "a" }]) { numUids } }');
    const adding = Array.from({ length: 40 }, (_, i) => ask(`mutation { addPost(input: [{ title: "p${i}", author: { name: "a" } }]) { numUids } }`));
    const deleting = ask('mutation { deleteAuthor(filter: { name: { eq: "a" } }) { numUids } }');
    await Promise.all([...adding, deleting]);
    const { data } = await ask("{ queryPost { author { name } } }");
    // A post that came after the deletion has made an author of its own.
    for (const { author } of (data as { queryPost: { author: unknown }[] }).queryPost) expect(author).toEqual({ name: "a" });
    expect((await stack.kernel.storage.verify()).faults).toEqual([]);
  });

  it("warns at the deploy about a single link whose other side is a list", async () => {
    const { stack } = await deploy("type A { n: Int }");
    const warnings: string[] = [];
    const schema = "type Author { posts: [Post] @hasInverse(field: author) }\ntype Post { id: ID!  author: Author @onDelete(linked: DELETE) }";
    await stack.kernel.deploy(schema, { onWarning: (message) => warnings.push(message) });
    expect(warnings).toEqual([
      "Type Post; Field author: deleting one Post deletes the Author that others link to as well. To delete them with it, write @onDelete(linked: DELETE) on Author.posts.",
    ]);
  });
});

describe("@onDelete(linked: RESTRICT)", () => {
  const shelf = `
    type Shelf { name: String! @id  boxes: [Box] @hasInverse(field: shelf) @onDelete(linked: RESTRICT) }
    type Box RULE { name: String! @id  shelf: Shelf  lids: [Lid] @onDelete(linked: DELETE) }
    type Lid { name: String! @id  box: Shelf @onDelete(linked: RESTRICT) }`;

  it("refuses while an object is linked, and not when it goes in the same mutation", async () => {
    const { ask } = await deploy(
      shelf
        .replace("RULE", "")
        .replace("type Box", "type Box implements Thing")
        .replace("type Shelf", "interface Thing { name: String! @id }\ntype Shelf implements Thing"),
    );
    await ask('mutation { addShelf(input: [{ name: "s", boxes: [{ name: "b" }] }, { name: "empty" }]) { numUids } }');
    const { errors } = await ask("mutation { deleteShelf(filter: {}) { numUids } }");
    expect(errors?.[0]?.message).toContain("Shelf.boxes still leads to an object, and @onDelete(linked: RESTRICT) keeps both");
    expect(await ask("{ aggregateShelf { count } }")).toEqual({ data: { aggregateShelf: { count: 2 } } });
    expect(await ask('mutation { deleteShelf(filter: { name: { eq: "empty" } }) { numUids } }')).toEqual({ data: { deleteShelf: { numUids: 1 } } });
    expect(await ask("mutation { deleteThing(filter: {}) { numUids } }")).toEqual({ data: { deleteThing: { numUids: 2 } } });
  });

  it("counts hidden objects, and does not name them", async () => {
    const { ask } = await deploy(`${line}\n${shelf.replace("RULE", '@auth(query: { rule: "{ $ROLE: { eq: \\"clerk\\" } }" })')}`);
    await ask('mutation { addShelf(input: [{ name: "s", boxes: [{ name: "hidden" }] }]) { numUids } }');
    const answer = await ask("mutation { deleteShelf(filter: {}) { numUids } }", token({ ROLE: "guest" }));
    expect(answer.errors?.[0]?.message).toContain("Shelf.boxes still leads to an object");
    expect(JSON.stringify(answer)).not.toContain("hidden from");
    expect(JSON.stringify(answer)).not.toMatch(/0x/);
  });

  it("stops a cascade that reaches it", async () => {
    const { ask } = await deploy(shelf.replace("RULE", ""));
    await ask('mutation { addBox(input: [{ name: "b", lids: [{ name: "l", box: { name: "s" } }] }]) { numUids } }');
    expect((await ask("mutation { deleteBox(filter: {}) { numUids } }")).errors?.[0]?.message).toContain("Lid.box still leads to an object");
    expect(await ask("{ aggregateBox { count } aggregateLid { count } }")).toEqual({
      data: { aggregateBox: { count: 1 }, aggregateLid: { count: 1 } },
    });
  });
});

describe("@onDelete", () => {
  it("UNLINK is what happens without it", async () => {
    const { ask } = await deploy(
      "type A { name: String! @id  bs: [B] @hasInverse(field: a) @onDelete(linked: UNLINK) }\ntype B { name: String! @id  a: A }",
    );
    await ask('mutation { addA(input: [{ name: "a", bs: [{ name: "b" }] }]) { numUids } }');
    await ask("mutation { deleteA(filter: {}) { numUids } }");
    expect(await ask("{ queryB { name a { name } } }")).toEqual({ data: { queryB: [{ name: "b", a: null }] } });
  });

  it("is refused on a value, at its line", async () => {
    const { stack } = await deploy("type OnDelete { unique: Int }");
    const errors = await stack.kernel.validate("type A {\n n: Int @onDelete(linked: DELETE)\n}");
    expect(errors.map(({ message, locations }) => [message, locations?.[0]?.line])).toEqual([["Type A; Field n: @onDelete is for links.", 2]]);
  });
});
