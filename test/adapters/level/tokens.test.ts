// Token indexes on LevelDB: a page of common tokens costs the page, and what many tokens leave behind is bounded.

import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import type { Change, ChangeRecord, Gap, Layout, Lookup, Predicate, Storage } from "../../../core/storage.ts";
import { temporaryFolder } from "./folders.ts";

const layout: Layout = {
  types: [{ name: "Note", fields: ["Note.text"] }],
  fields: [{ name: "Note.text", kind: "string", list: false }],
  edges: [],
  indexes: [{ name: "Note.text/word", field: "Note.text", by: "tokens", id: "words@1", tokens: (value) => [...new Set(String(value).split(" "))] }],
  keys: [],
};
const count = 5_000;
const words = (match: "any" | "all", ...tokens: readonly string[]): Lookup => ({ kind: "lookup", index: "Note.text/word", match, tokens });

describe("token indexes", () => {
  let storage: Storage;
  let version: number;
  beforeAll(async () => {
    storage = leveldbStorage({ path: await temporaryFolder() });
    await storage.open();
    ({ version } = await storage.migrate(layout, ""));
    await write(Array.from({ length: count }, (_, index) => `every common ${index % 500 === 7 ? "rare" : "often"} n${index}`));
  });
  afterAll(() => storage.close());

  async function write(texts: readonly string[]): Promise<void> {
    await storage.transact(
      async (transaction) => {
        const uids = await transaction.uids(texts.length);
        await transaction.write(texts.map((text, i): Change => ({ kind: "create", uid: uids[i] ?? 0, type: "Note", fields: { "Note.text": text } })));
      },
      { version },
    );
  }

  async function find(where: Predicate, first?: number): Promise<{ readonly texts: readonly unknown[]; readonly touched: number }> {
    let touched = 0;
    const spend = (nodes: number) => {
      touched += nodes;
    };
    const budget = { touched, deadline: Number.POSITIVE_INFINITY, spend };
    const snapshot = storage.snapshot({ version, budget });
    try {
      const { columns } = await snapshot.find({ types: ["Note"], where, fields: ["Note.text"], ...(first !== undefined && { page: { first } }) });
      return { texts: columns[0] ?? [], touched };
    } finally {
      snapshot.close();
    }
  }

  it("a page of two common words visits few more nodes than the page", async () => {
    const { texts, touched } = await find(words("all", "every", "common"), 10);
    assert.deepEqual(
      texts,
      Array.from({ length: 10 }, (_, index) => `every common ${index === 7 ? "rare" : "often"} n${index}`),
    );
    assert.ok(touched < 100, `${touched} nodes touched`);
  });

  it("a rare word with a common one visits the nodes of the rare one", async () => {
    const { texts, touched } = await find(words("all", "every", "rare"));
    assert.equal(texts.length, 10);
    assert.ok(touched <= 30, `${touched} nodes touched`);
  });

  it("a union of several long lists has each node once, in order, across all chunks", async () => {
    const all = Array.from({ length: count }, (_, index) => `every common ${index % 500 === 7 ? "rare" : "often"} n${index}`);
    assert.deepEqual((await find(words("any", "rare", "often"))).texts, all);
    assert.deepEqual((await find(words("any", "often", "every", "n3", "absent"))).texts, all);
    const rareOr = (text: string) => / rare | n(255|256|511|512|4999)$/.test(text);
    assert.deepEqual((await find(words("any", "rare", "n255", "n256", "n511", "n512", "n4999"))).texts, all.filter(rareOr));
    assert.deepEqual((await find({ kind: "and", of: [words("any", "rare", "often"), words("any", "n256", "n4999")] })).texts, [all[256], all[4999]]);
  });

  it("a check stops when the page is full", async () => {
    let checked = 0;
    const test = { id: "counted", holds: (values: readonly unknown[]) => ++checked > 0 && String(values[0]).endsWith("9") };
    const { texts } = await find({ kind: "check", field: "Note.text", test, within: words("any", "every", "often") }, 5);
    assert.deepEqual(
      texts,
      [9, 19, 29, 39, 49].map((index) => `every common often n${index}`),
    );
    assert.ok(checked < 200, `${checked} texts checked`);
  });

  it("a check within several conditions holds only for nodes that satisfy all of them and the check", async () => {
    const test = { id: "rare and 07", holds: (values: readonly unknown[]) => /rare n\d+07$/.test(String(values[0])) };
    const within: Predicate = { kind: "and", of: [words("any", "rare", "absent"), words("all", "every", "common")] };
    const check: Predicate = { kind: "check", field: "Note.text", test, within };
    assert.equal((await find(check)).texts.length, 9);
    assert.equal((await find({ kind: "not", of: check })).texts.length, count - 9);
    assert.equal((await find({ kind: "or", of: [check, words("any", "n1")] })).texts.length, 10);
  });

  it("a commit of very many entries has a coarse record, a smaller one a detailed record", async () => {
    const told: (ChangeRecord | Gap)["kind"][] = [];
    const stop = storage.changes(({ kind }) => void told.push(kind));
    await write([Array.from({ length: 1_000 }, (_, index) => `w${index}`).join(" ")]);
    await write([Array.from({ length: 50_001 }, (_, index) => `w${index}`).join(" ")]);
    stop();
    assert.deepEqual(told, ["detailed", "coarse"]);
  });
});
