// Transactions over several requests: what they see, what they lose against, whose they are, and how long they live.

import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { dqlPlugin } from "../../../plugins/dql/index.ts";
import { eventually } from "../../support/eventually.ts";
import { type DqlStack, dqlStack } from "./harness.ts";

const schema = `
  type Sailor { id: ID!  name: String! @search(by: [exact])  votes: Int  age: Int  names: [String]  likes: [Ship] @hasInverse(field: likers)  captain: Ship @hasInverse(field: master) }
  type Ship { tag: String! @id  likers: [Sailor]  master: Sailor }
`;

/** Who sends the header x-user is known by it. */
const usersPlugin: DirectivePlugin = {
  name: "users",
  definitions: "",
  model: () => ({
    request: ({ headers }) => ({ user: headers["x-user"] ?? null }),
    caller: ({ facts }) => (typeof facts.user === "string" ? facts.user : undefined),
  }),
};

async function withShips(options: Parameters<typeof dqlStack>[1] = {}) {
  const dql = await dqlStack(schema, options);
  onTestFinished(() => dql.stack.remove());
  const { uids } = await dql.mutate(`{ set {
    _:a <Sailor.name> "Ann" .
    _:a <Sailor.votes> "1" .
    _:a <dgraph.type> "Sailor" .
    _:s <Ship.tag> "s1" .
    _:s <dgraph.type> "Ship" .
    _:t <Ship.tag> "s2" .
    _:t <dgraph.type> "Ship" .
  } }`);
  return { dql, a: uids?.a ?? "", s: uids?.s ?? "", t: uids?.t ?? "" };
}

const abortedText = "rpc error: code = Aborted desc = Transaction has been aborted. Please retry";

/** A client's transaction. */
class Txn {
  readonly #dql: DqlStack;
  readonly #headers: Readonly<Record<string, string>>;
  ts = 0;
  hash: string | undefined;

  constructor(dql: DqlStack, headers: Readonly<Record<string, string>> = {}) {
    this.#dql = dql;
    this.#headers = headers;
  }

  get #parameters(): string {
    return `?startTs=${this.ts || ""}${this.hash === undefined ? "" : `&hash=${this.hash}`}`;
  }

  async send(path: string, text: string, more = "") {
    const answer = await this.#dql.send(`${path}${this.#parameters}${more}`, text, this.#headers);
    const txn = answer.extensions?.txn;
    if (txn) [this.ts, this.hash] = [txn.start_ts, txn.hash];
    return answer;
  }

  mutate(text: string, more = "") {
    return this.send("/mutate", text, more);
  }

  async query(text: string) {
    return (await this.send("/query", text)).data;
  }

  /** The reason why it is not committed. */
  async commit(): Promise<string | undefined> {
    return (await this.send("/commit", "{}")).errors?.[0]?.message;
  }
}

const votes = "{ q(func: type(Sailor), orderasc: Sailor.name) { Sailor.name Sailor.votes } }";

