// Exports that are not whole or not readable: one clear sentence each, and nothing is written.

import { createCipheriv, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { missingPredicates, openDgraphExport, schemaIn } from "../../../adapters/transfer/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { ask, load, temporaryFolder, writeGroup } from "./small-exports.ts";

const schema = "type A { name: String @search }";
const rdf = Array.from(
  { length: 300 },
  (_, i) => `<0x${(i + 1).toString(16)}> <dgraph.type> "A"\n<0x${(i + 1).toString(16)}> <A.name> "${i} ${randomBytes(8).toString("hex")}"`,
).join("\n");

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await temporaryKernel();
});
afterEach(() => stack.remove());

function groupIn(folder: string): string {
  writeGroup(folder, { schema, rdf });
  return folder;
}

/** Compresses the files, and changes them on the way. */
function packed(folder: string, change: (bytes: Buffer) => Buffer): void {
  for (const kind of ["rdf", "schema", "gql_schema"]) {
    const path = join(folder, `g01.${kind}`);
    writeFileSync(`${path}.gz`, change(gzipSync(readFileSync(path))));
    rmSync(path);
  }
}

const encrypted = (key: Buffer) => (bytes: Buffer) => {
  const iv = randomBytes(16);
  return Buffer.concat([iv, createCipheriv(`aes-${key.length * 8}-ctr`, key, iv).update(bytes)]);
};

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(stack.kernel.deployment).toBeUndefined();
  return error instanceof Error ? error.message : "no error";
}

describe("an export", () => {
  it("is refused when its gzip data are cut off or damaged", async () => {
    const folder = groupIn(temporaryFolder());
    packed(folder, (bytes) => (bytes.length > 1_000 ? bytes.subarray(0, bytes.length - 100) : bytes));
    expect(await refusal(load(stack, folder))).toMatch(/g01\.rdf\.gz ends in the middle of its gzip data; copy it again/);
    // A deflate block whose type bits are both set does not exist (RFC 1951, 3.2.3).
    writeFileSync(join(folder, "g01.rdf.gz"), Buffer.concat([gzipSync("x").subarray(0, 10), Buffer.alloc(50, 0xff)]));
    expect(await refusal(load(stack, folder))).toMatch(/g01\.rdf\.gz has damaged gzip data/);
  });

  it("is refused when the last line is half there", async () => {
    const folder = groupIn(temporaryFolder());
    const path = join(folder, "g01.rdf");
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -20));
    expect(await refusal(load(stack, folder))).toMatch(/g01\.rdf is cut off: line 600 is only half there/);
  });

  it("is refused when its JSON array has no end", async () => {
    const folder = groupIn(temporaryFolder());
    rmSync(join(folder, "g01.rdf"));
    writeFileSync(join(folder, "g01.json"), '[\n  {"uid":"0x1","namespace":"0x0","dgraph.type":"A"},\n');
    expect(await refusal(load(stack, folder))).toMatch(/g01\.json is cut off: the array has no end/);
  });

  it("is refused when files of a group are missing", async () => {
    const folder = groupIn(temporaryFolder());
    writeGroup(folder, { schema: "", rdf: "", group: 3 });
    expect(await refusal(openDgraphExport(folder, undefined))).toMatch(/lacks the data of group 2/);
    rmSync(join(folder, "g03.rdf"));
    writeGroup(folder, { schema: "", rdf: "", group: 2 });
    expect(await refusal(openDgraphExport(folder, undefined))).toMatch(/lacks the data of group 3/);
  });

  it("is found to lack a predicate of a type whose group is not there", async () => {
    const folder = groupIn(temporaryFolder());
    writeFileSync(join(folder, "g01.schema"), "[0x0] <A.name>:string .\n[0x0] type <A> {\n\tA.name\n\tA.far\n\t<~x>\n}\n");
    const { storageSchema } = await openDgraphExport(folder, undefined);
    expect(missingPredicates(storageSchema, 0)).toEqual(["A.far"]);
  });

  it("is refused when the folder is missing, empty, or holds several exports", async () => {
    const folder = temporaryFolder();
    expect(await refusal(openDgraphExport(join(folder, "none"), undefined))).toMatch(/The export .*none does not exist/);
    expect(await refusal(openDgraphExport(folder, undefined))).toMatch(/holds no export/);
    for (const name of ["dgraph.r1.u0101.0000", "dgraph.r2.u0102.0000"]) mkdirSync(join(folder, name));
    expect(await refusal(openDgraphExport(folder, undefined))).toMatch(/holds 2 exports; name one of them: dgraph\.r1\.u0101\.0000, dgraph\.r2/);
  });

  it("is refused when the key is missing or wrong; with the right one it is read", async () => {
    const folder = groupIn(temporaryFolder());
    const key = randomBytes(32);
    packed(folder, encrypted(key));
    const keyFile = join(folder, "key");
    expect(await refusal(openDgraphExport(folder, undefined))).toMatch(
      /is not gzip\. If the export is encrypted, name its key with --encryption-key-file/,
    );
    writeFileSync(keyFile, randomBytes(32));
    expect(await refusal(openDgraphExport(folder, keyFile))).toMatch(/cannot be decrypted with this key/);
    writeFileSync(keyFile, "short");
    expect(await refusal(openDgraphExport(folder, keyFile))).toMatch(/has 5 bytes; a key has 16, 24 or 32/);
    writeFileSync(keyFile, key);
    await load(stack, folder, { keyFile });
    expect(await ask(stack, "{ aggregateA { count } }")).toEqual({ aggregateA: { count: 300 } });
  });
});

