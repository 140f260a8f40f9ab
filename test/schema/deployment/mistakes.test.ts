// All mistakes of a schema at once: what is wrong is taken out, and the rest is judged without it.

import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type ErrorStyle, prepareDeployment, QuernError } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";

interface Judged {
  readonly errors?: ErrorStyle;
  readonly plugins?: readonly DirectivePlugin[];
}

function refusedBy(schema: string, { errors, plugins = standardPlugins() }: Judged = {}): readonly QuernError[] {
  try {
    prepareDeployment(schema, plugins, undefined, errors);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof QuernError)) throw thrown;
    return thrown.errors;
  }
}

/** Each as `line:column message (hint)`. */
function mistakes(schema: string, judged?: Judged): readonly string[] {
  return refusedBy(schema, judged).map(({ message, locations = [], hint }) => {
    const places = locations.map(({ line, column }) => `${line}:${column} `).join("");
    return `${places}${message}${hint === undefined ? "" : ` (${hint})`}`;
  });
}

const near = (name: string, meant: string) => ` (Nothing is named ${name}; did you mean "${meant}"?)`;

describe("every part of a schema is judged", () => {
  it("reports each field of a type with an unknown type, where Dgraph reports the first", () => {
    const schema = "type A { n: String  x: Persn!  y: Wharf }\ntype Person { name: String }";
    const first = `1:24 Undefined type Persn.${near("Persn", "Person")}`;
    expect(mistakes(schema)).toEqual([first, "1:35 Undefined type Wharf."]);
    expect(mistakes(schema, { errors: "compatible" })).toEqual([first]);
  });

  it.each([
    ["beside it", "type A { n: String @serch  m: String @search(by: [hsh]) }", "1:39"],
    ["in the same field", "type A { n: String @serch @search(by: [hsh]) }", "1:28"],
    ["in another type", "type B { n: String @serch }\ntype A { m: String @search(by: [hsh]) }", "2:21"],
  ])("reports a wrong argument that only a plugin knows beside an unknown directive: %s", (_, schema, place) => {
    const found = mistakes(schema);
    expect(found).toHaveLength(2);
    expect(found[0]).toContain(`Undefined directive serch.${near("serch", "search")}`);
    expect(found[1]).toMatch(new RegExp(`^${place} .*hsh`));
  });

  it("reports the stages of a deploy together: names, interfaces, types, directives, plugins, rules", () => {
    const schema = `type Query2 implements Boat { n: String }
interface Bot { l: Int }
scalar Date
type A @auth(query: { rule: "query { queryA { none } }" }) { n: String }
type B { a: [A] @hasInverse(field: "nothing")  b: Strng  c: Int @range(max: "x") }
union U = A | Nobody
type E { id: ID!  id2: ID! s: String }`;
    const found = mistakes(schema);
    const expected = [
      /^1:6 Undefined type "Boat"\. .*did you mean "Bot"/,
      /^3:8 You can't add scalar definitions/,
      /^4:\d+ Type A: @auth: .*none/,
      /^5:\d+ Type B; Field a: .*nothing/,
      /^5:\d+ Undefined type Strng\. .*did you mean "String"/,
      /^5:\d+ Directive @range: /,
      /^6:7 Undefined type "Nobody"\./,
      /^7:10 7:19 Fields id and id2 are listed as IDs/,
    ];
    expect(found).toEqual(expected.map((each) => expect.stringMatching(each)));
  });

  it("lists the arguments of a directive with their values where none resembles the given one", () => {
    expect(mistakes("type A { home: String @format(is: URL) }")).toEqual([
      "1:24 is is not supported as an argument for format directive. (@format takes type: EMAIL, URL, UUID, SLUG, IP.)",
    ]);
  });

  it("lists the values of an argument, and suggests one that resembles the given one", () => {
    const [wrong] = mistakes("type A { home: String @format(type: URI) }");
    expect(wrong).toMatch(/^1:37 Directive @format: .* URI\. \(type is one of EMAIL, .*; did you mean "URL"\?\)$/);
  });

  it("reports each wrong line of settings with its place, and the mistakes of the text", () => {
    const found = mistakes('# Service.Allow-Origin nobody\n# Service.Secret "k"\ntype A { x: Qzqzqzqzqz }');
    expect(found).toEqual([
      expect.stringMatching(/^1:1 incorrect format for specifying Service\.Allow-Origin/),
      expect.stringMatching(/^2:1 incorrect format for specifying Service secret/),
      "3:13 Undefined type Qzqzqzqzqz.",
    ]);
  });

  it("reports a syntax error alone", () => {
    expect(mistakes("type A { x: Persn }\ntype B { x: : }")).toEqual(["2:13 Expected Name, found :"]);
  });
});