describe("a transaction", () => {
  it("sees its own writes and the data of its start, and others see nothing until it is committed", async () => {
    const { dql, a } = await withShips();
    const txn = new Txn(dql);
    await txn.mutate(`{ set { <${a}> <Sailor.votes> "5" . _:n <Sailor.name> "Bob" . _:n <dgraph.type> "Sailor" . } }`);
    await dql.mutate(`{ set { <${a}> <Sailor.age> "30" . _:x <Sailor.name> "Cid" . _:x <dgraph.type> "Sailor" . } }`);
    const inside = { q: [{ "Sailor.name": "Ann", "Sailor.votes": 5 }, { "Sailor.name": "Bob" }] };
    expect(await txn.query(votes)).toEqual(inside);
    expect(await txn.query('{ q(func: eq(Sailor.name, "Bob")) { Sailor.name } }')).toEqual({ q: [{ "Sailor.name": "Bob" }] });
    expect(await dql.ask(votes)).toEqual({ q: [{ "Sailor.name": "Ann", "Sailor.votes": 1 }, { "Sailor.name": "Cid" }] });
    expect(await txn.commit()).toBeUndefined();
    expect(await dql.ask(votes)).toEqual({ q: [{ "Sailor.name": "Ann", "Sailor.votes": 5 }, { "Sailor.name": "Bob" }, { "Sailor.name": "Cid" }] });
    expect(await dql.run("{ querySailor { name age } }")).toMatchObject({ querySailor: expect.arrayContaining([{ name: "Ann", age: 30 }]) });
  });

  it("may begin with a query, whose view it keeps", async () => {
    const { dql, a } = await withShips();
    const txn = new Txn(dql);
    await txn.query(votes);
    await dql.mutate(`{ set { <${a}> <Sailor.votes> "7" . } }`);
    expect(await txn.query(votes)).toEqual({ q: [{ "Sailor.name": "Ann", "Sailor.votes": 1 }] });
    await txn.mutate(`{ set { <${a}> <Sailor.votes> "8" . } }`);
    expect(await txn.commit()).toBe(abortedText);
    expect(await dql.ask(votes)).toEqual({ q: [{ "Sailor.name": "Ann", "Sailor.votes": 7 }] });
  });

  it("writes nothing when it is aborted, and is no more afterwards", async () => {
    const { dql, a } = await withShips();
    const txn = new Txn(dql);
    await txn.mutate(`{ set { <${a}> <Sailor.votes> "9" . } }`);
    expect(await txn.send("/commit", "", "&abort=true")).toEqual({ code: "Success", message: "Done" });
    expect(await txn.send("/commit", "", "&abort=true")).toEqual({ code: "Success", message: "Done" });
    expect(await txn.commit()).toBe(abortedText);
    expect(await dql.ask(votes)).toEqual({ q: [{ "Sailor.name": "Ann", "Sailor.votes": 1 }] });
  });

  it("goes on after a request that fails, without what that one wrote", async () => {
    const { dql, a } = await withShips();
    const txn = new Txn(dql);
    await txn.mutate(`{ set { <${a}> <Sailor.votes> "2" . } }`);
    const wrong = await txn.mutate(JSON.stringify({ mutations: [{ set: { uid: a, "Sailor.age": 3 } }, { set: { uid: a, "Sailor.age": "old" } }] }));
    expect(wrong.errors).toHaveLength(1);
    expect(await txn.commit()).toBeUndefined();
    expect(await dql.run("{ querySailor { votes age } }")).toEqual({ querySailor: [{ votes: 2, age: null }] });
  });

  it("ends with commitNow of its last request", async () => {
    const { dql, a } = await withShips();
    const txn = new Txn(dql);
    await txn.mutate(`{ set { <${a}> <Sailor.votes> "2" . } }`);
    expect((await txn.mutate(`{ set { <${a}> <Sailor.age> "3" . } }`, "&commitNow=true")).errors).toBeUndefined();
    expect(await dql.run("{ querySailor { votes age } }")).toEqual({ querySailor: [{ votes: 2, age: 3 }] });
    expect(await txn.commit()).toBe(abortedText);
  });

  it("ends when another schema is deployed", async () => {
    const { dql, a } = await withShips();
    const txn = new Txn(dql);
    await txn.mutate(`{ set { <${a}> <Sailor.votes> "2" . } }`);
    await dql.stack.kernel.deploy(`${schema} type Buoy { id: ID! no: Int }`);
    expect(await txn.commit()).toBe(abortedText);
  });
});