describe("an old export", () => {
  it("has its schema among the data, and neither namespaces nor a file for the schema", async () => {
    const folder = temporaryFolder();
    const text = JSON.stringify("type Old { id: ID!  n: Int }");
    writeFileSync(
      join(folder, "g01.rdf"),
      `<0x1> <dgraph.graphql.schema> ${text} .\n<0x2> <dgraph.type> "Old" .\n<0x2> <Old.n> "4"^^<xs:int> .\n<0x2> <_predicate_> "Old.n" .\n`,
    );
    writeFileSync(join(folder, "g01.schema"), "<Old.n>:int . \ntype Old {\n\tn: int\n}\n");
    const source = await openDgraphExport(folder, undefined);
    expect(await schemaIn(source, 0)).toBe("type Old { id: ID!  n: Int }");
    expect(source.storageSchema.predicates).toMatchObject([{ name: "Old.n", type: "int", list: false }]);
  });

  it("has the schema as plain text, with its configuration lines", async () => {
    const folder = groupIn(temporaryFolder());
    writeFileSync(join(folder, "g01.gql_schema"), `${schema}\n# Dgraph.Allow-Origin "https://a.example"\n`);
    expect((await openDgraphExport(folder, undefined)).schemas.get(0)).toMatch(/^type A .*\n# Dgraph\.Allow-Origin/);
  });
});

describe("several groups", () => {
  it("hold the values of one node in several files, and only one of them the schema", async () => {
    const folder = temporaryFolder();
    writeGroup(folder, { schema: "", rdf: '<0x2> <A.name> "two"\n<0x1> <dgraph.type> "A"' });
    writeGroup(folder, { schema, rdf: '<0x1> <A.name> "one"\n<0x2> <dgraph.type> "A"', group: 2 });
    await load(stack, folder);
    expect(await ask(stack, "{ queryA { name } }")).toEqual({ queryA: [{ name: "one" }, { name: "two" }] });
  });

  it("are loaded for one namespace", async () => {
    const folder = temporaryFolder();
    writeGroup(folder, { schema, rdf: '<0x1> <dgraph.type> "A" <0x0> .\n<0x2> <dgraph.type> "B" <0x1> .\n<0x2> <B.n> "1" <0x1> .' });
    writeFileSync(
      join(folder, "g01.gql_schema"),
      JSON.stringify([
        { Namespace: 0, Schema: schema },
        { Namespace: 1, Schema: "type B { id: ID!  n: Int }" },
      ]),
    );
    await load(stack, folder, { namespace: 1 });
    expect(await ask(stack, "{ queryB { id n } }")).toEqual({ queryB: [{ id: "0x2", n: 1 }] });
  });
});
