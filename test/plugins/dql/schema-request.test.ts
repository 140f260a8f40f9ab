// `schema {}`: the predicates and types of the deployed schema, as an administrator asks for them.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DqlStack, dqlStack } from "./harness.ts";

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack(`
    interface Asset { tag: String! @id @search(by: [term]) }
    type Hive implements Asset { label: String @search(by: [hash, trigram])  honey: Float @search  opened: DateTime @search(by: [year])  keeper: Keeper }
    type Keeper {
      handle: String! @id
      marks: [Int] @search
      secret: String @dgraph(pred: "keeper.secret")
      motto: String @dgraph(pred: "motto@en")
      hives: [Hive] @hasInverse(field: keeper)
      pals: [Keeper] @dgraph(pred: "pals")
      palOf: [Keeper] @dgraph(pred: "~pals")
      face: [Float!] @embedding @search(by: ["hnsw(metric: cosine, exponent: 5)"])
    }
    type Query { asked: [Keeper] @custom(dql: "schema {}") }
  `);
});
afterAll(() => dql?.stack.remove());

const predicates = [
  { predicate: "Asset.tag", type: "string", index: true, tokenizer: ["hash", "term"], upsert: true },
  { predicate: "Hive.honey", type: "float", index: true, tokenizer: ["float"] },
  { predicate: "Hive.keeper", type: "uid" },
  { predicate: "Hive.label", type: "string", index: true, tokenizer: ["hash", "trigram"] },
  { predicate: "Hive.opened", type: "datetime", index: true, tokenizer: ["year"] },
  {
    predicate: "Keeper.face",
    type: "float32vector",
    tokenizer: ['hnsw("exponent":"5","metric":"cosine")'],
    index_specs: [
      {
        name: "hnsw",
        options: [
          { key: "exponent", value: "5" },
          { key: "metric", value: "cosine" },
        ],
      },
    ],
  },
  { predicate: "Keeper.handle", type: "string", index: true, tokenizer: ["hash"], upsert: true },
  { predicate: "Keeper.hives", type: "uid", list: true },
  { predicate: "Keeper.marks", type: "int", index: true, tokenizer: ["int"], list: true },
  { predicate: "dgraph.type", type: "string", index: true, tokenizer: ["exact"], list: true },
  { predicate: "keeper.secret", type: "string" },
  { predicate: "motto", type: "string", lang: true },
  { predicate: "pals", type: "uid", list: true, reverse: true },
];
const named = (...names: string[]) => names.map((name) => ({ name }));
const hive = { name: "Hive", fields: named("Asset.tag", "Hive.label", "Hive.honey", "Hive.opened", "Hive.keeper") };

describe("a schema request", () => {
  it("describes every predicate, and the types with their predicates", async () => {
    expect(await dql.ask("# all\nschema {}")).toEqual({
      schema: predicates,
      types: [
        { name: "Asset", fields: named("Asset.tag") },
        hive,
        { name: "Keeper", fields: named("Keeper.handle", "Keeper.marks", "keeper.secret", "motto", "Keeper.hives", "pals", "Keeper.face") },
      ],
    });
  });

  it("describes some predicates, with the facts that it names; an unknown one is absent", async () => {
    const some = await dql.ask("schema(pred: [Keeper.marks, Hive.label, Hive.wax, pals]) { type list }");
    expect(some).toEqual({
      schema: [
        { predicate: "Hive.label", type: "string" },
        { predicate: "Keeper.marks", type: "int", list: true },
        { predicate: "pals", type: "uid", list: true },
      ],
    });
    expect(await dql.ask("schema(pred: Hive.label) { tokenizer }")).toEqual({
      schema: [{ predicate: "Hive.label", tokenizer: ["hash", "trigram"] }],
    });
  });

  it("describes some types alone", async () => {
    expect(await dql.ask("schema(type: [Hive, Wax]) {}")).toEqual({ types: [hive] });
  });

  it.each([
    ["schema", "Expected {. Got: the end of the document"],
    ["schema(types: [Hive]) {}", "line 1 column 8: Invalid word inside schema block: types. Write pred or type."],
    ["schema {} { q(func: has(Hive.label)) { uid } }", "line 1 column 11: Schema block is not allowed with query block"],
    ["schema { type", "Unclosed action"],
  ])("is refused: %s", async (text, message) => {
    expect(await dql.refusal(text)).toContain(message);
  });

  it("cannot be made by a field of Query", async () => {
    const { data, errors } = JSON.parse((await dql.stack.kernel.execute({ query: "{ asked { handle } }" })).body);
    expect(data).toEqual({ asked: [] });
    expect(errors[0].message).toContain("line 1 column 1: Invalid operation type: schema");
  });
});
