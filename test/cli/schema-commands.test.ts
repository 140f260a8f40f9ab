// quern print, validate and deploy: what a schema becomes, and everything that is wrong with it, where it is wrong.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema } from "graphql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, run, served, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, "good.graphql"), "type Boat {\n  name: String! @id\n  seats: Int @search\n}\n");
  writeFileSync(join(folder.path, "bad.graphql"), "type Boat {\n  name: String @search(by: [int])\n  seats: Int @search(by: [term])\n}\n");
});
afterEach(() => folder.remove());

describe("quern print", () => {
  it("prints the generated API as a valid schema", async () => {
    const { code, out, err } = await run(folder.path, "print", "good.graphql");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const schema = buildSchema(out);
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(["getBoat", "queryBoat", "aggregateBoat"]);
    expect(Object.keys(schema.getMutationType()?.getFields() ?? {})).toEqual(["addBoat", "updateBoat", "deleteBoat"]);
  });

  it("prints only the errors of a refused schema, with excerpts", async () => {
    const { code, out, err } = await run(folder.path, "print", "bad.graphql");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/bad\.graphql:2:\d+\n1 \| type Boat \{\n2 \| {3}name: String @search\(by: \[int\]\)\n {2}\| +\^/);
    expect(err).toContain("bad.graphql:3:");
  });
});

describe("quern validate", () => {
  it("reports a valid schema", async () => {
    expect(await run(folder.path, "validate", "good.graphql")).toEqual({ code: 0, out: "good.graphql is valid.\n", err: "" });
    expect(await run(folder.path, "validate", "good.graphql", "--json")).toEqual({ code: 0, out: '{"errors":[]}\n', err: "" });
  });

  it("lists every error, as text with excerpts and as JSON", async () => {
    const text = await run(folder.path, "validate", "bad.graphql");
    expect(text.code).toBe(1);
    expect(text.err).toContain("2 |   name: String @search(by: [int])");
    expect(text.err).toContain("3 |   seats: Int @search(by: [term])");
    const json = await run(folder.path, "validate", "bad.graphql", "--json");
    expect(json.code).toBe(1);
    const { errors } = JSON.parse(json.out);
    expect(errors.length).toBeGreaterThanOrEqual(2);
    for (const error of errors) {
      expect(Object.keys(error)).toEqual(["message", "locations"]);
      expect(error.locations[0]).toEqual({ line: expect.any(Number), column: expect.any(Number) });
    }
  });
});

describe("quern validate with several mistakes", () => {
  const wrong = "type A { x: Persn!  y: Wharf }\ntype Person { name: String @serch }\n";
  const at = (column: number, line: number) => [{ line, column }];

  it("shows all of them in the order of the text, with suggestions and carets", async () => {
    writeFileSync(join(folder.path, "wrong.graphql"), wrong);
    expect((await run(folder.path, "validate", "wrong.graphql")).err).toBe(`Undefined type Persn.
Nothing is named Persn; did you mean "Person"?
wrong.graphql:1:13
1 | type A { x: Persn!  y: Wharf }
  |             ^
2 | type Person { name: String @serch }

Undefined type Wharf.
wrong.graphql:1:24
1 | type A { x: Persn!  y: Wharf }
  |                        ^
2 | type Person { name: String @serch }

Undefined directive serch.
Nothing is named serch; did you mean "search"?
wrong.graphql:2:29
1 | type A { x: Persn!  y: Wharf }
2 | type Person { name: String @serch }
  |                             ^
3 |
`);
  });

  it("has all of them in JSON with hints, and in the compatible style those of Dgraph", async () => {
    writeFileSync(join(folder.path, "wrong.graphql"), wrong);
    const errorsWith = async (...args: readonly string[]) => JSON.parse((await run(folder.path, "validate", "wrong.graphql", "--json", ...args)).out);
    const [first, second, third] = ["Undefined type Persn.", "Undefined type Wharf.", "Undefined directive serch."];
    expect(await errorsWith()).toEqual({
      errors: [
        { message: first, locations: at(13, 1), hint: 'Nothing is named Persn; did you mean "Person"?' },
        { message: second, locations: at(24, 1) },
        { message: third, locations: at(29, 2), hint: 'Nothing is named serch; did you mean "search"?' },
      ],
    });
    expect(await errorsWith("--errors", "compatible")).toEqual({
      errors: [
        { message: first, locations: at(13, 1) },
        { message: third, locations: at(29, 2) },
      ],
    });
  });

  it("prints 50 and counts the others, and has all in JSON", async () => {
    const many = Array.from({ length: 62 }, (_, i) => `type T${i} { n: Int  x: Unheardof${i} }\n`).join("");
    writeFileSync(join(folder.path, "many.graphql"), many);
    const { err } = await run(folder.path, "validate", "many.graphql");
    expect(err.match(/^Undefined type/gm)).toHaveLength(50);
    expect(err).toMatch(/\n\n\.\.\. and 12 more\.\n$/);
    expect(JSON.parse((await run(folder.path, "validate", "many.graphql", "--json")).out).errors).toHaveLength(62);
  });

  it("shows the line of a syntax error with a caret", async () => {
    writeFileSync(join(folder.path, "broken.graphql"), "type A { x: Persn }\ntype B { y: : }\n");
    expect((await run(folder.path, "validate", "broken.graphql")).err).toBe(`Expected Name, found :
broken.graphql:2:13
1 | type A { x: Persn }
2 | type B { y: : }
  |             ^
3 |
`);
  });
});

