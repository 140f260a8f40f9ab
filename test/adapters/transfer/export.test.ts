// An export is one snapshot, whatever is written meanwhile, and comes whole or not at all.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ExportFormat, openOwnExport, writeExport } from "../../../adapters/transfer/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { ask, temporaryFolder } from "./small-exports.ts";

const schema = `
interface Named { name: String! @id }
type Person implements Named { age: Int  friends: [Person] @hasInverse(field: friends) }
type Town implements Named { people: [Person] }
type Note { id: ID!  text: String  count: Float  of: Person }
`;

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await temporaryKernel();
  await stack.kernel.deploy(schema);
});
afterEach(() => stack.remove());

async function add(count: number, first = 0): Promise<void> {
  const input = Array.from({ length: count }, (_, i) => ({ name: `p${first + i}`, age: i }));
  const { body } = await stack.kernel.execute({
    query: "mutation ($i: [AddPersonInput!]!) { addPerson(input: $i) { numUids } }",
    variables: { i: input },
  });
  expect(JSON.parse(body).errors).toBeUndefined();
}

interface Asked {
  readonly format?: ExportFormat;
  readonly types?: readonly string[];
  readonly gzip?: boolean;
  readonly onPage?: () => void;
}

async function exported({ format = "ndjson", types, gzip = false, onPage = () => undefined }: Asked = {}, folder = join(temporaryFolder(), "out")) {
  const { storage, deployment } = stack.kernel;
  if (deployment === undefined) throw new Error("no schema");
  const outcome = await writeExport({ storage, deployment, folder, format, gzip, ...(types && { types }), progress: onPage });
  return { folder, ...outcome };
}

describe("an export", () => {
  it("holds one snapshot while others write", async () => {
    await add(1_000);
    let writes: Promise<void> | undefined;
    const { nodes, folder } = await exported({
      onPage: () => {
        writes ??= add(500, 5_000);
      },
    });
    await writes;
    expect(nodes).toEqual({ Person: 1_000, Town: 0, Note: 0 });
    expect(readFileSync(join(folder, "Person.ndjson"), "utf8")).not.toContain("p5000");
    expect(await ask(stack, "{ aggregatePerson { count } }")).toEqual({ aggregatePerson: { count: 1_500 } });
  });

  it("states every link of a node with more links than one page holds", async () => {
    await add(2_345);
    await ask(stack, 'mutation { addTown(input: [{ name: "T" }]) { numUids } }');
    await stack.kernel.execute({
      query: 'mutation ($p: [PersonRef!]) { updateTown(input: { filter: { name: { eq: "T" } }, set: { people: $p } }) { numUids } }',
      variables: { p: Array.from({ length: 2_345 }, (_, i) => ({ name: `p${i}` })) },
    });
    const { folder } = await exported({ format: "rdf" });
    const lines = readFileSync(join(folder, "g01.rdf"), "utf8").split("\n");
    expect(new Set(lines.filter((line) => line.includes("<Town.people>"))).size).toBe(2_345);
    const own = await exported();
    const towns = readFileSync(join(own.folder, "Town.ndjson"), "utf8").trim().split("\n");
    expect(towns.flatMap((line) => JSON.parse(line).people ?? [])).toHaveLength(2_345);
  });

  it("writes numbers and empty files as Dgraph does", async () => {
    const numbers = [0.00001, 0.0001, 999_999, 1_000_000, 123_456_789.5, -2, 1e300, 0.1];
    await stack.kernel.execute({
      query: "mutation ($i: [AddNoteInput!]!) { addNote(input: $i) { numUids } }",
      variables: { i: numbers.map((count) => ({ count })) },
    });
    const { folder } = await exported({ format: "rdf" });
    const found = [...readFileSync(join(folder, "g01.rdf"), "utf8").matchAll(/<Note.count> "(.*?)"/g)].map(([, text]) => text);
    expect(found).toEqual(["1E-05", "0.0001", "999999", "1E+06", "1.234567895E+08", "-2", "1E+300", "0.1"]);
    const none = await exported({ format: "json", types: ["Person"] });
    expect(readFileSync(join(none.folder, "g01.json"), "utf8")).toBe("[\n\n]\n");
  });

  it("has a file for each type that is asked for, compressed on demand", async () => {
    await add(3);
    const { folder } = await exported({ types: ["Person"], gzip: true });
    expect(readdirSync(folder).sort()).toEqual(["Person.ndjson.gz", "export.json", "schema.graphql"]);
    expect(
      gunzipSync(readFileSync(join(folder, "Person.ndjson.gz")))
        .toString()
        .split("\n"),
    ).toHaveLength(4);
    expect((await openOwnExport(folder)).schemas.get(0)).toBe(schema);
  });

  it("does not touch a folder with files, and leaves nothing behind when it fails", async () => {
    await add(300);
    const parent = temporaryFolder();
    mkdirSync(join(parent, "full"));
    writeFileSync(join(parent, "full", "mine"), "x");
    await expect(exported({}, join(parent, "full"))).rejects.toThrow("is not empty");
    const stop = new Error("stopped");
    await expect(
      exported(
        {
          onPage: () => {
            throw stop;
          },
        },
        join(parent, "out"),
      ),
    ).rejects.toThrow("stopped");
    expect(readdirSync(parent)).toEqual(["full"]);
    await expect(exported({}, join(parent, "full", "mine", "inner"))).rejects.toThrow("a part of the path is not a folder");
    expect(existsSync(join(parent, "out"))).toBe(false);
  });
});
