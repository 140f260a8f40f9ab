import { describe, expect, it } from "vitest";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { deploy, edgesOf } from "./harness.ts";

const edges = (schema: string) => edgesOf(deploy(schema));

describe("edges", () => {
  it("have an unnamed opposite side if no field shows it", () => {
    expect(edges("type Post { author: Author }\ntype Author { name: String }")).toEqual(["Post.author(Post>Author) | ~Post.author[](Author>Post)"]);
  });

  it("are separate for two opposite fields that are not declared inverse", () => {
    expect(edges("type Post { author: Author }\ntype Author { posts: [Post] }")).toEqual([
      "Author.posts[](Author>Post) | ~Author.posts[](Post>Author)",
      "Post.author(Post>Author) | ~Post.author[](Author>Post)",
    ]);
  });

  it("join two inverse fields, declared on one side or both", () => {
    const one = "Author.posts[](Author>Post) | Post.author(Post>Author)";
    expect(edges("type Post { author: Author @hasInverse(field: posts) }\ntype Author { posts: [Post] }")).toEqual([one]);
    expect(edges("type Post { author: Author @hasInverse(field: posts) }\ntype Author { posts: [Post] @hasInverse(field: author) }")).toEqual([one]);
  });

  it("may be one to one and many to many", () => {
    expect(edges("type A { b: B @hasInverse(field: a) }\ntype B { a: A }")).toEqual(["A.b(A>B) | B.a(B>A)"]);
    expect(edges("type A { b: [B] @hasInverse(field: a) }\ntype B { a: [A] }")).toEqual(["A.b[](A>B) | B.a[](B>A)"]);
  });

  it("have one side if a field is its own inverse", () => {
    expect(edges("type P { friends: [P] @hasInverse(field: friends) }")).toEqual(["P.friends[](P>P)"]);
  });

  it("have two sides if two fields of one type are inverse", () => {
    expect(edges("type P { boss: P @hasInverse(field: staff), staff: [P] }")).toEqual(["P.boss(P>P) | P.staff[](P>P)"]);
  });

  it("lead from and to all types of an interface", () => {
    const schema = "interface Post { author: Author @hasInverse(field: posts) }\ntype Author { posts: [Post] }\n";
    expect(edges(`${schema}type Q implements Post { a: Int }\ntype R implements Post { a: Int }`)).toEqual([
      "Author.posts[](Author>Q+R) | Post.author(Q+R>Author)",
    ]);
  });

  it("have several ends on one side if fields show parts of an interface's links", () => {
    expect(
      edges(`
        interface Vessel { owner: Owner }
        type Ketch implements Vessel { a: Int }
        type Yawl implements Vessel { a: Int }
        type Sloop implements Vessel { a: Int }
        type Owner { yawls: [Yawl] @hasInverse(field: owner)  ketch: Ketch @hasInverse(field: owner) }
      `),
    ).toEqual(["Owner.ketch(Owner>Ketch), Owner.yawls[](Owner>Yawl) | Vessel.owner(Ketch+Sloop+Yawl>Owner)"]);
  });

  it("lead to the members of a union", () => {
    expect(edges("type A { x: [U] }\ntype B { b: Int }\nunion U = B | A")).toEqual(["A.x[](A>A+B) | ~A.x[](A+B>A)"]);
  });

  it("have one end for each reverse field", () => {
    expect(
      edges(`
        type X { f1: [Y] @dgraph(pred: "~link")  f2: [Z] @dgraph(pred: "~link") }
        type Y { f3: [X] @dgraph(pred: "link") }
        type Z { f4: [X] @dgraph(pred: "link") }
      `),
    ).toEqual(["X.f1[](X>Y), X.f2[](X>Z) | link[](Y+Z>X)"]);
  });

  it("have reverse ends for all types of an interface", () => {
    expect(
      edges(`
        type Thing { ownedBy: Person @dgraph(pred: "Thing.owner") }
        interface Person { id: ID!  owns: [Thing] @dgraph(pred: "~Thing.owner") }
        type Clerk implements Person { a: Int }
      `),
    ).toEqual(["Person.owns[](Clerk>Thing) | Thing.owner(Thing>Clerk)"]);
  });

  it("to an interface without implementing types have no partners", () => {
    expect(edges("interface I { id: ID! }\ntype A { i: I }")).toEqual(["A.i(A>) | ~A.i[](>A)"]);
  });

  it("do not depend on source order", () => {
    const a = "type A { b: B @hasInverse(field: a), c: [C] }";
    const b = "type B { a: A }";
    const c = "type C { x: Int }";
    expect(deploy(`${a}\n${b}\n${c}`).layout).toEqual(deploy(`${c}\n${b}\n${a}`).layout);
  });
});

