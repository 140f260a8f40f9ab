// @was: data stay where they are when a schema gives things new names, whatever comes after.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Unreachable } from "../../../core/index.ts";
import { type Kernel, QuernError } from "../../../core/index.ts";
import { compatibleKernel, type TemporaryKernel } from "../../support/kernel.ts";

let stack: TemporaryKernel;
let kernel: Kernel;

beforeEach(async () => {
  stack = await compatibleKernel();
  kernel = stack.kernel;
});
afterEach(() => stack.remove());

async function restart(): Promise<void> {
  stack = await stack.restart();
  kernel = stack.kernel;
}

/** Deploys, and gives what leaves sight by it. */
async function deploy(schema: string): Promise<readonly Unreachable[]> {
  const told: Unreachable[] = [];
  await kernel.deploy(schema, { onUnreachable: (each) => told.push(each) });
  return told;
}

async function ask(query: string): Promise<unknown> {
  const answer = JSON.parse((await kernel.execute({ query })).body);
  if (answer.errors) throw new Error(JSON.stringify(answer.errors));
  return answer.data;
}

/** Messages that refuse a schema, each with its hint. */
async function refusals(schema: string): Promise<readonly string[]> {
  const thrown = await kernel.deploy(schema).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(thrown instanceof QuernError)) throw new Error("The schema is not refused.");
  return thrown.errors.map(({ message, locations }) => `${locations?.[0]?.line}:${locations?.[0]?.column} ${message}`);
}

