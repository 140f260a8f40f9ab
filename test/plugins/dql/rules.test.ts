// `rules: true`: what the caller's rules hide does not exist for DQL.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DqlStack, dqlStack } from "./harness.ts";

const schema = `
  type Note @auth(query: { rule: """query { queryNote(filter: { open: true }) { id } }""" }) {
    id: ID!
    text: String @search(by: [exact])
    open: Boolean @search
    next: [Note]
    book: Book
  }
  type Book { title: String! @id  notes: [Note] @hasInverse(field: book) }
  type Query {
    notes: [Note] @custom(dql: "{ notes(func: type(Note), orderasc: Note.text) { text: Note.text } }")
    byText(text: String!): [Note] @custom(dql: "query q($text: string) { byText(func: eq(Note.text, $text)) { text: Note.text } }")
    byUid(id: String!): [Note] @custom(dql: "query q($id: string) { byUid(func: uid($id)) { text: Note.text } }")
    full: [Book] @custom(dql: "{ full(func: type(Book)) @filter(ge(count(Book.notes), 2)) { title: Book.title } }")
    books: [Book] @custom(dql: "{ books(func: type(Book)) { title: Book.title notes: Book.notes { text: Note.text } } }")
    behind: [Note] @custom(dql: "{ behind(func: eq(Note.text, \\"a\\")) { text: Note.text next: Note.next { text: Note.text next: Note.next { text: Note.text } } } }")
    way: [Note] @custom(dql: """{
      a as var(func: eq(Note.text, "a"))
      c as var(func: eq(Note.text, "e"))
      p as shortest(from: uid(a), to: uid(c)) { Note.next }
      way(func: uid(p)) { text: Note.text }
    }""")
  }
`;

const data = `mutation { addNote(input: [
  { text: "c", open: true },
  { text: "d", open: true },
  { text: "a", open: true, next: [{ text: "b", open: false, next: [{ text: "e", open: true }] }] }
]) { numUids } }`;

const books = `mutation { addBook(input: [
  { title: "A", notes: [{ text: "f", open: true }, { text: "g", open: false }] }
  { title: "B", notes: [{ text: "h", open: true }, { text: "i", open: true }] }
]) { numUids } }`;

async function fill(dql: DqlStack): Promise<readonly string[]> {
  await dql.run(data);
  await dql.run(books);
  const { queryNote } = (await dql.ask("{ queryNote(func: type(Note), orderasc: Note.text) { uid } }")) as {
    readonly queryNote: readonly { readonly uid: string }[];
  };
  return queryNote.map(({ uid }) => uid);
}

describe.each([
  { rules: true, seen: ["a", "c", "d", "e", "f", "h", "i"] },
  { rules: false, seen: ["a", "b", "c", "d", "e", "f", "g", "h", "i"] },
])("with rules: $rules", ({ rules, seen }) => {
  let dql: DqlStack;
  let ids: readonly string[];
  beforeAll(async () => {
    dql = await dqlStack(schema, { rules });
    ids = await fill(dql);
  });
  afterAll(() => dql?.stack.remove());

  const texts = (rows: unknown) => (rows as readonly { readonly text: string }[]).map(({ text }) => text);

  it("lists the nodes that the caller may see", async () => {
    expect(texts((await dql.run("{ notes { text } }")).notes)).toEqual(seen);
  });

  it("finds a hidden node neither by value nor by uid", async () => {
    expect(texts((await dql.run('{ byText(text: "b") { text } }')).byText)).toEqual(rules ? [] : ["b"]);
    expect(texts((await dql.run("query ($id: String!) { byUid(id: $id) { text } }", { id: ids[1] })).byUid)).toEqual(rules ? [] : ["b"]);
  });

  it("follows no link to or through a hidden node", async () => {
    const { behind } = await dql.run("{ behind { text next { text next { text } } } }");
    expect(behind).toEqual([{ text: "a", next: rules ? [] : [{ text: "b", next: [{ text: "e" }] }] }]);
  });

  it("counts links to nodes that the caller may see", async () => {
    expect((await dql.run("{ full { title } }")).full).toEqual(rules ? [{ title: "B" }] : [{ title: "A" }, { title: "B" }]);
    const shown = rules ? [{ text: "f" }] : [{ text: "f" }, { text: "g" }];
    expect((await dql.run("{ books { title notes { text } } }")).books).toEqual([
      { title: "A", notes: shown },
      { title: "B", notes: [{ text: "h" }, { text: "i" }] },
    ]);
  });

  it("finds no way through a hidden node", async () => {
    expect(texts((await dql.run("{ way { text } }")).way)).toEqual(rules ? [] : ["a", "b", "e"]);
  });

  it("shows everything to an administrator at /query", async () => {
    expect(await dql.ask("{ q(func: type(Note)) { count(uid) } }")).toEqual({ q: [{ count: 9 }] });
  });
});
