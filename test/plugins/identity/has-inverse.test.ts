import { print } from "graphql";
import { describe, expect, it } from "vitest";
import type { BuiltDeployment } from "../../../core/schema/deployment/build-deployment.ts";
import { deploy, errorsOf, typeOf } from "../../schema/deployment/harness.ts";

/** The field as it is served: `posts: [Post] @hasInverse(field: author)`. */
const served = (deployed: BuiltDeployment, type: string, field: string) => {
  const found = typeOf(deployed, type).fields.get(field);
  return found && print(found.definition);
};

const inverseOf = (deployed: BuiltDeployment, type: string, field: string) => {
  const found = typeOf(deployed, type).fields.get(field);
  return found?.role === "link" && found.inverse ? `${found.inverse.owner.name}.${found.inverse.name}` : undefined;
};

describe("@hasInverse", () => {
  it("written on one side is served on both", () => {
    const deployed = deploy("type Post { author: Author }\ntype Author { posts: [Post] @hasInverse(field: author) }");
    expect(served(deployed, "Post", "author")).toBe("author: Author @hasInverse(field: posts)");
    expect(served(deployed, "Author", "posts")).toBe("posts: [Post] @hasInverse(field: author)");
    expect([inverseOf(deployed, "Post", "author"), inverseOf(deployed, "Author", "posts")]).toEqual(["Author.posts", "Post.author"]);
    expect(deployed.definitions.map((definition) => print(definition)).join("\n")).toContain("author: Author @hasInverse(field: posts)");
  });

  it("accepts the field's name as a string", () => {
    const deployed = deploy('type A { b: B @hasInverse(field: "a") }\ntype B { a: A }');
    expect(inverseOf(deployed, "B", "a")).toBe("A.b");
  });

  it("that names an interface's field is inferred there and in every type that inherits the field", () => {
    const deployed = deploy(`
      type Author { posts: [Post] @hasInverse(field: author) }
      interface Post { author: Author! }
      type Question implements Post { a: Int }
    `);
    for (const type of ["Post", "Question"]) {
      expect(served(deployed, type, "author")).toBe("author: Author! @hasInverse(field: posts)");
      expect(inverseOf(deployed, type, "author")).toBe("Author.posts");
    }
    expect(inverseOf(deployed, "Author", "posts")).toBe("Post.author");
  });

  it("on an interface's field applies to every type that inherits it", () => {
    const deployed = deploy(`
      interface Post { author: Author! @hasInverse(field: posts) }
      type Question implements Post { a: Int }
      type Author { posts: [Post] }
    `);
    expect([inverseOf(deployed, "Question", "author"), inverseOf(deployed, "Author", "posts")]).toEqual(["Author.posts", "Post.author"]);
  });

  it("from concrete types to a field that they inherit applies to each type, and not to the interface", () => {
    const deployed = deploy(`
      interface Vessel { owner: Owner }
      type Ketch implements Vessel { a: Int }
      type Yawl implements Vessel { a: Int }
      type Owner { ketches: [Ketch] @hasInverse(field: owner)  yawls: [Yawl] @hasInverse(field: owner) }
    `);
    expect(served(deployed, "Ketch", "owner")).toBe("owner: Owner @hasInverse(field: ketches)");
    expect(served(deployed, "Yawl", "owner")).toBe("owner: Owner @hasInverse(field: yawls)");
    expect(served(deployed, "Vessel", "owner")).toBe("owner: Owner");
    expect(inverseOf(deployed, "Vessel", "owner")).toBeUndefined();
  });

  it("may make a field its own inverse", () => {
    const deployed = deploy("type P { friends: [P] @hasInverse(field: friends) }");
    expect(inverseOf(deployed, "P", "friends")).toBe("P.friends");
    expect(served(deployed, "P", "friends")).toBe("friends: [P] @hasInverse(field: friends)");
  });

  it.each([
    [
      "on a scalar",
      "type A { f: String @hasInverse(field: f) }",
      "1:10 Type A; Field f: Field f is of type String, but @hasInverse directive only applies to fields with object types.",
    ],
    [
      "on a union",
      "type A { x: Int, f: U @hasInverse(field: f) }\nunion U = A",
      "1:18 Type A; Field f: Field f is of type U, but @hasInverse directive only applies to fields with object types.",
    ],
    ["on a place", "type A { f: Point @hasInverse(field: f) }", "1:20 Type A; Field f: inverse field f doesn't exist for type Point."],
    ["without a field", "type A { f: A @hasInverse }", "1:16 Type A; Field f: @hasInverse directive doesn't have field argument."],
    ["with a field that is not there", "type A { f: A @hasInverse(field: g) }", "1:16 Type A; Field f: inverse field g doesn't exist for type A."],
    [
      "with a field of another type",
      "type A { f: [B] @hasInverse(field: g) }\ntype B { g: [B!]! }",
      "1:18 Type A; Field f: @hasInverse is required to link the fields of same type, but the field g is of the type [B!]! instead of A. " +
        "To link these make sure the fields are of the same type.",
    ],
    [
      "with a field that is another's inverse",
      "type A { f: B @hasInverse(field: a), g: B @hasInverse(field: a) }\ntype B { a: A }",
      "1:44 Type A; Field g: @hasInverse should be consistant. A.g is the inverse of B.a, but B.a is the inverse of A.f.",
    ],
    [
      "with a field that says otherwise",
      "type A { f: B @hasInverse(field: a), g: B }\ntype B { a: A @hasInverse(field: g) }",
      "1:16 Type A; Field f: @hasInverse should be consistant. A.f is the inverse of B.a, but B.a is the inverse of A.g.",
    ],
  ])("is refused %s", (_, schema, error) => {
    expect(errorsOf(schema)).toContain(error);
  });

  it("of an inherited field is validated at the interface and reported once", () => {
    expect(errorsOf("interface I { f: B @hasInverse(field: a) }\ntype A implements I { x: Int }\ntype B { a: A }")).toEqual([
      "1:21 Type I; Field f: @hasInverse is required to link the fields of same type, but the field a is of the type A instead of I. " +
        "To link these make sure the fields are of the same type.",
    ]);
  });
});