describe("a renamed field", () => {
  beforeEach(async () => {
    await deploy("type Author { id: ID!  name: String! @id  age: Int @search }");
    await ask('mutation { addAuthor(input: [{ name: "Ada", age: 36 }, { name: "Grace", age: 85 }]) { numUids } }');
  });

  it("keeps its values, its key and its index, and builds nothing", async () => {
    const renamed = 'type Author { id: ID!  fullName: String! @id @was(name: "name")  years: Int @search @was(name: "age") }';
    const { storage, renamed: names, unreachable } = await kernel.compare(renamed);
    expect(storage).toEqual({ obstacles: [], work: [] });
    expect(names).toEqual([
      { kind: "field", from: "Author.name", to: "Author.fullName" },
      { kind: "field", from: "Author.age", to: "Author.years" },
    ]);
    expect(unreachable).toEqual([]);
    expect(await deploy(renamed)).toEqual([]);
    expect(await ask('{ getAuthor(fullName: "Ada") { years } queryAuthor(filter: { years: { gt: 40 } }) { fullName } }')).toEqual({
      getAuthor: { years: 36 },
      queryAuthor: [{ fullName: "Grace" }],
    });
    await expect(ask('mutation { addAuthor(input: [{ fullName: "Ada" }]) { numUids } }')).rejects.toThrow("already exists");
  });

  it("keeps them when the server starts again, and when @was is taken out", async () => {
    await deploy('type Author { id: ID!  fullName: String! @id @was(name: "name")  age: Int @search }');
    await restart();
    expect(await ask('{ getAuthor(fullName: "Ada") { fullName age } }')).toEqual({ getAuthor: { fullName: "Ada", age: 36 } });
    expect(await deploy("type Author { id: ID!  fullName: String! @id  age: Int @search }")).toEqual([]);
    await restart();
    expect(await ask('{ getAuthor(fullName: "Ada") { fullName age } }')).toEqual({ getAuthor: { fullName: "Ada", age: 36 } });
    expect(await deploy("type Author { id: ID!  fullName: String! @id  age: Int @search  born: Int }")).toEqual([]);
    expect(await ask('{ getAuthor(fullName: "Ada") { fullName } }')).toEqual({ getAuthor: { fullName: "Ada" } });
  });

  it("can be renamed again, in two deploys or in one", async () => {
    await deploy('type Author { id: ID!  fullName: String! @id @was(name: "name") }');
    await deploy('type Author { id: ID!  title: String! @id @was(name: "fullName") }');
    expect(await ask('{ getAuthor(title: "Ada") { title } }')).toEqual({ getAuthor: { title: "Ada" } });
    await deploy('type Author { id: ID!  label: String! @id @was(name: ["heading", "title", "fullName", "name"]) }');
    expect(await ask('{ getAuthor(label: "Ada") { label } }')).toEqual({ getAuthor: { label: "Ada" } });
  });

  it("uses the latest known name when a server has skipped one", async () => {
    await deploy('type Author { id: ID!  title: String! @id @was(name: ["fullName", "name"]) }');
    expect(await ask('{ getAuthor(title: "Ada") { title } }')).toEqual({ getAuthor: { title: "Ada" } });
  });

  it("frees its old name for another field, which starts empty", async () => {
    await deploy('type Author { id: ID!  fullName: String! @id @was(name: "name") }');
    expect(await refusals('type Author { id: ID!\n  fullName: String! @id @was(name: "name")\n  name: Int }')).toEqual([
      "2:26 Type Author; Field fullName: @was names name, which is still a field of Author.",
    ]);
    expect(await deploy("type Author { id: ID!  fullName: String! @id  name: Int }")).toEqual([]);
    expect(await ask('{ getAuthor(fullName: "Ada") { fullName name } }')).toEqual({ getAuthor: { fullName: "Ada", name: null } });
    await ask('mutation { updateAuthor(input: { filter: { fullName: { eq: "Ada" } }, set: { name: 7 } }) { numUids } }');
    await restart();
    expect(await ask('{ getAuthor(fullName: "Ada") { fullName name } }')).toEqual({ getAuthor: { fullName: "Ada", name: 7 } });
  });

  it("returns to its old name when the old schema is deployed again", async () => {
    await deploy('type Author { id: ID!  fullName: String! @id @was(name: "name")  age: Int @search }');
    expect(await deploy("type Author { id: ID!  name: String! @id  age: Int @search }")).toEqual([]);
    expect(await ask('{ getAuthor(name: "Ada") { name age } }')).toEqual({ getAuthor: { name: "Ada", age: 36 } });
    await deploy('type Author { id: ID!  fullName: String! @id @was(name: "name")  age: Int @search }');
    expect(await ask('{ getAuthor(fullName: "Ada") { age } }')).toEqual({ getAuthor: { age: 36 } });
  });

  it("may be declared late: the hidden data are found", async () => {
    expect(await deploy("type Author { id: ID!  name: String! @id  years: Int @search }")).toEqual([
      { kind: "field", name: "Author.age", stored: "Author.age", nodes: 2 },
    ]);
    await restart();
    expect(await deploy('type Author { id: ID!  name: String! @id  years: Int @search @was(name: "age") }')).toEqual([]);
    expect(await ask('{ getAuthor(name: "Ada") { years } }')).toEqual({ getAuthor: { years: 36 } });
  });

  it("reports the data that a late rename hides", async () => {
    await deploy("type Author { id: ID!  name: String! @id  years: Int @search }");
    await ask('mutation { updateAuthor(input: { filter: { name: { eq: "Ada" } }, set: { years: 1 } }) { numUids } }');
    expect(await deploy('type Author { id: ID!  name: String! @id  years: Int @search @was(name: "age") }')).toEqual([
      { kind: "field", name: "Author.years", stored: "Author.years", nodes: 1 },
    ]);
  });

  it("that is refused, because of the data or the schema, changes nothing, also after a restart", async () => {
    await ask('mutation { addAuthor(input: [{ name: "Alan", age: 36 }]) { numUids } }');
    await expect(deploy('type Author { id: ID!  years: Int! @id @was(name: "age")  fullName: String @was(name: "name") }')).rejects.toMatchObject({
      code: "MIGRATION_REFUSED",
    });
    await restart();
    expect(await ask('{ getAuthor(name: "Alan") { name age } }')).toEqual({ getAuthor: { name: "Alan", age: 36 } });
    await deploy('type Author { id: ID!  name: String! @id  years: Int @search @was(name: "age") }');
    expect(await ask('{ getAuthor(name: "Alan") { years } }')).toEqual({ getAuthor: { years: 36 } });
  });

  it("with an unknown former name has no effect", async () => {
    await deploy('type Author { id: ID!  name: String! @id @was(name: "nmae")  age: Int @search @was(name: "aeg") }');
    expect(await ask('{ getAuthor(name: "Ada") { name age } }')).toEqual({ getAuthor: { name: "Ada", age: 36 } });
  });

  it("returns with its data after a schema without it", async () => {
    await deploy('type Author { id: ID!  name: String! @id  years: Int @search @was(name: "age") }');
    expect(await deploy("type Author { id: ID!  name: String! @id }")).toEqual([
      { kind: "field", name: "Author.years", stored: "Author.age", nodes: 2 },
    ]);
    await deploy("type Author { id: ID!  name: String! @id  years: Int }");
    expect(await ask('{ getAuthor(name: "Ada") { years } }')).toEqual({ getAuthor: { years: 36 } });
  });
});

