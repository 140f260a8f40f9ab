// quern diff and ?dryRun=true: what a deploy would change, and nothing is changed by looking.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, run, served, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
let server: Awaited<ReturnType<typeof served>> | undefined;

const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
const diff = (...args: readonly string[]) => run(folder.path, "diff", "next.graphql", ...args);

beforeEach(async () => {
  folder = temporaryFolder();
  write("schema.graphql", "type Boat {\n  name: String @search(by: [hash])\n  seats: Int\n}\n");
  server = await served(folder.path, "--schema", "schema.graphql");
  await ask(server.url, 'mutation { addBoat(input: [{ name: "Heron", seats: 4 }, { name: "Heron", seats: 2 }, { name: "Ibis" }]) { numUids } }');
});
afterEach(async () => {
  await stopServer();
  folder.remove();
});

async function stopServer(): Promise<void> {
  await server?.stop();
  server = undefined;
}

const url = () => new URL(server?.url ?? "").origin;

describe("quern diff", () => {
  it("prints the same for a running server and for its folder: changes of the API, indexes to build, data to hide", async () => {
    write("next.graphql", "type Boat {\n  name: String @search(by: [hash])\n  length: Float @search\n}\n");
    await ask(`${url()}/graphql`, "{ queryBoat { name } }");
    const expected = `API
  - AddBoatInput.seats was removed.  (breaking)
  - Boat.seats was removed.  (breaking)
  - BoatAggregateResult.seatsAvg was removed.  (breaking)
  - BoatAggregateResult.seatsMax was removed.  (breaking)
  - BoatAggregateResult.seatsMin was removed.  (breaking)
  - BoatAggregateResult.seatsSum was removed.  (breaking)
  - BoatPatch.seats was removed.  (breaking)
  - BoatRef.seats was removed.  (breaking)
  - seats was removed from enum type BoatHasFilter.  (breaking)
  - seats was removed from enum type BoatOrderable.  (breaking)
  + An optional field length on input type AddBoatInput was added.
  + An optional field length on input type BoatFilter was added.
  + An optional field length on input type BoatPatch was added.
  + An optional field length on input type BoatRef was added.
  + Boat.length: Float was added.
  + BoatAggregateResult.lengthAvg: Float was added.
  + BoatAggregateResult.lengthMax: Float was added.
  + BoatAggregateResult.lengthMin: Float was added.
  + BoatAggregateResult.lengthSum: Float was added.
  + length was added to enum type BoatHasFilter.
  + length was added to enum type BoatOrderable.

Storage
  build index Boat.length/float over 3 nodes
  Boat.seats is no longer in the schema; values of 2 nodes are hidden, not deleted.
    Nothing is deleted. If you renamed it, add @was(name: "seats") to the new declaration to keep its data visible.

10 breaking, 11 safe changes of the API.
`;
    expect(await diff("--url", url())).toEqual({ code: 1, out: expected, err: "" });
    expect(await ask(`${url()}/graphql`, '{ queryBoat(filter: { name: { eq: "Ibis" } }) { seats } }')).toMatchObject({
      data: { queryBoat: [{ seats: null }] },
    });
    await stopServer();
    expect(await diff("--data", "data")).toEqual({ code: 1, out: expected, err: "" });
  });

  it("exits with code 0 when nothing breaks", async () => {
    write("next.graphql", "type Boat {\n  name: String @search(by: [hash])\n  seats: Int @search\n}\n");
    const { code, out } = await diff("--url", url());
    expect(out).toContain("build index Boat.seats/int over 3 nodes");
    expect(code).toBe(0);
    write("next.graphql", "type Boat {\n  name: String @search(by: [hash])\n  seats: Int\n}\n");
    expect(await diff("--url", url())).toEqual({ code: 0, out: "The API does not change.\n", err: "" });
  });

  it("names the nodes that share a key value, as text and as JSON", async () => {
    write("next.graphql", "type Boat {\n  name: String! @id\n  seats: Int\n}\n");
    const text = await diff("--url", url());
    expect(text.code).toBe(1);
    expect(text.out).toContain('Refused, because of the data\n  Boat.name must be unique, but "Heron" is held by 0x1 and 0x2\n');
    expect(text.out).toMatch(/; the deploy would be refused\.\n$/);
    const json = await diff("--url", url(), "--json");
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({
      api: expect.arrayContaining([
        {
          level: "breaking",
          change: "changed",
          type: "FIELD_CHANGED_KIND",
          on: "AddBoatInput",
          description: "AddBoatInput.name changed type from String to String!.",
        },
      ]),
      storage: { obstacles: ['Boat.name must be unique, but "Heron" is held by 0x1 and 0x2'], work: ["build key Boat(Boat.name) over 3 nodes"] },
      renamed: [],
      unreachable: [],
    });
  });

  it("reports a rename as a rename", async () => {
    write("next.graphql", 'type Boat {\n  name: String @search(by: [hash])\n  places: Int @was(name: "seats")\n}\n');
    const { out } = await diff("--url", url());
    expect(out).toContain("Storage\n  Boat.seats is renamed to Boat.places and keeps its data.\n");
    expect(out).not.toContain("unseen");
  });

  it("shows the errors of an invalid schema", async () => {
    write("next.graphql", "type Boat {\n  name: Strin\n}\n");
    const text = await diff("--url", url());
    expect(text.code).toBe(1);
    expect(text.err).toMatch(/^Undefined type Strin\.\nNothing is named Strin; did you mean "String"\?\nnext\.graphql:2:9\n/);
    const json = await diff("--url", url(), "--json");
    expect(json).toMatchObject({ code: 1, err: "" });
    expect(JSON.parse(json.out)).toEqual({ errors: [{ message: "Undefined type Strin.", locations: [{ line: 2, column: 9 }] }] });
  });

  it("fails without a server or store to compare with", async () => {
    write("next.graphql", "type Boat { name: String }");
    expect(await diff()).toMatchObject({ code: 1, err: expect.stringMatching(/^Name what to compare with: --url <url>/) });
    expect(await diff("--url", url(), "--data", "data")).toMatchObject({ code: 2 });
    expect(await diff("--data", "none")).toMatchObject({ code: 1, err: "The data folder none does not exist; check the path.\n" });
  });
});

