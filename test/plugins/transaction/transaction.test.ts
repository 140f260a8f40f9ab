// `mutation @transaction`: order, undoing, payloads, rules, and many at once.

import { describe, expect, it } from "vitest";
import { storageName } from "../../support/storage.ts";
import { deploy } from "../auth/harness.ts";
import { line, token } from "../auth/token.ts";

const bank = `
  type Account @withSubscription { name: String! @id  balance: Int! @increment @range(min: 0)  entries: [Entry] @hasInverse(field: account) }
  type Entry { id: ID!  text: String @length(max: 20)  account: Account }
  type AccountNote { name: String! @id }`;

const start = async (config = {}) => {
  const api = await deploy(bank, {}, config);
  await api.ask('mutation { addAccount(input: [{ name: "a", balance: 10 }, { name: "b", balance: 0 }]) { numUids } }');
  return api;
};
const balances = "{ queryAccount(order: { asc: name }) { name balance } }";
const increment = (name: string, by: number) =>
  `updateAccount(input: { filter: { name: { eq: "${name}" } }, increment: { balance: ${by} } }) { numUids account { balance } }`;

describe("mutation @transaction", () => {
  it("lets later fields see what earlier ones wrote, and reads all payloads after the commit", async () => {
    const { ask } = await start();
    const answer = await ask(`mutation @transaction {
      addAccount(input: [{ name: "c", balance: 1 }]) { account { name balance entries { text } } }
      addEntry(input: [{ text: "opened", account: { name: "c" } }]) { numUids entry { account { balance } } }
      first: ${increment("c", 4)}
      second: ${increment("c", 5)}
      none: updateAccount(input: { filter: {} }) { numUids }
      deleteAccount(filter: { name: { eq: "b" } }) { msg account { name } }
      __typename
    }`);
    expect(answer).toEqual({
      data: {
        addAccount: { account: [{ name: "c", balance: 10, entries: [{ text: "opened" }] }] },
        addEntry: { numUids: 1, entry: [{ account: { balance: 10 } }] },
        first: { numUids: 1, account: [{ balance: 10 }] },
        second: { numUids: 1, account: [{ balance: 10 }] },
        none: { numUids: 0 },
        deleteAccount: { msg: "Deleted", account: [{ name: "b" }] },
        __typename: "Mutation",
      },
    });
    expect(await ask(balances)).toEqual({
      data: {
        queryAccount: [
          { name: "a", balance: 10 },
          { name: "c", balance: 10 },
        ],
      },
    });
  });

  it.each([
    ["a broken rule", increment("a", -11), "Account.balance breaks @range(min: 0)."],
    [
      "a key that an earlier field took",
      'addAccount(input: [{ name: "x", balance: 0 }]) { numUids }',
      "id x already exists for field name inside type Account",
    ],
    ["a reference to nothing", 'addEntry(input: [{ account: { name: "nobody" } }]) { numUids }', "type Account requires a value for field balance"],
    ["an input that is wrong by itself", 'addAccount(input: [{ name: "", balance: 0 }]) { numUids }', "encountered an empty value for @id field"],
  ])("undoes everything when the fourth field fails by %s", async (_, field, reason) => {
    const { ask } = await start();
    const answer = await ask(`mutation @transaction {
      one: addAccount(input: [{ name: "x", balance: 1 }]) { numUids }
      two: ${increment("b", 3)}
      three: deleteAccountNote(filter: {}) { numUids }
      four: ${field}
      five: deleteAccount(filter: {}) { numUids }
    }`);
    expect(answer.data).toBeNull();
    expect(answer.errors).toEqual([expect.objectContaining({ message: expect.stringContaining(reason), path: ["four"] })]);
    expect(await ask(balances)).toEqual({
      data: {
        queryAccount: [
          { name: "a", balance: 10 },
          { name: "b", balance: 0 },
        ],
      },
    });
  });

  it("is not the default: without it, earlier fields stay", async () => {
    const { ask } = await start();
    await ask(`mutation { one: ${increment("b", 3)} two: ${increment("a", -11)} }`);
    expect(await ask(balances)).toEqual({
      data: {
        queryAccount: [
          { name: "a", balance: 10 },
          { name: "b", balance: 3 },
        ],
      },
    });
  });

  it("judges each field by the rules; a hidden refusal undoes everything without a reason", async () => {
    const rule = '@auth(add: { rule: "{ $ROLE: { eq: \\"clerk\\" } }" })';
    const { ask } = await deploy(`${line}\n type Open { name: String! @id }\n type Closed ${rule} { name: String! @id }`);
    const both = 'mutation @transaction { addOpen(input: [{ name: "o" }]) { numUids } addClosed(input: [{ name: "c" }]) { numUids } }';
    expect((await ask(both, token({ ROLE: "guest" }))).data).toBeNull();
    expect(await ask("{ aggregateOpen { count } aggregateClosed { count } }")).toEqual({
      data: { aggregateOpen: { count: 0 }, aggregateClosed: { count: 0 } },
    });
    expect(await ask(both, token({ ROLE: "clerk" }))).toEqual({ data: { addOpen: { numUids: 1 }, addClosed: { numUids: 1 } } });
  });

  it("bounds all fields together by maxChanges", async () => {
    const { ask } = await start({ limits: { maxChanges: 3 } });
    const two = (alias: string) => `${alias}: addAccountNote(input: [{ name: "${alias}1" }, { name: "${alias}2" }]) { numUids }`;
    const answer = await ask(`mutation @transaction { ${two("x")} ${two("y")} }`);
    expect(answer.data).toBeNull();
    expect(answer.errors?.[0]?.message).toContain("limits.maxChanges");
    expect(await ask("{ aggregateAccountNote { count } }")).toEqual({ data: { aggregateAccountNote: { count: 0 } } });
    expect((await ask(`mutation { ${two("x")} ${two("y")} }`)).errors).toBeUndefined();
  });

  it("shows live queries the whole of it at once", async () => {
    const { ask, stack } = await start();
    const live = stack.kernel.live({ query: `subscription ${balances}` });
    await live.next();
    await ask(`mutation @transaction { one: ${increment("a", -7)} two: ${increment("b", 7)} }`);
    expect((await live.next()).value?.data).toEqual({
      queryAccount: [
        { name: "a", balance: 3 },
        { name: "b", balance: 7 },
      ],
    });
    await live.return?.();
  });

  it("keeps the sum of all balances through many concurrent transfers, of which some fail", async () => {
    const { ask } = await deploy(bank);
    const names = ["a", "b", "c", "d"];
    await ask(`mutation { addAccount(input: [${names.map((name) => `{ name: "${name}", balance: 20 }`)}]) { numUids } }`);
    const transfers = Array.from({ length: storageName === "level" ? 200 : 60 }, (_, i) => ({
      from: names[i % 4] ?? "",
      to: names[(i * 7 + 1) % 4] ?? "",
      by: (i % 9) + 1,
    }));
    const answers = await Promise.all(
      transfers.map(async ({ from, to, by }) =>
        ask(
          `mutation @transaction { one: ${increment(to, by)} two: ${increment(from, -by)} three: addEntry(input: [{ text: "${from} ${to} ${by}" }]) { numUids } }`,
        ),
      ),
    );
    const expected = new Map(names.map((name) => [name, 20]));
    let done = 0;
    for (const [i, { errors }] of answers.entries()) {
      const { from, to, by } = transfers[i] ?? { from: "", to: "", by: 0 };
      if (errors) continue;
      done++;
      expected.set(from, (expected.get(from) ?? 0) - by);
      expected.set(to, (expected.get(to) ?? 0) + by);
    }
    expect(await ask(balances)).toEqual({ data: { queryAccount: [...expected].map(([name, balance]) => ({ name, balance })) } });
    expect(await ask("{ aggregateEntry { count } }")).toEqual({ data: { aggregateEntry: { count: done } } });
    expect(done).toBeGreaterThan(0);
  });

  it("refuses fields that are answered elsewhere, before anything runs, and other operations", async () => {
    const { ask, stack } = await start();
    await stack.kernel.deploy(
      `${bank}\n type Mutation { charge(n: Int): Int @custom(http: { url: "http://127.0.0.1:9/", method: POST, body: "{ n: $n }" }) }`,
    );
    const answer = await ask(`mutation @transaction { one: ${increment("a", 1)}\n two: charge(n: 1) }`);
    expect(answer).toEqual({
      errors: [{ message: expect.stringContaining("charge cannot be part of a transaction"), locations: [{ line: 2, column: 2 }] }],
    });
    expect((await ask("query @transaction { queryAccount { name } }")).errors?.[0]?.message).toBe(
      'Directive "@transaction" may not be used on QUERY.',
    );
    expect(await ask("{ queryAccount(first: 1) { balance } }")).toEqual({ data: { queryAccount: [{ balance: 10 }] } });
  });
});

describe("what plugins see of it", () => {
  it("raises the events of each field once", async () => {
    const { ask, stack } = await deploy('type Task @webhook(url: "http://127.0.0.1:9/") { name: String! @id  done: Boolean }');
    await ask(
      'mutation @transaction { addTask(input: [{ name: "t" }]) { numUids } updateTask(input: { filter: {}, set: { done: true } }) { numUids } }',
    );
    const { deployment, storage } = stack.kernel;
    const snapshot = storage.snapshot({ version: deployment?.version ?? 0 });
    const [row] = await snapshot.aggregate({ over: { types: ["lambda.Event"] }, measures: [{ kind: "count" }] });
    snapshot.close();
    expect(row).toEqual([2]);
  });
});
