// Mistakes in `@custom`, `@remote` and `@lambdaOnMutate`: which are reported together, and where.

import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { prepareDeployment, QuernError } from "../../../core/index.ts";

/** `line:column message` of each mistake, in the order of the text. */
function mistakesIn(schema: string, { handled = true } = {}): readonly string[] {
  try {
    prepareDeployment(schema, standardPlugins(handled ? { lambdaUrl: "http://127.0.0.1:9/" } : {}));
    return [];
  } catch (thrown) {
    if (!(thrown instanceof QuernError)) throw thrown;
    return thrown.errors
      .map(({ message, locations = [] }) => `${locations.map(({ line, column }) => `${line}:${column}`).join(" ")} ${message}`)
      .sort();
  }
}

const about = (field: string, rest: string) => mistakesIn(`type Hive { id: ID!  label: String!  spot: Point  ${field} }\n${rest}`);

describe("@custom(dql:)", () => {
  it("points at the argument, and reports all that is wrong with it", () => {
    expect(mistakesIn("type Query { q: Int @custom(dql: 5) }\ntype Hive { label: String }")).toEqual([
      "1:29 Type Query; Field q: dql argument for @custom directive must be of type String.",
    ]);
    expect(mistakesIn('type Mutation { q(tags: [Int]): Int @custom(dql: " ") }\ntype Hive { label: String }')).toEqual([
      "1:45 Type Mutation; Field q: @custom directive with `dql` can be used only on queries.",
      "1:45 Type Mutation; Field q: Argument tags: must be of a scalar type. @custom DQL queries accept only scalar arguments.",
      "1:45 Type Mutation; Field q: dql argument for @custom directive must not be empty.",
    ]);
  });

  it("obeys the rules of places and of the number of arguments too", () => {
    expect(
      mistakesIn('type Hive {\n  label: String\n  x: Int @search @custom(http: { url: "nowhere" }, dql: "{ x(func: uid(1)) { uid } }")\n}'),
    ).toEqual([
      "3:19 Type Hive; Field x: has 2 arguments for @custom directive, it should contain exactly one of `http` or `dql` arguments.",
      "3:19 Type Hive; Field x; @custom directive is only allowed on fields where the type definition has a field with type ID! or a field with @id directive.",
      "3:19 Type Hive; Field x; custom directive not allowed along with @search directive.",
      "3:52 Type Hive; Field x: @custom directive with `dql` can be used only on queries.",
    ]);
  });
});

