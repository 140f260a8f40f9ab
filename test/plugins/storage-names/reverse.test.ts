import { describe, expect, it } from "vitest";
import { deploy, errorsOf, typeOf } from "../../schema/deployment/harness.ts";

describe("a name that starts with ~", () => {
  it("shows another field's links, read-only", () => {
    const deployed = deploy('type X { f: [Y] @dgraph(pred: "~p")  n: Int }\ntype Y { g: X @dgraph(pred: "p") }');
    const field = typeOf(deployed, "X").fields.get("f");
    expect(field?.role === "link" && field.reverseOf?.name).toBe("g");
    expect(field?.exposure).toMatchObject({ output: true, input: false, has: true, arguments: true });
  });

  it("may be written with brackets", () => {
    const deployed = deploy('type X { f: [Y] @dgraph(pred: "<~p>")  n: Int }\ntype Y { g: X @dgraph(pred: "p") }');
    const field = typeOf(deployed, "X").fields.get("f");
    expect(field?.role === "link" && field.reverseOf?.name).toBe("g");
  });

  it.each([
    [
      "a scalar",
      'type X { f: String @dgraph(pred: "~p") }',
      "1:10 Type X; Field f is of type String, but reverse predicate in @dgraph directive only applies to fields with object types.",
    ],
    [
      "a single link",
      'type X { f: Y @dgraph(pred: "~p") }\ntype Y { g: X @dgraph(pred: "p") }',
      "1:16 Type X; Field f: with a dgraph directive that starts with ~ should be of type list.",
    ],
    [
      "a name that only is one by default",
      'type X { f: [Y] @dgraph(pred: "~Y.g") }\ntype Y { g: X }',
      "1:18 Type X; Field f: pred argument: ~Y.g is not supported as forward edge doesn't exist for type Y.",
    ],
    [
      "a field that leads elsewhere",
      'type X { f: [Y] @dgraph(pred: "~p") }\ntype Y { g: Y @dgraph(pred: "p") }',
      "2:16 Type Y; Field g: should be of type X to be compatible with @dgraph reverse directive but is of type Y.",
    ],
    [
      "an edge that has an inverse",
      'type X { f: [Y] @dgraph(pred: "~p"), h: Y }\ntype Y { g: X @dgraph(pred: "p") @hasInverse(field: h) }',
      "2:16 Type Y; Field g: @hasInverse directive is not allowed because field is forward edge of another field with reverse directive.",
    ],
    [
      "an edge of which a later field makes it the inverse",
      'type X { f: [Y] @dgraph(pred: "~p") }\ntype Y { g: X @dgraph(pred: "p") @hasInverse(field: f) }',
      "2:16 Type Y; Field g: @hasInverse directive is not allowed because field is forward edge of another field with reverse directive.",
    ],
    [
      "the inverse that an earlier field names",
      'type Y { g: X @dgraph(pred: "p") @hasInverse(field: f) }\ntype X { f: [Y] @dgraph(pred: "~p") }',
      "2:18 Type X; Field f: @hasInverse directive is not allowed when pred argument in @dgraph directive starts with a ~.",
    ],
  ])("is refused on %s", (_, schema, error) => {
    expect(errorsOf(schema)).toEqual([error]);
  });

  it("in an interface is validated in each type that implements it", () => {
    const schema = (type: string) => `
      interface I { f: [Y] @dgraph(pred: "~p") }
      type A implements I { a: Int }
      type B implements I { b: Int }
      type Y { g: ${type} @dgraph(pred: "p") }
    `;
    expect(errorsOf(schema("I"))).toEqual([]);
    expect(errorsOf(schema("A"))).toEqual([
      "5:22 Type Y; Field g: should be any of types B or I to be compatible with @dgraph reverse directive but is of type A.",
    ]);
  });
});
