// Directives of strangers: each example plugin, written against the public exports alone, does what its README says.

import { afterEach, describe, expect, it } from "vitest";
import type { DirectivePlugin } from "../../core/plugin.ts";
import { auditPlugin } from "../../examples/audit-plugin/audit-plugin.ts";
import { histogramPlugin } from "../../examples/histogram-plugin/histogram-plugin.ts";
import { lowercasePlugin } from "../../examples/lowercase-plugin/lowercase-plugin.ts";
import { slugOf, slugPlugin } from "../../examples/slug-plugin/slug-plugin.ts";
import { softDeletePlugin } from "../../examples/soft-delete-plugin/soft-delete-plugin.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

let stack: TemporaryKernel;
afterEach(() => stack.remove());

async function start(schema: string, ...plugins: readonly DirectivePlugin[]): Promise<void> {
  stack = await temporaryKernel({ plugins: [identityPlugin(), searchPlugin(), ...plugins] });
  await stack.kernel.deploy(schema);
}

async function ask(query: string) {
  const { data, errors } = JSON.parse((await stack.kernel.execute({ query })).body);
  return errors ? errors.map(({ message }: { message: string }) => message).join("\n") : data;
}

describe("@slug", () => {
  const schema = `
    type Article { id: ID!  title: String!  path: String! @slug(from: "title")  related: [Article] }
    type ArticleNote { id: ID!  title: String!  path: String }`;

  it("derives a key from the title; queries and references use it", async () => {
    await start(schema, slugPlugin());
    await ask('mutation { addArticle(input: [{ title: "Crème brûlée, twice!" }]) { numUids } }');
    expect(await ask('{ getArticle(path: "creme-brulee-twice") { title } }')).toEqual({ getArticle: { title: "Crème brûlée, twice!" } });
    const add =
      'mutation { addArticle(input: [{ title: "Sugar", related: [{ path: "creme-brulee-twice" }] }]) { numUids article { path related { title } } } }';
    expect(await ask(add)).toEqual({ addArticle: { numUids: 1, article: [{ path: "sugar", related: [{ title: "Crème brûlée, twice!" }] }] } });
  });

  it("keeps a given path, and does not change it with the title", async () => {
    await start(schema, slugPlugin());
    expect(await ask('mutation { addArticle(input: [{ title: "One", path: "first" }]) { article { path } } }')).toEqual({
      addArticle: { article: [{ path: "first" }] },
    });
    const update = 'mutation { updateArticle(input: { filter: { path: { eq: "first" } }, set: { title: "Two" } }) { article { title path } } }';
    const byTitle = 'mutation { updateArticle(input: { filter: {}, set: { title: "Two" } }) { article { title path } } }';
    expect([await ask(update), await ask(byTitle)]).toContainEqual({ updateArticle: { article: [{ title: "Two", path: "first" }] } });
  });

  it("refuses a duplicate slug and an empty one, and does not affect other types", async () => {
    await start(schema, slugPlugin());
    await ask('mutation { addArticle(input: [{ title: "Salt & Pepper" }]) { numUids } }');
    expect(await ask('mutation { addArticle(input: [{ title: "salt pepper" }]) { numUids } }')).toContain("already");
    expect(await ask('mutation { addArticle(input: [{ title: "!!!" }]) { numUids } }')).toContain("Article.title has no letter to make path of");
    expect(await ask('mutation { addArticleNote(input: [{ title: "!!!" }]) { articleNote { path } } }')).toEqual({
      addArticleNote: { articleNote: [{ path: null }] },
    });
    expect(await ask("{ aggregateArticle { count } }")).toEqual({ aggregateArticle: { count: 1 } });
  });

  it("creates slugs for every script", () => {
    expect(["Ελλάδα 2026", "日本 語", "--a--b--", "ﬁne", "\u{1F600}"].map(slugOf)).toEqual(["ελλαδα-2026", "日本-語", "a-b", "fine", ""]);
  });

  it("reports an unsuitable source field with its location", async () => {
    await start("type Kept { id: ID! name: String }", slugPlugin());
    const wrong = 'type A { id: ID!  size: Int @slug(from: "name")\n  name: String @slug(from: "name") }';
    await expect(stack.kernel.deploy(wrong)).rejects.toThrow("Type A; Field size: @slug is for String fields.");
    expect(await ask("{ queryKept { name } }")).toEqual({ queryKept: [] });
  });
});