describe("types and fields", () => {
  it("have a kind for scalars, enums, geo values and lists, and exclude IDs and links", () => {
    const { layout } = deploy(`
      type A { id: ID!  a: Boolean  b: Int  c: Int64  d: Float  e: String  f: DateTime  g: Point  h: E  i: [E!]!  j: [MultiPolygon]  k: A }
      enum E { X }
    `);
    expect(layout.fields.map(({ name, kind, list }) => `${name} ${kind}${list ? "[]" : ""}`)).toEqual([
      "A.a boolean",
      "A.b int",
      "A.c int64",
      "A.d float",
      "A.e string",
      "A.f dateTime",
      "A.g geo",
      "A.h string",
      "A.i string[]",
      "A.j geo[]",
    ]);
    expect(layout.types).toEqual([{ name: "A", fields: layout.fields.map((field) => field.name) }]);
  });

  it("may share a stored field", () => {
    const { layout } = deploy('type A { a: Int @dgraph(pred: "n") }\ntype B { b: Int! @dgraph(pred: "n"), c: Int @dgraph(pred: "n") }');
    expect(layout.fields).toEqual([{ name: "n", kind: "int", list: false }]);
    expect(layout.types).toEqual([
      { name: "A", fields: ["n"] },
      { name: "B", fields: ["n"] },
    ]);
  });

  it("must not share a stored field with different kinds, even without a rule of a plugin", () => {
    const rename: DirectivePlugin = {
      name: "rename",
      definitions: "directive @rename on FIELD_DEFINITION",
      model: ({ uses, record }) => {
        for (const { field } of uses("rename")) if (field) record.storedField(field, "same");
        return undefined;
      },
    };
    expect(() => deploy("type A { a: Int @rename, b: A @rename }", [rename])).toThrow(
      "A.a and A.b are both stored as same, as different things; name one of them otherwise.",
    );
    expect(() => deploy("type A { a: Int @rename, b: [Int] @rename }", [rename])).toThrow("A.a and A.b");
    expect(deploy("type A { a: Int @rename, b: Int @rename }", [rename]).layout.fields).toHaveLength(1);
  });

  it("are merged if types share a stored name", () => {
    const { layout } = deploy('type A @dgraph(type: "T") { a: Int }\ntype B @storage(type: "T") { b: Int }');
    expect(layout.types).toEqual([{ name: "T", fields: ["T.a", "T.b"] }]);
  });
});

describe("keys", () => {
  it("apply to a type, or to all types of an interface", () => {
    const { layout } = deploy(`
      interface I { isbn: String! @id(interface: true)  code: Int @id }
      type A implements I { a: String @id }
      type B implements I { b: Int }
    `);
    expect(layout.keys).toEqual([
      { name: "A(A.a)", fields: ["A.a"], types: ["A"] },
      { name: "A(I.code)", fields: ["I.code"], types: ["A"] },
      { name: "B(I.code)", fields: ["I.code"], types: ["B"] },
      { name: "I(I.isbn)", fields: ["I.isbn"], types: ["A", "B"] },
    ]);
  });
});
