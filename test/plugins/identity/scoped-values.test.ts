// `@id(within: [...])` over values: one key for each scope, in adds, gets, references, upserts, updates, deletes, filters.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, deploy } from "../../mutation/api.ts";

const schema = `
  enum Plan { FREE PAID }
  type Doc {
    id: ID!
    tenant: String! @search(by: [hash])
    slug: String! @id(within: ["tenant"])
    title: String
    next: Doc
    tags: [Tag]
  }
  type Docs { tenant: String!  slug: String! @id(within: ["tenant"])  title: String }
  type Tag { plan: Plan  paid: Boolean  number: Int @id(within: ["plan", "paid"])  text: String }
  type Page { code: Int @id  tenant: String  slug: String @id(within: ["tenant"])  text: String }
`;

const apis: Api[] = [];
let api: Api;
beforeEach(async () => {
  api = await deploy(schema);
  apis.push(api);
});
afterAll(async () => {
  for (const each of apis) await each.close();
});

const add = (...docs: readonly string[]) => `mutation { addDoc(input: [${docs.join(", ")}]) { doc { tenant slug title } numUids } }`;
const doc = (tenant: string, slug: string, title?: string) =>
  `{ tenant: "${tenant}", slug: "${slug}"${title === undefined ? "" : `, title: "${title}"`} }`;
const taken = (field: string, slug: string, key = "slug within tenant inside type Doc") =>
  `couldn't rewrite mutation ${field} because failed to rewrite mutation payload because id ${slug} already exists for field ${key}`;

async function docs(): Promise<readonly string[]> {
  const { queryDoc } = (await api.run("{ queryDoc { tenant slug title next { tenant slug } } }")) as {
    queryDoc: { tenant: string; slug: string; title: string | null; next: { tenant: string; slug: string } | null }[];
  };
  return queryDoc.map(({ tenant, slug, title, next }) => `${tenant}/${slug}: ${title ?? "-"}${next ? ` > ${next.tenant}/${next.slug}` : ""}`).sort();
}