describe("@lowercase", () => {
  const schema =
    "type User { email: String! @id @lowercase @search(by: [exact])  name: String @search(by: [exact])  aliases: [String] @lowercase @search(by: [exact]) }";

  it("stores texts in lower case, and finds them in any letter case by key, filter and reference", async () => {
    await start(schema, lowercasePlugin());
    await ask('mutation { addUser(input: [{ email: "Ada@Example.ORG", name: "Ada", aliases: ["A", "a", "B"] }]) { numUids } }');
    expect(await ask('{ getUser(email: "ADA@example.org") { email name aliases } }')).toEqual({
      getUser: { email: "ada@example.org", name: "Ada", aliases: ["a", "b"] },
    });
    expect(await ask('{ queryUser(filter: { email: { eq: "aDa@Example.org" }, aliases: { eq: "B" } }) { name } }')).toEqual({
      queryUser: [{ name: "Ada" }],
    });
    expect(await ask('mutation { addUser(input: [{ email: "ada@EXAMPLE.org" }]) { numUids } }')).toContain("already");
  });

  it("does not change other fields", async () => {
    await start(schema, lowercasePlugin());
    await ask('mutation { addUser(input: [{ email: "x", name: "Ada" }]) { numUids } }');
    expect(await ask('{ queryUser(filter: { name: { eq: "ada" } }) { name } }')).toEqual({ queryUser: [] });
    expect(
      await ask(
        'mutation { updateUser(input: { filter: { name: { eq: "Ada" } }, set: { aliases: ["ÀÉ"], name: "Ada L" } }) { user { name aliases } } }',
      ),
    ).toEqual({
      updateUser: { user: [{ name: "Ada L", aliases: ["àé"] }] },
    });
  });
});

describe("@softDelete", () => {
  const schema = `
    type Note @softDelete { id: ID!  text: String! @search(by: [hash])  folder: Folder @hasInverse(field: notes) }
    type Folder { name: String! @id  notes: [Note] }`;

  it("hides deleted objects everywhere, and keeps them on disk", async () => {
    await start(schema, softDeletePlugin());
    await ask('mutation { addFolder(input: [{ name: "f", notes: [{ text: "gone" }, { text: "stays" }] }]) { numUids } }');
    expect(await ask('mutation { deleteNote(filter: { text: { eq: "gone" } }) { numUids note { text } } }')).toEqual({
      deleteNote: { numUids: 1, note: [{ text: "gone" }] },
    });
    expect(await ask("{ queryNote { text } aggregateNote { count } queryFolder { notes { text } notesAggregate { count } } }")).toEqual({
      queryNote: [{ text: "stays" }],
      aggregateNote: { count: 1 },
      queryFolder: [{ notes: [{ text: "stays" }], notesAggregate: { count: 1 } }],
    });
    expect(await ask('mutation { deleteNote(filter: { text: { eq: "gone" } }) { numUids } }')).toEqual({ deleteNote: { numUids: 0 } });
    expect(await ask('mutation { updateNote(input: { filter: { text: { eq: "gone" } }, set: { text: "back" } }) { numUids } }')).toEqual({
      updateNote: { numUids: 0 },
    });
    await stack.kernel.deploy(schema.replace(" @softDelete", ""));
    expect(await ask("{ queryNote { text } }")).toEqual({ queryNote: [{ text: "gone" }, { text: "stays" }] });
  });

  it("deletes objects of other types", async () => {
    await start(schema, softDeletePlugin());
    await ask('mutation { addFolder(input: [{ name: "f" }]) { numUids } }');
    await ask('mutation { deleteFolder(filter: { name: { eq: "f" } }) { numUids } }');
    expect(await ask('mutation { addFolder(input: [{ name: "f" }]) { numUids } }')).toEqual({ addFolder: { numUids: 1 } });
  });
});