describe("@custom(http:)", () => {
  it.each([
    ["without a url", '{ body: "{" }', "; url field inside @custom directive is mandatory."],
    ["with an invalid url", '{ url: "nowhere", method: NONE, mode: NONE, body: "{" }', "; url field inside @custom directive is invalid."],
    [
      "with an operation that does not parse",
      '{ url: "http://a.example", method: POST, graphql: "query {", body: "{ no: $no }", mode: BATCH }',
      ": unable to parse graphql in @custom directive because: Expected Name, found <EOF>",
    ],
    [
      "in the mode BATCH with two arguments",
      '{ url: "http://a.example", method: POST, graphql: "query { w(a: $a, b: $b) }", body: "{ no: $no }", mode: BATCH }',
      ": inside graphql in @custom directive, for BATCH mode, query `w` can have only one argument whose value should be a variable.",
    ],
  ])("is not looked at any further %s", (_case, http, text) => {
    expect(about(`x: Int @custom(http: ${http})`, "").map((each) => each.replace(/^\d+:\d+ /u, ""))).toEqual([`Type Hive; Field x${text}`]);
  });

  it("reports all that is wrong with a remote operation", () => {
    const graphql = "subscription Named($far: Int) @d { w(x: $no) @e }";
    const found = mistakesIn(
      `type Query { q: Int @custom(http: { url: "http://a.example", method: POST, graphql: "${graphql}" }) }\ntype Hive { label: String }`,
    );
    expect(found.map((each) => each.replace(/^1:86 Type Query; Field q/u, ""))).toEqual([
      ": inside graphql in @custom directive, found `subscription` operation, it can only have query/mutation.",
      ": inside graphql in @custom directive, found operation with directives, it can't have any directives.",
      ": inside graphql in @custom directive, found operation with name `Named`, it can't have a name.",
      ": inside graphql in @custom directive, found subscription `w` with directives, it can't have any directives.",
      "; @custom directive, graphql must use fields with a variable definition, found `no`.",
      "; @custom directive, graphql variables must use fields defined within the type, found `far`.",
    ]);
  });

  it.each([
    ["1) b(x: 2", "input:1: Expected <EOF>, found )"],
    ["{ a: 1 }) } query Other { c(d: 2", "input:1: Expected <EOF>, found )"],
    ["{ a: 1 } e: 2", "input:1: Expected <EOF>, found Name"],
    ["{ a: 1 } # }", "input:1: Expected Name, found <EOF>"],
  ])("has a body that is one value: %s is refused", (body, reason) => {
    const found = mistakesIn(
      `type Query { q: Int @custom(http: { url: "http://a.example", method: POST, body: "${body}" }) }\ntype Hive { label: String }`,
    );
    expect(found).toEqual([`1:83 Type Query; Field q; body template inside @custom directive could not be parsed: ${reason}`]);
  });

  it.each(["{ a: [1, { b: null }] }", "[$x]", "$x", " 5 ", '\\"text) }\\"'])("has a body that is one value: %s is accepted", (body) => {
    const http = `{ url: "http://a.example", method: POST, body: "${body}" }`;
    expect(mistakesIn(`type Query { q(x: Int): Int @custom(http: ${http}) }\ntype Hive { label: String }`)).toEqual([]);
  });

  it("reports the first wrong header, at the body", () => {
    const headers = 'forwardHeaders: ["a:b:c", "d:e:f"], secretHeaders: ["x:y:z"]';
    expect(
      about(
        `x: Int @custom(http: {\n  url: "http://a.example", method: POST, mode: BATCH,\n  graphql: "query($in: [In]) { w(in: $in) }"\n  body: "{ id: $id }", ${headers}\n})`,
        "",
      ),
    ).toEqual([
      "4:10 Type Hive; Field x; forwardHeaders in @custom directive should be of the form 'remote_headername:local_headername' or just 'headername', found: `a:b:c`.",
    ]);
  });

  it("wants secrets for introspection only where a remote schema is read", () => {
    const using = (http: string) =>
      mistakesIn(
        `type Query { q: Int @custom(http: { url: "http://a.example", method: POST, introspectionHeaders: ["KEY"], ${http} }) }\ntype Hive { label: String }`,
      );
    expect(using('body: "{ a: 1 }"')).toEqual([]);
    expect(using('graphql: "query { w }", skipIntrospection: true')).toEqual([]);
    expect(using('graphql: "query { w }"')).toEqual([expect.stringContaining("introspectionHeaders in @custom directive should use secrets")]);
  });

  it("may send geometries of the parent, and no enums", () => {
    const sends = (name: string) =>
      about(`kind: Kind  x: Int @custom(http: { url: "http://a.example", method: POST, body: "{ id: $id, x: $${name} }" })`, "enum Kind { WAX }");
    expect(sends("spot")).toEqual([]);
    expect(sends("kind")).toEqual([expect.stringContaining("must use scalar fields, found field `kind` of type `Kind`.")]);
  });
});

describe("@remoteResponse", () => {
  it.each(["", "(name: null)", '(name: "")', "(name: 5)", "(name: [])"])("needs a name that is a text: %s is refused", (given) => {
    expect(mistakesIn(`type Hive { label: String }\ntype Far @remote { a: Int @remoteResponse${given} }`)).toEqual([
      "2:28 Type Far: Field a: Argument name inside @remoteResponse directive must be defined.",
    ]);
  });

  it("may name any key", () => {
    expect(mistakesIn('type Hive { label: String }\ntype Far @remote { a: Int @remoteResponse(name: "@groupby") }')).toEqual([]);
  });
});

describe("@remote", () => {
  it("reports each field of a remote type, in inputs as in types, where Dgraph reports the first of each", () => {
    const rest = "is of a type that has @remote directive. Those would need to be resolved by a @custom/@lambda directive.";
    const remote = "type Far @remote { a: Int }\ninput FarIn @remote { a: Int }";
    expect(mistakesIn(`type Hive { label: String  far: Far  farther: [Far] }\ninput In { far: [FarIn!]  farther: FarIn }\n${remote}`)).toEqual([
      `1:28 Type Hive; field far; ${rest}`,
      `1:38 Type Hive; field farther; ${rest}`,
      `2:12 Type In; field far; ${rest}`,
      `2:27 Type In; field farther; ${rest}`,
    ]);
  });
});