describe("POST /admin/schema?dryRun=true", () => {
  it("answers and changes nothing; other values of dryRun are refused", async () => {
    const headers = { "x-service-authtoken": readFileSync(join(folder.path, "data/admin-token"), "utf8").trim() };
    const post = async (query: string) => {
      const response = await fetch(`${url()}/admin/schema${query}`, { method: "POST", headers, body: "type Ship { name: String }" });
      return { status: response.status, body: await response.json() };
    };
    const answer = await post("?dryRun=true");
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { code: "Success", message: "Nothing was changed", unreachable: [{ kind: "type", name: "Boat", stored: "Boat", nodes: 3 }] } },
    });
    expect((await post("?dryRun=yes")).status).toBe(400);
    expect((await post("?dryRun")).status).toBe(400);
    expect(await ask(`${url()}/graphql`, "{ queryBoat { seats } }")).toMatchObject({
      data: { queryBoat: [{ seats: 4 }, { seats: 2 }, { seats: null }] },
    });
    expect(await post("?dryRun=false")).toEqual({ status: 200, body: { data: { code: "Success", message: "Done" } } });
    expect(await ask(`${url()}/graphql`, "{ queryShip { name } }")).toMatchObject({ data: { queryShip: [] } });
  });
});

describe("quern deploy", () => {
  it("prints which data become hidden", async () => {
    write("next.graphql", "type Boat {\n  name: String @search(by: [hash])\n}\n");
    expect(await run(folder.path, "deploy", "next.graphql", "--url", url())).toEqual({
      code: 0,
      out: "next.graphql is deployed.\n",
      err: 'Boat.seats is no longer in the schema; values of 2 nodes are hidden, not deleted.\n  Nothing is deleted. If you renamed it, add @was(name: "seats") to the new declaration to keep its data visible.\n',
    });
  });
});
