// `@unique` on a field and on a type: under concurrency, inside one request, over old data, and who learns which object is in the way.

import { describe, expect, it } from "vitest";
import { deploy } from "../auth/harness.ts";
import { line, token } from "../auth/token.ts";

const post = `
  interface Named { name: String @unique }
  type Post implements Named @unique(fields: ["slug", "year"]) { id: ID!  slug: String  year: Int  lang: Lang  code: DateTime @unique }
  type PostNote implements Named { id: ID!  slug: String  year: Int }
  enum Lang { EN DE }`;

const add = (values: string, type = "Post") => `mutation { add${type}(input: [${values}]) { numUids } }`;
const failed = (field: string, reason: string) => [
  expect.objectContaining({ message: `couldn't rewrite mutation ${field} because failed to rewrite mutation payload because ${reason}` }),
];
const together = "Post.slug and Post.year must be unique together, and another object has these values";

describe("@unique", () => {
  it("on a type: the combination is unique, and a null in it is no combination", async () => {
    const { ask } = await deploy(post);
    expect(
      await ask(add('{ slug: "a", year: 1 }, { slug: "a", year: 2 }, { slug: "b", year: 1 }, { slug: "a" }, { slug: "a" }, { year: 1 }')),
    ).toEqual({
      data: { addPost: { numUids: 6 } },
    });
    const { data } = await ask("{ queryPost(first: 1) { id } }");
    const [{ id }] = (data as { queryPost: [{ id: string }] }).queryPost;
    expect((await ask(add('{ slug: "a", year: 1 }'))).errors).toEqual(failed("addPost", `${together}: ${id}`));
    expect(await ask(add('{ slug: "a", year: 1 }', "PostNote"))).toEqual({ data: { addPostNote: { numUids: 1 } } });
  });

  it("holds inside one request, for updates, and frees what is deleted or cleared", async () => {
    const { ask } = await deploy(post);
    expect((await ask(add('{ slug: "a", year: 1 }, { slug: "a", year: 1 }'))).errors).toEqual(failed("addPost", together));
    await ask(add('{ slug: "a", year: 1 }, { slug: "b", year: 1 }'));
    const update = (filter: string, patch: string) => ask(`mutation { updatePost(input: { filter: ${filter}, ${patch} }) { numUids } }`);
    const { data } = await ask("{ queryPost { id } }");
    const [first, second] = (data as { queryPost: { id: string }[] }).queryPost.map(({ id }) => id);
    expect((await update("{}", 'set: { slug: "c" }')).errors).toHaveLength(1);
    expect((await update(`{ id: ["${second}"] }`, 'set: { slug: "a" }')).errors).toEqual(failed("updatePost", `${together}: ${first}`));
    expect(await update(`{ id: ["${first}"] }`, "remove: { year: null }")).toEqual({ data: { updatePost: { numUids: 1 } } });
    expect(await update(`{ id: ["${second}"] }`, 'set: { slug: "a" }')).toEqual({ data: { updatePost: { numUids: 1 } } });
    await ask(`mutation { deletePost(filter: { id: ["${second}"] }) { numUids } }`);
    expect(await ask(add('{ slug: "a", year: 1 }'))).toEqual({ data: { addPost: { numUids: 1 } } });
  });

  it("on a field of an interface: no two objects of its types share the value; instants are compared, not texts", async () => {
    const { ask } = await deploy(post);
    await ask(add('{ name: "n", code: "2031-04-09T06:00:00Z" }'));
    expect((await ask(add('{ name: "n" }', "PostNote"))).errors).toEqual(
      failed("addPostNote", `Named.name must be unique, and another object has this value: ${await idOf(ask)}`),
    );
    expect((await ask(add('{ code: "2031-04-09T08:00:00+02:00" }'))).errors?.[0]?.message).toContain("Post.code must be unique");
    expect(await ask(add('{ name: "" }, { name: "N" }'))).toEqual({ data: { addPost: { numUids: 2 } } });
  });

  it("lets one of many concurrent writers have a combination", async () => {
    const { ask } = await deploy(post);
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => ask(add(`{ slug: "s${i % 6}", year: ${i % 3} }`))));
    expect(answers.filter(({ errors }) => errors === undefined)).toHaveLength(6);
    const { data } = await ask("{ queryPost(order: { asc: slug }) { slug year } }");
    expect(data).toEqual({ queryPost: Array.from({ length: 6 }, (_, i) => ({ slug: `s${i}`, year: i % 3 })) });
  });

  it("names the object in the way only to a caller who may see it", async () => {
    const rule = '@auth(query: { rule: "{ $ROLE: { eq: \\"clerk\\" } }" })';
    const { ask } = await deploy(`${line}\n type Box @unique(fields: ["shelf", "place"]) ${rule} { shelf: Int  place: Int }`);
    await ask(add("{ shelf: 1, place: 2 }", "Box"));
    const message = async (headers: string) => (await ask(add("{ shelf: 1, place: 2 }", "Box"), headers)).errors?.[0]?.message;
    expect(await message(token({ ROLE: "clerk" }))).toMatch(
      /Box.place and Box.shelf must be unique together, and another object has these values: 0x[0-9a-f]+$/,
    );
    expect(await message(token({ ROLE: "guest" }))).toMatch(/another object has these values$/);
  });

  it("refuses a deploy over duplicates, and names ten", async () => {
    const { ask, stack } = await deploy("type Box { shelf: Int  place: Int }");
    await ask(add(Array.from({ length: 24 }, (_, i) => `{ shelf: ${i % 12}, place: 1 }`).join(" "), "Box"));
    const refused = await stack.kernel.deploy('type Box @unique(fields: ["shelf", "place"]) { shelf: Int  place: Int }').catch((thrown) => thrown);
    expect(refused.code).toBe("MIGRATION_REFUSED");
    expect(refused.message).toMatch(/^Box.place and Box.shelf must be unique, but 1, \d+ is held by 0x\w+ and 0x\w+; .*; and 2 more$/);
    expect(refused.message.match(/is held by/g)).toHaveLength(10);
    await ask("mutation { deleteBox(filter: {}) { numUids } }");
    await stack.kernel.deploy('type Box @unique(fields: ["shelf", "place"]) { shelf: Int  place: Int }');
  });

  it("refuses what cannot be unique", async () => {
    const { stack } = await deploy("type A { n: Int }");
    const messages = async (schema: string) => (await stack.kernel.validate(schema)).map(({ message }) => message);
    expect(
      await messages(`type A @unique @unique(fields: ["n", "m"]) @unique(fields: ["n", "n"]) @unique(fields: ["all"]) {
        n: Int @unique(fields: ["n"])  tags: [String] @unique  at: Point @unique  a: A @unique  all: [A] }`),
    ).toEqual([
      "Type A: @unique on a type needs the names of its fields.",
      expect.stringContaining("Type A: @unique names the field m, which A does not have"),
      "Type A: @unique names the field n twice.",
      "Type A: @unique names the field all, which leads to many objects.",
      "Type A; Field n: @unique on a field takes no fields.",
      "Type A; Field tags: @unique is for fields with one scalar or enum value.",
      "Type A; Field at: @unique is for fields with one scalar or enum value.",
      "Type A; Field a: @unique is for fields with one scalar or enum value.",
    ]);
  });
});

async function idOf(ask: Awaited<ReturnType<typeof deploy>>["ask"]): Promise<string> {
  const { data } = await ask("{ queryPost { id } }");
  return (data as { queryPost: [{ id: string }] }).queryPost[0].id;
}