describe("swapped names", () => {
  const before = "type Boat { id: ID!  port: String @search(by: [hash])  starboard: String }";
  const swapped = 'type Boat { id: ID!  port: String @was(name: "starboard")  starboard: String @search(by: [hash]) @was(name: "port") }';

  it("swap once, however often the schema is deployed", async () => {
    await deploy(before);
    await ask('mutation { addBoat(input: [{ port: "red", starboard: "green" }]) { numUids } }');
    expect((await kernel.compare(swapped)).storage).toEqual({ obstacles: [], work: [] });
    const answer = { queryBoat: [{ port: "green", starboard: "red" }] };
    await deploy(swapped);
    expect(await ask("{ queryBoat { port starboard } }")).toEqual(answer);
    await deploy(`${swapped} # again`);
    await restart();
    expect(await ask('{ queryBoat(filter: { starboard: { eq: "red" } }) { port starboard } }')).toEqual(answer);
    await deploy("type Boat { id: ID!  port: String  starboard: String @search(by: [hash]) }");
    expect(await ask("{ queryBoat { port starboard } }")).toEqual(answer);
    await deploy(swapped);
    expect(await ask("{ queryBoat { port starboard } }")).toEqual({ queryBoat: [{ port: "red", starboard: "green" }] });
  });

  it("rotate, and types swap too", async () => {
    await deploy("type A { a: String  b: String  c: String } type B { b: String }");
    await ask('mutation { addA(input: [{ a: "1", b: "2", c: "3" }]) { numUids } addB(input: [{ b: "4" }]) { numUids } }');
    await deploy('type A { a: String @was(name: "c")  b: String @was(name: "a")  c: String @was(name: "b") } type B { b: String }');
    expect(await ask("{ queryA { a b c } }")).toEqual({ queryA: [{ a: "3", b: "1", c: "2" }] });
    await deploy('type B @was(name: "A") { a: String  b: String  c: String } type A @was(name: "B") { b: String }');
    expect(await ask("{ queryB { a b c } queryA { b } }")).toEqual({ queryB: [{ a: "3", b: "1", c: "2" }], queryA: [{ b: "4" }] });
    await restart();
    expect(await ask("{ queryB { a b c } queryA { b } }")).toEqual({ queryB: [{ a: "3", b: "1", c: "2" }], queryA: [{ b: "4" }] });
  });
});

describe("a renamed type", () => {
  const before = `
    interface Named { name: String! @id }
    type Author implements Named { posts: [Post] @hasInverse(field: author) }
    type Post { id: ID!  title: String @search(by: [term])  author: Author }`;
  const after = `
    interface Titled @was(name: "Named") { label: String! @id @was(name: "name") }
    type Writer implements Titled @was(name: "Author") { texts: [Text] @hasInverse(field: writer) @was(name: "posts") }
    type Text @was(name: "Post") { id: ID!  heading: String @search(by: [term]) @was(name: "title")  writer: Writer @was(name: "author") }`;

  it("keeps nodes, links from both sides, keys of its interface and indexes", async () => {
    await deploy(before);
    await ask('mutation { addAuthor(input: [{ name: "Ada", posts: [{ title: "Notes" }, { title: "Letters" }] }]) { numUids } }');
    expect((await kernel.compare(after)).storage).toEqual({ obstacles: [], work: [] });
    expect(await deploy(after)).toEqual([]);
    const question = '{ queryText(filter: { heading: { anyofterms: "letters" } }) { writer { label texts(order: { asc: heading }) { heading } } } }';
    const answer = { queryText: [{ writer: { label: "Ada", texts: [{ heading: "Letters" }, { heading: "Notes" }] } }] };
    expect(await ask(question)).toEqual(answer);
    await restart();
    expect(await ask(question)).toEqual(answer);
    expect(await ask('{ queryTitled { label } getWriter(label: "Ada") { label } }')).toEqual({
      queryTitled: [{ label: "Ada" }],
      getWriter: { label: "Ada" },
    });
    expect((await kernel.storage.verify()).faultCount).toBe(0);
  });

  it("keeps the storage names of fields that were renamed earlier", async () => {
    await deploy("type Author { name: String }");
    await ask('mutation { addAuthor(input: [{ name: "Ada" }]) { numUids } }');
    await deploy('type Author { title: String @was(name: "name") }');
    await deploy('type Writer @was(name: "Author") { title: String }');
    expect(await ask("{ queryWriter { title } }")).toEqual({ queryWriter: [{ title: "Ada" }] });
    await deploy('type Poet @was(name: "Writer") { label: String @was(name: "title") }');
    expect(await ask("{ queryPoet { label } }")).toEqual({ queryPoet: [{ label: "Ada" }] });
  });

  it("frees its old name for another type", async () => {
    await deploy("type Author { name: String }");
    await ask('mutation { addAuthor(input: [{ name: "Ada" }]) { numUids } }');
    await deploy('type Writer @was(name: "Author") { name: String }');
    await deploy("type Writer { name: String } type Author { name: String }");
    await ask('mutation { addAuthor(input: [{ name: "Grace" }]) { numUids } }');
    await restart();
    expect(await ask("{ queryWriter { name } queryAuthor { name } }")).toEqual({ queryWriter: [{ name: "Ada" }], queryAuthor: [{ name: "Grace" }] });
  });

  it("that is dropped is reported with its nodes", async () => {
    await deploy("type Author { name: String  posts: [Post] } type Post { title: String }");
    await ask('mutation { addAuthor(input: [{ name: "Ada", posts: [{ title: "a" }, { title: "b" }] }]) { numUids } }');
    expect(await deploy("type Author { name: String }")).toEqual([
      { kind: "type", name: "Post", stored: "Post", nodes: 2 },
      { kind: "link", name: "Author.posts", stored: "Author.posts", nodes: 1 },
    ]);
    await deploy('type Author { name: String  texts: [Text] @was(name: "posts") } type Text @was(name: "Post") { title: String }');
    expect(await ask("{ queryAuthor { texts(order: { asc: title }) { title } } }")).toEqual({
      queryAuthor: [{ texts: [{ title: "a" }, { title: "b" }] }],
    });
  });
});

