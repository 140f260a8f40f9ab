// Many writers at once: one key has one holder, one single end one partner, and a failed mutation leaves nothing.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, deploy } from "./api.ts";

let api: Api;
beforeAll(async () => {
  api = await deploy(`
    type Reader { card: String! @id  name: String  visits: Int  locker: Locker @hasInverse(field: owner)  friends: [Reader] @hasInverse(field: friends) }
    type Locker { number: Int! @id  owner: Reader }
    interface Item { barcode: String! @id(interface: true) }
    type Volume implements Item { title: String }
    type Disc implements Item { minutes: Int }
  `);
});
afterAll(() => api.close());

const times = <T>(count: number, work: (i: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, i) => work(i)));

describe("64 writers", () => {
  it("add one key: exactly one succeeds, the others get an error", async () => {
    const answers = await times(64, (i) => api.send(`mutation { addReader(input: [{card: "one", name: "${i}"}]) { numUids } }`));
    const messages = answers.flatMap((answer) => answer.errors?.map((each) => each.message) ?? []);
    expect(messages).toHaveLength(63);
    expect(new Set(messages)).toEqual(
      new Set([
        "couldn't rewrite mutation addReader because failed to rewrite mutation payload because id one already exists for field card inside type Reader",
      ]),
    );
    expect(await api.run(`{ aggregateReader(filter: {card: {eq: "one"}}) { count } }`)).toEqual({ aggregateReader: { count: 1 } });
  });

  it("add one key of an interface by two types", async () => {
    const answers = await times(64, (i) => api.send(`mutation { add${i % 2 ? "Volume" : "Disc"}(input: [{barcode: "x"}]) { numUids } }`));
    expect(answers.filter((answer) => !answer.errors)).toHaveLength(1);
    expect(await api.run(`{ queryItem { barcode } }`)).toEqual({ queryItem: [{ barcode: "x" }] });
  });

  it("upsert one key: one creates, all the others change", async () => {
    const answers = (await times(64, (i) => api.run(`mutation { addReader(input: [{card: "up", visits: ${i}}], upsert: true) { numUids } }`))) as {
      addReader: { numUids: number };
    }[];
    expect(answers.reduce((sum, answer) => sum + answer.addReader.numUids, 0)).toBe(1);
  });

  it("take one locker: exactly one has it, on both sides", async () => {
    await api.run(`mutation { addLocker(input: [{number: 1}]) { numUids } }`);
    await times(64, (i) => api.run(`mutation { addReader(input: [{card: "thief${i}", locker: {number: 1}}]) { numUids } }`));
    const { getLocker, queryReader } = (await api.run(
      `{ getLocker(number: 1) { owner { card } } queryReader(filter: {has: locker}) { card locker { number } } }`,
    )) as {
      getLocker: { owner: { card: string } };
      queryReader: { card: string; locker: unknown }[];
    };
    expect(queryReader).toEqual([{ card: getLocker.owner.card, locker: { number: 1 } }]);
  });

  it("link to a reader that is being deleted: no dangling link remains", async () => {
    await api.run(`mutation { addReader(input: [{card: "gone"}]) { numUids } }`);
    await times(64, (i) =>
      i === 32
        ? api.send(`mutation { deleteReader(filter: {card: {eq: "gone"}}) { numUids } }`)
        : api.send(`mutation { addReader(input: [{card: "friend${i}", friends: [{card: "gone"}]}]) { numUids } }`),
    );
    const { faults } = await api.kernel.storage.verify();
    expect(faults).toEqual([]);
  });
});

describe("a mutation that fails", () => {
  it("leaves nothing: no node, no link, no key", async () => {
    await api.run(`mutation { addReader(input: [{card: "holder", locker: {number: 9}}]) { numUids } }`);
    await api.refused(`mutation { addReader(input: [{card: "fresh", locker: {number: 9}}, {card: "holder"}]) { numUids } }`);
    expect(await api.run(`{ getLocker(number: 9) { owner { card } } getReader(card: "fresh") { card } }`)).toEqual({
      getLocker: { owner: { card: "holder" } },
      getReader: null,
    });
    expect(await api.run(`mutation { addReader(input: [{card: "fresh"}]) { numUids } }`)).toEqual({ addReader: { numUids: 1 } });
  });
});

describe("one large add", () => {
  it("of objects with references is one transaction, also when all name the same one", async () => {
    const input = Array.from({ length: 5000 }, (_, i) => ({
      card: `bulk${i}`,
      friends: i === 0 ? [] : [{ card: `bulk${i - 1}` }],
      locker: { number: 1000 + i },
    }));
    const answer = await api.run(`mutation ($r: [AddReaderInput!]!) { addReader(input: $r) { numUids reader(first: 1) { card } } }`, { r: input });
    expect(answer).toEqual({ addReader: { numUids: 10000, reader: [{ card: "bulk0" }] } });
    const { data } = await api.send(`mutation ($r: [AddReaderInput!]!) { addReader(input: $r) { numUids } }`, {
      r: Array.from({ length: 20_000 }, (_, i) => ({ card: `fan${i}`, friends: [{ card: "star", name: "Star" }] })),
    });
    expect(data).toEqual({ addReader: { numUids: 20_001 } });
    expect(await api.run(`{ getReader(card: "star") { friendsAggregate { count } } }`)).toEqual({
      getReader: { friendsAggregate: { count: 20_000 } },
    });
    expect(await api.run(`{ getReader(card: "bulk2500") { locker { owner { card } } friends(order: {asc: card}) { card } } }`)).toEqual({
      getReader: { locker: { owner: { card: "bulk2500" } }, friends: [{ card: "bulk2499" }, { card: "bulk2501" }] },
    });
  });
});
