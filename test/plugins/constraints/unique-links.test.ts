// `@unique(fields: [...])` over a link: moved links, both sides, deletes, rules, deploys over old data, other fields later.

import { describe, expect, it } from "vitest";
import { deploy } from "../auth/harness.ts";
import { line, token } from "../auth/token.ts";

const blog = `
  type Author { name: String! @id  posts: [Post] @hasInverse(field: author) @onDelete(linked: DELETE) }
  type Post @unique(fields: ["author", "slug"]) @nested { code: String! @id  slug: String  author: Author }`;

const together = "Post.slug and Post.author must be unique together, and another object has these values";
const refusal = (field: string, reason: string) => `couldn't rewrite mutation ${field} because failed to rewrite mutation payload because ${reason}`;

async function started(schema = blog) {
  const { ask, stack } = await deploy(schema);
  const add = (...posts: readonly string[]) => ask(`mutation { addPost(input: [${posts.join(", ")}]) { numUids } }`);
  const update = (code: string, patch: string) =>
    ask(`mutation { updatePost(input: { filter: { code: { eq: "${code}" } }, ${patch} }) { post { id: code } numUids } }`);
  const shown = async () => {
    const { data } = await ask("{ queryPost(order: { asc: code }) { code slug author { name } } }");
    return (data as { queryPost: { code: string; slug: string | null; author: { name: string } | null }[] }).queryPost.map(
      ({ code, slug, author }) => `${code}: ${author?.name ?? "-"}/${slug ?? "-"}`,
    );
  };
  return { ask, stack, add, update, shown };
}

const post = (code: string, slug: string, author: string) => `{ code: "${code}", slug: "${slug}", author: { name: "${author}" } }`;

