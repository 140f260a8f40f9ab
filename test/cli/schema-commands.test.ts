// quern print, validate and deploy: what a schema becomes, and everything that is wrong with it, where it is wrong.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema } from "graphql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, run, started, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, "good.graphql"), "type Boat {\n  name: String! @id\n  seats: Int @search\n}\n");
  writeFileSync(join(folder.path, "bad.graphql"), "type Boat {\n  name: String @search(by: [int])\n  seats: Int @search(by: [term])\n}\n");
});
afterEach(() => folder.remove());

describe("quern print", () => {
  it("prints the generated API, a schema of its own", async () => {
    const { code, out, err } = await run(folder.path, "print", "good.graphql");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const schema = buildSchema(out);
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(["getBoat", "queryBoat", "aggregateBoat"]);
    expect(Object.keys(schema.getMutationType()?.getFields() ?? {})).toEqual(["addBoat", "updateBoat", "deleteBoat"]);
  });

  it("prints nothing of a refused schema but its errors, with excerpts", async () => {
    const { code, out, err } = await run(folder.path, "print", "bad.graphql");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/bad\.graphql:2:\d+\n1 \| type Boat \{\n2 \| {3}name: String @search\(by: \[int\]\)\n {2}\| +\^/);
    expect(err).toContain("bad.graphql:3:");
  });
});

describe("quern validate", () => {
  it("says that a schema is valid", async () => {
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

describe("quern origins", () => {
  it("says who added and changed what, as text and as JSON", async () => {
    const text = await run(folder.path, "origins", "good.graphql");
    expect({ code: text.code, err: text.err }).toEqual({ code: 0, err: "" });
    expect(text.out).toMatch(/^type Boat +schema\n {2}name +schema\n {2}seats +schema\n/);
    expect(text.out).toMatch(/\n {2}getBoat +identity\n {4}name +identity\n/);
    expect(text.out).toMatch(/\ninput BoatFilter +kernel\n {2}name +identity\n {2}seats +search\n/);
    const json = await run(folder.path, "origins", "good.graphql", "--json");
    expect(JSON.parse(json.out)[0]).toMatchObject({ name: "type Boat", from: "schema", changedBy: [], hidden: [] });
  });

  it("says nothing of a refused schema but its errors", async () => {
    const { code, out, err } = await run(folder.path, "origins", "bad.graphql");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("bad.graphql:2:");
  });
});

describe("quern deploy", () => {
  it("hands a schema to a running server, and shows where it was refused", async () => {
    const server = await started(folder.path);
    const { origin } = new URL(server.url);
    expect(await run(folder.path, "deploy", "good.graphql", "--url", origin)).toEqual({ code: 0, out: "good.graphql is deployed.\n", err: "" });
    expect(await ask(server.url, "{ queryBoat { name } }")).toMatchObject({ data: { queryBoat: [] } });

    const refused = await run(folder.path, "deploy", "bad.graphql", "--url", server.url);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("2 |   name: String @search(by: [int])");
    expect(await ask(server.url, "{ queryBoat { name } }")).toMatchObject({ data: { queryBoat: [] } });
    server.child.kill("SIGINT");
    await server.ended;
  });
});