describe("two transactions", () => {
  const rdf = (line: string) => `{ set { ${line} } }`;

  it.each([
    ["the same value", '<A> <Sailor.votes> "2" .', '<A> <Sailor.votes> "3" .'],
    ["the same element of a list", '<A> <Sailor.names> "x" .', '<A> <Sailor.names> "x" .'],
    ["the same link", "<A> <Sailor.likes> <S> .", "<A> <Sailor.likes> <S> ."],
    ["the same link from its other side", "<A> <Sailor.likes> <S> .", "<S> <Ship.likers> <A> ."],
    ["another partner of a single link", "<A> <Sailor.captain> <S> .", "<A> <Sailor.captain> <T> ."],
    ["the same key", '_:n <Ship.tag> "new" .\n_:n <dgraph.type> "Ship" .', '_:n <Ship.tag> "new" .\n_:n <dgraph.type> "Ship" .'],
    ["the same key of nodes without a type", '_:n <Ship.tag> "new" .', '_:n <Ship.tag> "new" .'],
    ["a node that the other deletes", "DELETE", '<A> <Sailor.votes> "3" .'],
  ])("conflict over %s: the first one to commit wins", async (_what, first, second) => {
    const { dql, a, s, t } = await withShips();
    const named = (text: string) => text.replaceAll("<A>", `<${a}>`).replaceAll("<S>", `<${s}>`).replaceAll("<T>", `<${t}>`);
    const [one, other] = [new Txn(dql), new Txn(dql)];
    expect((await one.mutate(first === "DELETE" ? `{ delete { <${a}> * * . } }` : rdf(named(first)))).errors).toBeUndefined();
    expect((await other.mutate(rdf(named(second)))).errors).toBeUndefined();
    expect(await one.commit()).toBeUndefined();
    expect(await other.commit()).toBe(abortedText);
  });

  it.each([
    ["other values of one node", '<A> <Sailor.votes> "2" .', '<A> <Sailor.age> "3" .'],
    ["other elements of a list", '<A> <Sailor.names> "x" .', '<A> <Sailor.names> "y" .'],
    ["other links of a list", "<A> <Sailor.likes> <S> .", "<A> <Sailor.likes> <T> ."],
    ["equal values that are no keys", '_:n <Sailor.name> "x" .', '_:n <Sailor.name> "x" .'],
  ])("write %s side by side, and both are kept", async (_what, first, second) => {
    const { dql, a, s, t } = await withShips();
    const named = (text: string) => text.replaceAll("<A>", `<${a}>`).replaceAll("<S>", `<${s}>`).replaceAll("<T>", `<${t}>`);
    const [one, other] = [new Txn(dql), new Txn(dql)];
    await one.mutate(rdf(named(first)));
    await other.mutate(rdf(named(second)));
    expect([await one.commit(), await other.commit()]).toEqual([undefined, undefined]);
    const { q } = (await dql.ask(`{ q(func: uid(${a})) { n: count(Sailor.likes) Sailor.names } x(func: eq(Sailor.name, "x")) { uid } }`)) as {
      q: readonly [{ n: number; "Sailor.names"?: readonly string[] }];
    };
    if (first.includes("likes")) expect(q[0].n).toBe(2);
    if (first.includes("names")) expect(q[0]["Sailor.names"]).toEqual(expect.arrayContaining(["x", "y"]));
  });

  it("conflict with mutations in GraphQL too", async () => {
    const { dql, a } = await withShips();
    const txn = new Txn(dql);
    await txn.mutate(`{ set { <${a}> <Sailor.age> "24" . } }`);
    await dql.run("mutation ($id: ID!) { updateSailor(input: { filter: { id: [$id] }, set: { age: 25 } }) { numUids } }", { id: a });
    expect(await txn.commit()).toBe(abortedText);
  });
});

describe("the transactions of a server", () => {
  it("end by themselves", async () => {
    const { dql, a } = await withShips({ transactionMs: 50 });
    const txn = new Txn(dql);
    await txn.mutate(`{ set { <${a}> <Sailor.votes> "2" . } }`);
    await eventually(async () => expect((await txn.send("/query", votes)).errors?.[0]?.message).toBe(abortedText));
    expect(await txn.commit()).toBe(abortedText);
  });

  it("are few: one more is refused until another one ends", async () => {
    const { dql, a, s } = await withShips({ maxTransactions: 1 });
    const [one, other] = [new Txn(dql), new Txn(dql)];
    await one.mutate(`{ set { <${a}> <Sailor.votes> "2" . } }`);
    expect((await one.mutate(`{ set { <${a}> <Sailor.votes> "3" . } }`)).errors).toBeUndefined();
    const again = () => other.mutate(`{ set { <${s}> <Ship.likers> <${a}> . } }`);
    expect((await again()).errors?.[0]?.message).toContain("1 transactions are open");
    await one.commit();
    expect((await again()).errors).toBeUndefined();
  });

  it("keep the views of the last queries that may have begun one", async () => {
    const { dql } = await withShips();
    const txns = Array.from({ length: 40 }, () => new Txn(dql));
    for (const txn of txns) await txn.query(votes);
    expect(await txns.at(-1)?.query(votes)).toEqual({ q: [{ "Sailor.name": "Ann", "Sailor.votes": 1 }] });
    expect((await txns[0]?.send("/query", votes))?.errors?.[0]?.message).toBe(abortedText);
  });

  it("belong to the user who began them", async () => {
    const plugins = [...standardPlugins().map((each) => (each.name === "dql" ? dqlPlugin() : each)), usersPlugin];
    const { dql, a } = await withShips({ config: { plugins } });
    const txn = new Txn(dql, { "x-user": "ann" });
    await txn.mutate(`{ set { <${a}> <Sailor.votes> "2" . } }`);
    const [{ ts, hash }, refusal] = [txn, "hash mismatch the claimed startTs|namespace"];
    const bob = Object.assign(new Txn(dql, { "x-user": "bob" }), { ts, hash });
    const forgetful = Object.assign(new Txn(dql, { "x-user": "ann" }), { ts });
    for (const other of [bob, forgetful]) {
      expect(await other.commit()).toBe(refusal);
      expect((await other.send("/query", votes)).errors?.[0]?.message).toBe(refusal);
      expect((await other.send("/commit", "", "&abort=true")).errors?.[0]?.message).toBe(refusal);
    }
    expect(await txn.commit()).toBeUndefined();
  });
});