describe("@unique over a link", () => {
  it("is unique for each linked object, inside one request too, and a missing link or value is no combination", async () => {
    const { add, shown } = await started();
    expect(await add(post("1", "x", "a"), post("2", "x", "b"), post("3", "y", "a"), '{ code: "4", slug: "x" }', '{ code: "5", slug: "x" }')).toEqual({
      data: { addPost: { numUids: 7 } },
    });
    expect((await add(post("6", "x", "a"))).errors?.[0]?.message).toMatch(new RegExp(`^${refusal("addPost", together)}: 0x`));
    expect((await add(post("6", "z", "a"), post("7", "z", "a"))).errors?.[0]?.message).toBe(refusal("addPost", together));
    expect(await shown()).toEqual(["1: a/x", "2: b/x", "3: a/y", "4: -/x", "5: -/x"]);
  });

  it("judges moves by their result, whichever side moves the link, and frees what is left", async () => {
    const { ask, add, update, shown } = await started();
    await add(post("1", "x", "a"), post("2", "y", "a"), post("3", "x", "b"), '{ code: "4", slug: "x" }');
    expect((await update("3", 'set: { author: { name: "a" } }')).errors).toHaveLength(1);
    // With its old link, the new slug is that of another post.
    expect((await update("2", 'set: { slug: "x", author: { name: "c" } }')).errors).toBeUndefined();
    const claim = (author: string) =>
      ask(`mutation { updateAuthor(input: { filter: { name: { eq: "${author}" } }, set: { posts: [{ code: "4" }] } }) { numUids } }`);
    expect((await claim("a")).errors).toHaveLength(1);
    expect((await update("1", "remove: { author: null }")).errors).toBeUndefined();
    expect((await claim("a")).errors).toBeUndefined();
    expect(await shown()).toEqual(["1: -/x", "2: c/x", "3: b/x", "4: a/x"]);
    const steal = 'set: { posts: [{ code: "4" }] }, remove: { posts: [{ code: "3" }] }';
    const stolen = await ask(`mutation { updateAuthor(input: { filter: { name: { eq: "b" } }, ${steal} }) { numUids } }`);
    expect((await shown())[3]).toBe(stolen.errors ? "4: a/x" : "4: b/x");
  });

  it("swaps in one transaction over a free place, and undoes all of it when a step is refused", async () => {
    const { ask, add, shown } = await started();
    await add(post("1", "x", "a"), post("2", "y", "a"));
    const set = (code: string, patch: string) => `updatePost(input: { filter: { code: { eq: "${code}" } }, ${patch} }) { numUids }`;
    const refused = `mutation @transaction { one: ${set("1", 'set: { slug: "z" }')} two: ${set("1", 'set: { slug: "y" }')} }`;
    expect((await ask(refused)).errors?.[0]?.path).toEqual(["two"]);
    expect(await shown()).toEqual(["1: a/x", "2: a/y"]);
    const swap = `mutation @transaction { one: ${set("1", "remove: { author: null }")} two: ${set("2", 'set: { slug: "x" }')} three: ${set("1", 'set: { slug: "y", author: { name: "a" } }')} }`;
    expect((await ask(swap)).errors).toBeUndefined();
    expect(await shown()).toEqual(["1: a/y", "2: a/x"]);
  });

  it("lets one of many concurrent writers have a combination, and frees it when the linked object goes", async () => {
    const { ask, add, shown } = await started();
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => add(post(`${i}`, `s${i % 3}`, `${"ab"[i % 2]}`))));
    expect(answers.filter(({ errors }) => errors === undefined)).toHaveLength(6);
    expect((await shown()).map((each) => each.split(": ")[1]).sort()).toEqual(["a/s0", "a/s1", "a/s2", "b/s0", "b/s1", "b/s2"]);
    expect((await ask('mutation { deleteAuthor(filter: { name: { eq: "a" } }) { numUids } }')).errors).toBeUndefined();
    expect(await add(...[0, 1, 2].map((i) => post(`again ${i}`, `s${i}`, "a")))).toEqual({ data: { addPost: { numUids: 4 } } });
    expect((await add(post("b again", "s0", "b"))).errors).toHaveLength(1);
  });

  it("names the holder only to a caller who may see it, its link and its fields", async () => {
    const clerk = (kind: string) => `@auth(${kind}: { rule: "{ $ROLE: { eq: \\"clerk\\" } }" })`;
    const schema = `${line}
      type Shelf { name: String! @id }
      type Box @unique(fields: ["shelf", "place"]) ${clerk("query")} { shelf: Shelf  place: Int }
      type Jar @unique(fields: ["shelf", "place"]) { shelf: Shelf ${clerk("query")}  place: Int }`;
    const { ask } = await deploy(schema, { fieldRules: true });
    const put = async (type: string, headers?: string) =>
      (await ask(`mutation { add${type}(input: [{ place: 1, shelf: { name: "s" } }]) { numUids } }`, headers)).errors?.[0]?.message;
    for (const type of ["Box", "Jar"]) {
      expect(await put(type)).toBeUndefined();
      expect(await put(type, token({ ROLE: "clerk" }))).toMatch(
        new RegExp(`${type}.place and ${type}.shelf must be unique together, and another object has these values: 0x[0-9a-f]+$`),
      );
      expect(await put(type, token({ ROLE: "guest" }))).toMatch(/another object has these values$/);
    }
  });

  it("refuses a deploy over duplicates, names ten, and takes another list of fields later", async () => {
    const plain = blog.replace(/@unique\(.*?\)/, "");
    const { ask, stack, add } = await started(plain);
    await add(...Array.from({ length: 24 }, (_, i) => post(`${i}`, "x", `a${i % 12}`)));
    const refused = await stack.kernel.deploy(blog).catch((thrown) => thrown);
    expect(refused.code).toBe("MIGRATION_REFUSED");
    expect(refused.message).toMatch(/^Post.slug and Post.author must be unique, but "x", 0x\w+ is held by 0x\w+ and 0x\w+; .*; and 2 more$/);
    expect(refused.message.match(/is held by/g)).toHaveLength(10);
    await ask(`mutation { deletePost(filter: { code: { in: [${Array.from({ length: 12 }, (_, i) => `"${i}"`).join(", ")}] } }) { numUids } }`);
    await stack.kernel.deploy(blog);
    expect((await add(post("30", "x", "a0"))).errors).toHaveLength(1);
    expect((await add(post("30", "y", "a0"))).errors).toBeUndefined();
    const alone = blog.replace('["author", "slug"]', '["author"]');
    expect((await stack.kernel.deploy(alone).catch((thrown) => thrown)).message).toMatch(/^Post.author must be unique, but 0x\w+ is held by/);
    await ask('mutation { deletePost(filter: { code: { eq: "30" } }) { numUids } }');
    await stack.kernel.deploy(alone);
    expect((await add(post("31", "z", "a0"))).errors?.[0]?.message).toContain("Post.author must be unique");
    await stack.kernel.deploy(plain);
    expect((await add(post("31", "x", "a0"))).errors).toBeUndefined();
    expect((await stack.kernel.deploy(blog).catch((thrown) => thrown)).code).toBe("MIGRATION_REFUSED");
  });

  it("holds over links to interfaces and unions, and for all types of an interface", async () => {
    const { ask } = await deploy(`
      interface Owner { name: String! @id }
      type Person implements Owner { age: Int }
      type Firm implements Owner { size: Int }
      union Port = Harbour | Pier
      type Harbour { place: String! @id }
      type Pier { length: Int! @id }
      interface Vessel @unique(fields: ["owner", "port"]) { owner: Owner  port: Port }
      type Ketch implements Vessel { id: ID! }
      type Yawl implements Vessel { id: ID! }`);
    await ask('mutation { addPerson(input: [{ name: "p" }]) { numUids } addFirm(input: [{ name: "f" }]) { numUids } }');
    const launch = async (type: string, owner: string, port: string) =>
      (await ask(`mutation { add${type}(input: [{ owner: { name: "${owner}" }, port: { ${port} } }]) { numUids } }`)).errors?.[0]?.message;
    const harbour = 'harbourRef: { place: "h" }';
    expect(await launch("Ketch", "p", harbour)).toBeUndefined();
    expect(await launch("Yawl", "f", harbour)).toBeUndefined();
    expect(await launch("Yawl", "p", "pierRef: { length: 1 }")).toBeUndefined();
    expect(await launch("Yawl", "p", harbour)).toContain("Vessel.owner and Vessel.port must be unique together");
  });

  it("is always true of a link that leads back to one object", async () => {
    const { ask } = await deploy(`
      type Person { name: String! @id  pass: Pass @hasInverse(field: holder) }
      type Pass @unique(fields: ["holder", "year"]) { number: Int! @id  year: Int  holder: Person }`);
    const issue = (number: number) => ask(`mutation { addPass(input: [{ number: ${number}, year: 1, holder: { name: "p" } }]) { numUids } }`);
    expect((await issue(1)).errors).toBeUndefined();
    expect((await issue(2)).errors).toBeUndefined();
    expect(await ask("{ queryPass(order: { asc: number }) { number holder { name } } }")).toEqual({
      data: {
        queryPass: [
          { number: 1, holder: null },
          { number: 2, holder: { name: "p" } },
        ],
      },
    });
  });
});
