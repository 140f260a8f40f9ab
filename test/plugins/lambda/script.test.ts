// Dgraph's lambda scripts in a worker thread: what they register, what they may do, and what they cannot do to the server.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { deploy } from "./api.ts";

const schema = `
  type Keeper @lambdaOnMutate(add: true) { handle: String! @id  big: Int64  bio: String @lambda  rank: Int @lambda }
  type Query { sum(a: Int, b: Int): Int @lambda  asks: String @lambda  bad(how: String!): String @lambda }
`;

const script = `
  async function bios({ parents }) { return parents.map(({ handle, big }) => handle + (big ?? "")); }
  self.addMultiParentGraphQLResolvers({ "Keeper.bio": bios });
  self.addGraphQLResolvers({
    "Keeper.rank": async ({ parent }) => { if (parent.handle === "bo") throw new Error("no rank"); return 1; },
    "Query.sum": ({ args }) => args.a + args.b,
    "Query.asks": async ({ graphql }) => JSON.stringify(await graphql("query($h: String!) { getKeeper(handle: $h) { handle } }", { h: "ines" })),
    "Query.bad": ({ args }) => bad(args.how),
  });
  self.addWebHookResolvers({
    "Keeper.add": async ({ event, graphql }) => {
      for (const { handle } of event.add.input)
        if (handle !== "echo") await graphql("mutation { addKeeper(input: [{ handle: \\"echo\\" }], upsert: true) { numUids } }");
    },
  });
  function bad(how) {
    if (how === "loop") for (;;);
    if (how === "exit") process.exit(1);
    if (how === "memory") { const all = []; for (;;) all.push(new Array(100000).fill(how)); }
    if (how === "wait") return new Promise(() => {});
    if (how === "env") return Object.keys(process.env).join();
    throw new TypeError("bad " + how);
  }
`;

async function withScript(text = script, options: Readonly<Record<string, unknown>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "script-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "lambda.js");
  await writeFile(file, text);
  const api = await deploy(schema, { script: file, workerStuckMs: 1_500, timeoutMs: 4_000, workerMemoryMb: 32, ...options });
  await api.ask(`mutation { addKeeper(input: [{ handle: "bo", big: 9007199254740993 }, { handle: "ines" }]) { numUids } }`);
  return api;
}

const failed = (reason: string, field = "bad", type = "Query") =>
  `Evaluation of custom field failed because external request returned an error: ${reason} for field: ${field} within type: ${type}.`;

describe("a script", () => {
  it("resolves fields for all parents, for each parent, and fields of Query", async () => {
    const api = await withScript();
    const { data } = await api.ask("{ queryKeeper(first: 2) { handle bio rank } sum(a: 2, b: 3) }");
    expect(data).toEqual({
      queryKeeper: [
        { handle: "bo", bio: "bo9007199254740992", rank: null },
        { handle: "ines", bio: "ines", rank: 1 },
      ],
      sum: 5,
    });
  });

  it("asks this server, without the caller's token unless it passes one on", async () => {
    const api = await withScript();
    expect((await api.ask("{ asks }")).data).toEqual({ asks: '{"data":{"getKeeper":{"handle":"ines"}}}' });
  });

  it("handles events", async () => {
    const api = await withScript();
    await eventually(async () => expect((await api.ask(`{ getKeeper(handle: "echo") { handle } }`)).data).toEqual({ getKeeper: { handle: "echo" } }));
  });

  it("that throws gives the field's error; the environment of the server is not in it", async () => {
    const api = await withScript();
    expect((await api.ask(`{ bad(how: "luck") }`)).errors?.map(({ message }) => message)).toEqual([failed("bad luck")]);
    expect((await api.ask(`{ bad(how: "env") }`)).data).toEqual({ bad: "" });
  });

  it("sees the variables of the environment that the configuration names", async () => {
    vi.stubEnv("QUERN_TEST_SHOWN", "1");
    vi.stubEnv("QUERN_TEST_HIDDEN", "1");
    const api = await withScript(script, { environment: ["QUERN_TEST_SHOWN", "QUERN_TEST_ABSENT"] });
    vi.unstubAllEnvs();
    expect((await api.ask(`{ bad(how: "env") }`)).data).toEqual({ bad: "QUERN_TEST_SHOWN" });
  });

  it.each([
    ["loop", "the script does not answer for 1500 ms: it may be in an endless loop"],
    ["exit", "the script has ended its thread"],
    ["memory", "the script needs more than 32 MB of memory"],
    ["wait", "Query.bad does not answer within 4000 ms"],
  ])(
    "that does %s is ended; the server goes on, and the next call is answered",
    async (how, reason) => {
      const api = await withScript(script, how === "memory" ? { workerStuckMs: 20_000, timeoutMs: 20_000 } : {});
      const [{ data, errors }, other] = await Promise.all([
        api.ask("query($how: String!) { bad(how: $how) }", { variables: { how } }),
        api.ask("{ queryKeeper(first: 1) { handle } }"),
      ]);
      expect(other.data).toEqual({ queryKeeper: [{ handle: "bo" }] });
      expect([data, errors?.map(({ message }) => message)]).toEqual([{ bad: null }, [failed(reason)]]);
      expect((await api.ask("{ sum(a: 1, b: 1) }")).data).toEqual({ sum: 2 });
    },
    40_000,
  );

  it("refuses the deploy when it is missing, fails, or lacks a resolver, which is named", async () => {
    await expect(deploy(schema, { script: "/nowhere/lambda.js" })).rejects.toThrow("The lambda script /nowhere/lambda.js cannot be used");
    await expect(withScript("nonsense(")).rejects.toThrow("the script fails when it is loaded");
    await expect(withScript("self.addGraphQLResolvers({})")).rejects.toThrow("Nothing handles Query.sum");
  });
});