describe("@audit", () => {
  const schema = "type Account @audit { id: ID!  owner: String! @search(by: [hash])  cents: Int }  type AccountNote { id: ID!  text: String }";
  const log = "{ auditLog { type what fields who } }";

  it("records user, change and object of every change in order, and nothing else", async () => {
    await start(schema, auditPlugin({ who: ({ headers }) => headers["x-user"] }));
    const { body } = await stack.kernel.execute({
      query: 'mutation { addAccount(input: [{ owner: "ada", cents: 1 }]) { account { id } } }',
      headers: { "x-user": "ada" },
    });
    await ask('mutation { addAccountNote(input: [{ text: "unseen" }]) { numUids } }');
    await ask('mutation { updateAccount(input: { filter: { owner: { eq: "ada" } }, set: { cents: 2 } }) { numUids } }');
    await ask('mutation { deleteAccount(filter: { owner: { eq: "ada" } }) { numUids } }');
    expect(await ask(log)).toEqual({
      auditLog: [
        { type: "Account", what: "create", fields: ["Account.cents", "Account.owner"], who: "ada" },
        { type: "Account", what: "set", fields: ["Account.cents"], who: null },
        { type: "Account", what: "remove", fields: [], who: null },
      ],
    });
    const [{ id }] = JSON.parse(body).data.addAccount.account;
    expect(await ask(`{ auditLog(node: "${id}", last: 1) { node what at } }`)).toEqual({
      auditLog: [{ node: id, what: "remove", at: expect.stringMatching(/^\d{4}-.*Z$/) }],
    });
    expect(await ask('{ auditLog(node: "0x0") { what } }')).toEqual({ auditLog: [] });
  });

  it("records nothing for a refused change", async () => {
    await start(`type Account @audit { code: String! @id }`, auditPlugin());
    await ask('mutation { addAccount(input: [{ code: "a" }]) { numUids } }');
    expect(await ask('mutation { addAccount(input: [{ code: "b" }, { code: "a" }]) { numUids } }')).toContain("already");
    expect(await ask(log)).toEqual({ auditLog: [{ type: "Account", what: "create", fields: ["Account.code"], who: null }] });
  });
});

describe("@histogram", () => {
  const schema = `
    type Mill @histogram(field: "stones") { id: ID!  stones: Int @search  town: Town }
    type Town { id: ID!  name: String  mills: [Mill] @hasInverse(field: town) }`;

  it("counts the objects that pass the filter in buckets, without those that have no value", async () => {
    await start(schema, histogramPlugin());
    await ask("mutation { addMill(input: [{ stones: 2 }, { stones: 3 }, { stones: 14 }, { stones: -1 }, { stones: null }]) { numUids } }");
    expect(await ask("{ histogramMill(width: 10) { from n: count __typename } }")).toEqual({
      histogramMill: [
        { from: -10, n: 1, __typename: "Bucket" },
        { from: 0, n: 2, __typename: "Bucket" },
        { from: 10, n: 1, __typename: "Bucket" },
      ],
    });
    expect(await ask("query { histogramMill(width: 10, filter: { stones: { ge: 3 } }) { count } }")).toEqual({
      histogramMill: [{ count: 1 }, { count: 1 }],
    });
    expect(await ask("{ histogramMill(width: 10, filter: { stones: { gt: 99 } }) { count } }")).toEqual({ histogramMill: [] });
  });

  it("counts the linked objects of each object beside a list", async () => {
    await start(schema, histogramPlugin());
    await ask('mutation { addTown(input: [{ name: "Ely", mills: [{ stones: 2 }, { stones: 2 }] }, { name: "Bath" }]) { numUids } }');
    expect(await ask("{ queryTown { name millsHistogram(width: 1) { from count } mills { stones } } }")).toEqual({
      queryTown: [
        { name: "Ely", millsHistogram: [{ from: 2, count: 2 }], mills: [{ stones: 2 }, { stones: 2 }] },
        { name: "Bath", millsHistogram: [], mills: [] },
      ],
    });
  });

  it("refuses a field that is no Int", async () => {
    await expect(start('type Mill @histogram(field: "name") { id: ID!  name: String }', histogramPlugin())).rejects.toThrow("no Int field");
  });
});