describe("what only follows from another mistake is not reported", () => {
  it.each([
    [
      "an unknown type of an argument is no wrong type",
      'type Query { q(a: Qzqzqzqzqz): Int @custom(http: { url: "http://a.b", method: GET }) }',
      ["1:19 Undefined type Qzqzqzqzqz."],
    ],
    [
      "the other side of an inverse has no partner where the type is unknown",
      "type A { b: Qzqzqzqzqz }\ntype B { a: A @hasInverse(field: b) }",
      ["1:13 Undefined type Qzqzqzqzqz."],
    ],
    ["a type has no stored field where all are wrong", "type A { id: ID!  x: Qzqzqzqzqz }", ["1:22 Undefined type Qzqzqzqzqz."]],
    [
      "a root field lacks a directive whose name is misspelled",
      'type Query { q: Int @custm(http: { url: "http://a.b", method: GET }) }\ntype A { n: Int }',
      [`1:22 Undefined directive custm.${near("custm", "custom")}`],
    ],
    [
      "a rule filters by a field whose index is misspelled",
      'type A @auth(query: { rule: "query { queryA(filter: { n: { eq: \\"x\\" } }) { n } }" }) { n: String @serch(by: [hash]) }',
      [`1:100 Undefined directive serch.${near("serch", "search")}`],
    ],
    [
      "a rule asks for a field of an unknown type",
      'type A @auth(query: { rule: "query { queryA { b { n } } }" }) { n: Int  b: Qzqzqzqzqz }',
      ["1:76 Undefined type Qzqzqzqzqz."],
    ],
    [
      "an embedding whose directive is misspelled has an index of vectors",
      'type A { v: [Float!] @embeding @search(by: ["hnsw(metric: \\"cosine\\")"])  n: Int }',
      [`1:23 Undefined directive embeding.${near("embeding", "embedding")}`],
    ],
    [
      "fields are of a remote type whose directive is misspelled",
      'type A @remot { x: Int }\ntype Query { a: A @custom(http: { url: "http://a.b", method: GET }) }\ntype B { n: Int }',
      [`1:9 Undefined directive remot.${near("remot", "remote")}`],
    ],
    [
      "a key names a field whose directive is misspelled",
      'type A @key(fields: "code") { code: String! @idd  n: Int }',
      [`1:46 Undefined directive idd.${near("idd", "id")}`],
    ],
    [
      "a required argument is absent where its name is wrong",
      'type A @groupBy(fields: ["n"]) { n: Int  h: String @format(typ: URL) }',
      [expect.stringMatching(/^1:\d+ typ is not supported/)],
    ],
    [
      "a field names a type that cannot have its name",
      "type Password { n: Int }\ntype B { p: Password  m: Int }",
      [expect.stringMatching(/^1:6 Password is a reserved word/)],
    ],
    [
      "a type lacks the fields of an interface that nobody knows",
      'type A implements Bot @key(fields: "code") { n: Int }\ninterface Boat { code: String! @id }',
      [`1:6 Undefined type "Bot".${near("Bot", "Boat")}`],
    ],
  ])("%s", (_, schema, expected) => {
    expect(mistakes(schema)).toEqual(expected);
  });

  it("but a mistake beside it in the same rule's type is", () => {
    const schema = 'type A @auth(query: { rule: "query { queryA { none } }" }) { n: String @serch(by: [hash]) }';
    expect(mistakes(schema)).toEqual([expect.stringMatching(/^1:\d+ Type A: @auth: .*none/), expect.stringMatching(/Undefined directive serch/)]);
  });
});

describe("the cost is bounded", () => {
  /** How often the schema was judged, and what was found. */
  function judged(schema: string) {
    let models = 0;
    const counting: DirectivePlugin = { name: "counting", definitions: "", model: () => void models++ };
    const found = mistakes(schema, { plugins: [identityPlugin(), counting] });
    return { models, found };
  }

  const types = Array.from({ length: 400 }, (_, i) => i);

  it("judges 400 types with 400 unknown types once more, not once for each", () => {
    const { models, found } = judged(types.map((i) => `type T${i} { n: Int  x: Unknown${i}Type }`).join("\n"));
    expect(found).toHaveLength(400);
    expect(models).toBe(1);
  });

  it("suggests names for a bounded number of mistakes and compares a bounded number of names", () => {
    const schema = Array.from({ length: 1_500 }, (_, i) => `type T${i} { n: Int  x: ${"N".repeat(90)}${i} }`).join("\n");
    expect(judged(schema).found).toHaveLength(1_500);
    expect(mistakes(`type A { n: Int  x: ${"N".repeat(500)} }`)).toEqual([`1:21 Undefined type ${"N".repeat(500)}.`]);
  });

  it("names the first 50 in its message and counts the others", () => {
    const schema = types
      .slice(0, 62)
      .map((i) => `type T${i} { n: Int  x: U }`)
      .join("\n");
    const thrown = (() => {
      try {
        prepareDeployment(schema, []);
      } catch (error) {
        return error;
      }
      return undefined;
    })();
    expect(thrown).toBeInstanceOf(QuernError);
    expect(String(thrown)).toMatch(/input:50: Undefined type U\.\nand 12 more$/);
  });

  it("runs no further stage for a schema without mistakes", () => {
    expect(judged("type A { n: Int }")).toEqual({ models: 1, found: [] });
  });
});

it("a plugin that fails on a repaired document hides no mistake that was found", () => {
  const failing: DirectivePlugin = {
    name: "failing",
    definitions: "",
    model: () => {
      throw new TypeError("surprised");
    },
  };
  expect(mistakes("type A { n: Int  x: Qzqzqzqzqz }", { plugins: [failing] })).toEqual(["1:21 Undefined type Qzqzqzqzqz."]);
});