describe("a key within a value", () => {
  it("is unique in its scope, free in another one, and another type with a similar name has its own", async () => {
    await api.run(add(doc("a", "readme", "A"), doc("b", "readme", "B"), doc("a", "guide")));
    expect(await api.refused(add(doc("a", "readme")))).toEqual([taken("addDoc", "readme")]);
    expect(await api.run('mutation { addDocs(input: [{ tenant: "a", slug: "readme" }]) { numUids } }')).toEqual({ addDocs: { numUids: 1 } });
    expect(await docs()).toEqual(["a/guide: -", "a/readme: A", "b/readme: B"]);
  });

  it("gets an object by all its parts, and by the ID with any of them", async () => {
    await api.run(add(doc("a", "readme", "A"), doc("b", "readme", "B")));
    const get = async (args: string) =>
      ((await api.run(`{ getDoc(${args}) { id title } }`)) as { getDoc: { id: string; title: string } | null }).getDoc;
    const b = await get('slug: "readme", tenant: "b"');
    expect(b?.title).toBe("B");
    expect((await get('tenant: "a", slug: "readme"'))?.title).toBe("A");
    expect(await get('tenant: "c", slug: "readme"')).toBeNull();
    expect((await get(`id: "${b?.id}"`))?.title).toBe("B");
    expect((await get(`id: "${b?.id}", tenant: "b"`))?.title).toBe("B");
    expect(await get(`id: "${b?.id}", tenant: "a"`)).toBeNull();
  });

  it("refuses a get that gives some of its parts, and answers null to a get that names nothing", async () => {
    const missing = (part: string) => `couldn't rewrite query getDoc because slug is a key within tenant: ${part} must be given too`;
    expect((await api.send('{ getDoc(slug: "readme") { title } }')).errors?.map(({ message }) => message)).toEqual([missing("tenant")]);
    expect((await api.send('{ getDoc(tenant: "a") { title } }')).errors?.map(({ message }) => message)).toEqual([missing("slug")]);
    expect(await api.run("{ getDoc { title } }")).toEqual({ getDoc: null });
    // The only key of a type is required whole.
    expect((await api.send('{ getDocs(slug: "readme") { title } }')).errors?.[0]?.message).toContain('"tenant" of type "String!" is required');
  });

  it("takes an object's key by variables, and by any of several keys", async () => {
    await api.run(
      'mutation { addPage(input: [{ code: 1, tenant: "a", slug: "x", text: "one" }, { code: 2, tenant: "b", slug: "x", text: "two" }]) { numUids } }',
    );
    const query = "query ($code: Int, $tenant: String, $slug: String) { getPage(code: $code, tenant: $tenant, slug: $slug) { text } }";
    const get = (variables: Record<string, unknown>) => api.run(query, variables);
    expect(await get({ tenant: "b", slug: "x" })).toEqual({ getPage: { text: "two" } });
    expect(await get({ code: 1 })).toEqual({ getPage: { text: "one" } });
    expect(await get({ code: 1, slug: "x" })).toEqual({ getPage: { text: "one" } });
    expect(await get({ code: 1, tenant: "b", slug: "x" })).toEqual({ getPage: null });
  });

  it("references an object in its scope, and makes it where it is not there", async () => {
    await api.run(add(doc("a", "readme", "A"), doc("b", "readme", "B")));
    await api.run(add(`{ tenant: "a", slug: "one", next: ${doc("b", "readme", "ignored")} }`));
    await api.run(add(`{ tenant: "a", slug: "two", next: ${doc("c", "readme", "C")} }`));
    expect(await docs()).toEqual(["a/one: - > b/readme", "a/readme: A", "a/two: - > c/readme", "b/readme: B", "c/readme: C"]);
  });

  it("refuses a reference without the scope, instead of making an object that nobody meant", async () => {
    await api.run(add(doc("a", "readme")));
    expect(await api.refused(add('{ tenant: "a", slug: "one", next: { slug: "readme" } }'))).toEqual([
      "couldn't rewrite mutation addDoc because failed to rewrite mutation payload because tenant must be given too: Doc.slug within tenant is a key, and tenant is a part of it",
    ]);
    expect(await docs()).toEqual(["a/readme: -"]);
  });

  it("means one object where a request names it several times, and two where the scopes differ", async () => {
    const next = (slug: string, to: string) => `{ tenant: "a", slug: "${slug}", next: ${to} }`;
    await api.run(add(next("one", doc("a", "new", "N")), next("two", doc("a", "new")), next("three", doc("b", "new", "B"))));
    expect(await docs()).toEqual(["a/new: N", "a/one: - > a/new", "a/three: - > b/new", "a/two: - > a/new", "b/new: B"]);
    expect(await api.refused(add(doc("c", "x"), doc("c", "x")))).toEqual([
      "couldn't rewrite mutation addDoc because failed to rewrite mutation payload because duplicate XID found: x",
    ]);
    await api.run(add(doc("c", "x"), doc("d", "x")));
  });

  it("upserts the object of the scope, and adds one in another scope", async () => {
    await api.run(add(doc("a", "readme", "A")));
    const upsert = (...all: readonly string[]) => api.run(`mutation { addDoc(input: [${all.join(", ")}], upsert: true) { numUids } }`);
    expect(await upsert(doc("a", "readme", "A2"), doc("b", "readme", "B"))).toEqual({ addDoc: { numUids: 1 } });
    expect(await upsert(doc("b", "readme", "B2"))).toEqual({ addDoc: { numUids: 0 } });
    expect(await docs()).toEqual(["a/readme: A2", "b/readme: B2"]);
  });

  it("checks renames and moves into another scope, and frees what is left", async () => {
    await api.run(add(doc("a", "x"), doc("a", "y"), doc("b", "x")));
    const update = (tenant: string, slug: string, set: string) =>
      `mutation { updateDoc(input: { filter: { tenant: { eq: "${tenant}" }, slug: { eq: "${slug}" } }, set: { ${set} } }) { numUids } }`;
    expect(await api.refused(update("a", "y", 'slug: "x"'))).toEqual([taken("updateDoc", "x")]);
    expect(await api.refused(update("b", "x", 'tenant: "a"'))).toEqual([taken("updateDoc", "x")]);
    await api.run(update("b", "x", 'tenant: "a", slug: "z"'));
    await api.run(add(doc("b", "x")));
    await api.run(update("a", "y", 'slug: "w"'));
    await api.run(add(doc("a", "y")));
    await api.run('mutation { deleteDoc(filter: { slug: { eq: "z" } }) { numUids } }');
    await api.run(add(doc("a", "z")));
    expect((await docs()).map((each) => each.split(":")[0])).toEqual(["a/w", "a/x", "a/y", "a/z", "b/x"]);
  });

  it("lets an update change the key or the scope of several objects where the results differ", async () => {
    await api.run(add(doc("a", "x"), doc("b", "x"), doc("a", "y"), doc("c", "y")));
    await api.run('mutation { updateDoc(input: { filter: { slug: { eq: "x" } }, set: { slug: "z" } }) { numUids } }');
    expect(await api.refused('mutation { updateDoc(input: { filter: { slug: { eq: "y" } }, set: { tenant: "d" } }) { numUids } }')).toEqual([
      taken("updateDoc", "y"),
    ]);
    await api.run('mutation { updateDoc(input: { filter: { tenant: { eq: "a" } }, set: { tenant: "e" } }) { numUids } }');
    expect((await docs()).map((each) => each.split(":")[0])).toEqual(["b/z", "c/y", "e/y", "e/z"]);
  });

  it("filters by its field over all scopes, and leaves objects without a part of the scope without a key", async () => {
    await api.run('mutation { addPage(input: [{ slug: "x" }, { slug: "x" }, { tenant: null, slug: "x" }, { tenant: "", slug: "x" }]) { numUids } }');
    expect(await api.run('{ aggregatePage(filter: { slug: { in: ["x", "y"] } }) { count } }')).toEqual({ aggregatePage: { count: 4 } });
    // The empty text is a scope like any other.
    expect(await api.run('{ getPage(tenant: "", slug: "x") { slug } }')).toEqual({ getPage: { slug: "x" } });
    const messages = await api.refused('mutation { addPage(input: [{ tenant: "", slug: "x" }]) { numUids } }');
    expect(messages).toEqual([taken("addPage", "x", "slug within tenant inside type Page")]);
    expect(await api.refused('mutation { addPage(input: [{ tenant: "a", slug: "" }]) { numUids } }')).toEqual([
      "couldn't rewrite mutation addPage because failed to rewrite mutation payload because encountered an empty value for @id field `Page.slug`",
    ]);
  });

  it("has as many parts as it names, of enums, Booleans and numbers too", async () => {
    const tag = (plan: string, paid: boolean, number: number) => `{ plan: ${plan}, paid: ${paid}, number: ${number}, text: "${plan} ${paid}" }`;
    await api.run(`mutation { addTag(input: [${tag("FREE", true, 1)}, ${tag("FREE", false, 1)}, ${tag("PAID", true, 1)}]) { numUids } }`);
    expect(await api.run("{ getTag(number: 1, plan: FREE, paid: false) { text } }")).toEqual({ getTag: { text: "FREE false" } });
    await api.run(add(`{ tenant: "a", slug: "x", tags: [{ plan: PAID, paid: true, number: 1 }, { plan: PAID, paid: false, number: 1 }] }`));
    expect(await api.run("{ aggregateTag { count } queryDoc { tags { text } } }")).toEqual({
      aggregateTag: { count: 4 },
      queryDoc: [{ tags: [{ text: "PAID true" }, { text: null }] }],
    });
  });

  it("tells apart texts of any length and script, and parts that only together read the same", async () => {
    const long = "n".repeat(255);
    const pairs = [
      [long, long],
      [`${long}n`, long],
      [long, `${long}n`],
      [`${long}n`, `${long}n`],
      ["ab", "c"],
      ["a", "bc"],
      ['a"', "b"],
      ["a", '"b'],
      ["é", "ω"],
      ["e\u0301", "ω"],
      ["A", "x"],
      ["a", "x"],
      ["a ", "x"],
    ] as const;
    const input = pairs.map(([tenant, slug]) => ({ tenant, slug }));
    const many = "mutation ($input: [AddDocInput!]!) { addDoc(input: $input) { numUids } }";
    expect(await api.run(many, { input })).toEqual({ addDoc: { numUids: pairs.length } });
    const query = "query ($tenant: String, $slug: String) { getDoc(tenant: $tenant, slug: $slug) { tenant slug } }";
    for (const each of input) expect(await api.run(query, each)).toEqual({ getDoc: each });
    for (const each of input) expect(await api.refused(many, { input: [each] })).toHaveLength(1);
  });

  it("lets one of many concurrent writers have a key in each scope, and upserts make one object", async () => {
    const answers = await Promise.all(Array.from({ length: 48 }, (_, i) => api.send(add(doc("ab"[i % 2] ?? "", `s${i % 3}`)))));
    expect(answers.filter(({ errors }) => errors === undefined)).toHaveLength(6);
    const upserts = await Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        api.run(`mutation { addDoc(input: [${doc("ab"[i % 2] ?? "", "up", `${i}`)}], upsert: true) { numUids } }`),
      ),
    );
    expect(upserts.reduce((sum: number, each) => sum + (each as { addDoc: { numUids: number } }).addDoc.numUids, 0)).toBe(2);
  });
});