describe("with explicit storage names", () => {
  it("keeps an explicit name, repeated or not", async () => {
    await deploy('type Film { title: String @storage(pred: "film.title") }');
    await ask('mutation { addFilm(input: [{ title: "M" }]) { numUids } }');
    await deploy('type Film { label: String @was(name: "title") @storage(pred: "film.title") }');
    expect(await ask("{ queryFilm { label } }")).toEqual({ queryFilm: [{ label: "M" }] });
    await deploy('type Film { heading: String @was(name: "label") }');
    expect(await ask("{ queryFilm { heading } }")).toEqual({ queryFilm: [{ heading: "M" }] });
  });

  it("is refused when both differ", async () => {
    await deploy('type Film { title: String @storage(pred: "film.title") }');
    expect(await refusals('type Film {\n  label: String @was(name: "title") @storage(pred: "film.label")\n}')).toEqual([
      "2:18 Type Film; Field label: @was says that its data are those of title, stored as film.title, and another directive that they are stored as film.label.",
    ]);
    expect(await refusals('type Movie @was(name: "Film") @storage(type: "Other") { label: String }')).toEqual([
      "1:13 Type Movie; @was says that its nodes are those of Film, stored as Film, and another directive that they are stored as Other.",
    ]);
  });
});

describe("an invalid @was", () => {
  it.each([
    ['type A {\n  a: String @was(name: "a")\n}', "2:14 Type A; Field a: @was names a, which is its name now."],
    ['type A {\n  a: String @was(name: "b")\n  b: String\n}', "2:14 Type A; Field a: @was names b, which is still a field of A."],
    ['type A {\n  a: String @was(name: "c")\n  b: String @was(name: "c")\n}', "3:14 Type A; Field b: @was names c, which is what a was."],
    ['type A {\n  a: String @was(name: ["c", "c"])\n}', "2:14 Type A; Field a: @was names c, twice."],
    ['type A {\n  id: ID! @was(name: "key")\n  a: String\n}', "2:12 Type A; Field id: @was is for fields that are stored, and this one is the ID."],
    ['type A @was(name: "A") {\n  a: String\n}', "1:9 Type A; @was names A, which is its name now."],
    ['type A @was(name: "B") {\n  a: String\n}\ntype B { b: String }', "1:9 Type A; @was names B, which is still a type of this schema."],
    ['type A @was(name: "C") { a: String }\ntype B @was(name: "C") { b: String }', "2:9 Type B; @was names C, which is what A was."],
  ])("%s is refused", async (schema, message) => {
    expect(await refusals(schema)).toEqual([message]);
  });
});