describe("quern origins", () => {
  it("lists the plugin that added or changed each part, as text and as JSON", async () => {
    const text = await run(folder.path, "origins", "good.graphql");
    expect({ code: text.code, err: text.err }).toEqual({ code: 0, err: "" });
    expect(text.out).toMatch(/^type Boat +schema\n {2}name +schema\n {2}seats +schema\n/);
    expect(text.out).toMatch(/\n {2}getBoat +identity\n {4}name +identity\n/);
    expect(text.out).toMatch(/\ninput BoatFilter +kernel\n {2}name +identity\n {2}seats +search\n/);
    const json = await run(folder.path, "origins", "good.graphql", "--json");
    expect(JSON.parse(json.out)[0]).toMatchObject({ name: "type Boat", from: "schema", changedBy: [], hidden: [] });
  });

  it("prints only the errors of a refused schema", async () => {
    const { code, out, err } = await run(folder.path, "origins", "bad.graphql");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("bad.graphql:2:");
  });
});

describe("quern deploy", () => {
  const deploy = (...args: readonly string[]) => run(folder.path, "deploy", ...args);

  it("deploys to a running server or to a store; both report a refusal with the same location, excerpt, caret and hint", async () => {
    writeFileSync(join(folder.path, "wrong.graphql"), "type Boat {\n  name: Strin\n  seats: Int\n}\n");
    const refused = {
      code: 1,
      out: "",
      err: `Undefined type Strin.
Nothing is named Strin; did you mean "String"?
wrong.graphql:2:9
1 | type Boat {
2 |   name: Strin
  |         ^
3 |   seats: Int
`,
    };
    const server = await served(folder.path);
    const { origin } = new URL(server.url);
    expect(await deploy("good.graphql", "--url", origin)).toEqual({ code: 0, out: "good.graphql is deployed.\n", err: "" });
    expect(await ask(server.url, "{ queryBoat { name } }")).toMatchObject({ data: { queryBoat: [] } });
    expect(await deploy("wrong.graphql", "--url", server.url)).toEqual(refused);
    expect(await ask(server.url, "{ queryBoat { name } }")).toMatchObject({ data: { queryBoat: [] } });
    await server.stop();
    expect(await deploy("wrong.graphql", "--data", "data")).toEqual(refused);
    expect(await deploy("good.graphql", "--data", "data")).toEqual({ code: 0, out: "good.graphql is deployed.\n", err: "" });
  });

  it("shows the progress of index builds, on a server and in a store", async () => {
    writeFileSync(
      join(folder.path, "indexed.graphql"),
      "type Boat {\n  name: String! @id\n  seats: Int @search\n  note: String @search(by: [term])\n}\n",
    );
    writeFileSync(join(folder.path, "plain.graphql"), "type Boat {\n  name: String! @id\n  seats: Int\n  note: String\n}\n");
    const server = await served(folder.path, "--schema", "plain.graphql");
    const input = Array.from({ length: 2_000 }, (_, at) => ({ name: `b${at}`, seats: at, note: `number ${at}` }));
    await ask(server.url, "mutation ($input: [AddBoatInput!]!) { addBoat(input: $input) { numUids } }", { input });
    const built = {
      code: 0,
      out: "indexed.graphql is deployed.\n",
      // The nodes that are read, then what is written of each index: two words of each note, one number of each boat.
      err: expect.stringMatching(
        /index Boat\.note\/term, index Boat\.seats\/int 100% 2,000 of 2,000\n(.*\n)*entries of index Boat\.note\/term 100% 4,000 of 4,000\n(.*\n)*entries of index Boat\.seats\/int 100% 2,000 of 2,000\n$/,
      ),
    };
    expect(await deploy("indexed.graphql", "--url", server.url)).toEqual(built);
    expect(await deploy("plain.graphql", "--url", server.url)).toMatchObject({ code: 0, err: "" });
    await server.stop();
    expect(await deploy("indexed.graphql", "--data", "data")).toEqual(built);
  });

  it("fails without a target", async () => {
    expect(await deploy("good.graphql")).toMatchObject({ code: 1, err: expect.stringMatching(/^Name the target: --url <url> for a running server/) });
    expect(await deploy("good.graphql", "--url", "http://127.0.0.1:1", "--data", "data")).toMatchObject({ code: 2 });
    expect(await deploy("good.graphql", "--data", "none")).toMatchObject({ code: 1, err: "The data folder none does not exist; check the path.\n" });
  });
});