describe("@lambdaOnMutate", () => {
  it("points at the argument that is no boolean", () => {
    expect(mistakesIn('type Hive @lambdaOnMutate(add: true, update: "yes") { label: String }')).toEqual([
      '1:38 Type Hive; update argument in @lambdaOnMutate directive can only be true/false, found: `"yes"`.',
    ]);
  });
});

describe("@lambda and @lambdaOnMutate without a handler", () => {
  it("report that alone, once for each directive", () => {
    const found = mistakesIn(
      "type Query { q: Int @lambda }\ntype Hive @lambdaOnMutate(add: true, delete: true) { label: String  x: Int @search @lambda }",
      { handled: false },
    );
    const flag = '--graphql "lambda-url=...;" flag';
    expect(found).toEqual([
      `1:22 Type Query; Field q: has the @lambda directive, but the ${flag} wasn't specified during alpha startup.`,
      "2:12 Type Hive: has the @lambdaOnMutate directive, but the `--graphql lambda-url` flag wasn't specified during alpha startup.",
      `2:85 Type Hive; Field x: has the @lambda directive, but the ${flag} wasn't specified during alpha startup.`,
    ]);
  });
});

describe("@lambda", () => {
  it("stands beside no @search on a root field either", () => {
    expect(mistakesIn("type Query { q: Int @search @lambda }\ntype Hive { label: String }")).toEqual([
      "1:30 While building @custom for @lambda: Type Query; Field q; custom directive not allowed along with @search directive.",
    ]);
  });

  it("needs a key that it does not resolve itself", () => {
    const text = "While building @custom for @lambda: Type Hive; Field";
    expect(mistakesIn("type Hive { id: ID! @lambda  code: String @id  x: Int @lambda }")).toEqual([
      `1:22 ${text} id; custom directive not allowed on field of type ID! or field with @id directive.`,
    ]);
    expect(mistakesIn("type Hive { id: ID! @lambda  label: String  x: Int @lambda }")).toEqual([
      `1:22 ${text} id: @custom directive, body template must use a field with type ID! or a field with @id directive.`,
      `1:22 ${text} id; custom directive not allowed on field of type ID! or field with @id directive.`,
      `1:53 ${text} x: @custom directive, body template must use a field with type ID! or a field with @id directive.`,
    ]);
  });
});

describe("fields of Query and Mutation without a directive", () => {
  const text = (root: string, field: string) =>
    `GraphQL Query and Mutation types are only allowed to have fields with @custom/@lambda directive. Other fields are built automatically for you. Found ${root} ${field} without @custom/@lambda.`;

  it("are the mistake, not the unknown types that they name", () => {
    expect(mistakesIn("type Query {\n  getAuthor(id: ID): Author!\n}\ntype Mutation { addAuthor(input: AuthorInput): Author! }")).toEqual([
      `1:6 ${text("Query", "getAuthor")}`,
      `4:6 ${text("Mutation", "addAuthor")}`,
    ]);
  });

  it("hide no mistake in other definitions", () => {
    expect(mistakesIn("type Query { getAuthor: Author! }\ntype Book { author: Author }")).toEqual([
      "1:25 Undefined type Author.",
      "2:21 Undefined type Author.",
    ]);
  });
});

describe("a type without other fields than its ID and", () => {
  const lacksStored = "Type Hive; is invalid, a type must have atleast one field that is not of ID! type and doesn't have @custom/@lambda directive.";
  const hive = (field: string) => mistakesIn(`type Hive { id: ID!  ${field} }\ntype Far @remote { label: String }`);

  it("a field of a remote type, which it has meant to store, has this one mistake", () => {
    expect(hive("far: Far")).toEqual([
      "1:22 Type Hive; field far; is of a type that has @remote directive. Those would need to be resolved by a @custom/@lambda directive.",
    ]);
  });

  it("a field of a remote type that another service answers lacks a field to store", () => {
    expect(hive("far: Far @lambda")).toEqual([`1:6 ${lacksStored}`]);
    expect(hive('far: Far @custom(http: { url: "http://127.0.0.1:9/", method: POST, body: "{ id: $id }" })')).toEqual([`1:6 ${lacksStored}`]);
  });

  it("a misplaced @lambda has both mistakes", () => {
    expect(hive("label: String @lambda @search")).toEqual([
      "1:37 While building @custom for @lambda: Type Hive; Field label; custom directive not allowed along with @search directive.",
      `1:6 ${lacksStored}`,
    ]);
  });
});
