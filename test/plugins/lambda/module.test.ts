// Functions given as a module: they do what functions in the process do, in a thread that cannot harm the server.

import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ask, run, started, temporaryFolder } from "../../cli/quern.ts";

const config = fileURLToPath(new URL("module.config.mjs", import.meta.url));
const project = fileURLToPath(new URL("../../..", import.meta.url));

const schema = `
  type Keeper @lambdaOnMutate(add: true) { handle: String! @id  big: Int64  bio(more: Int64): String @lambda }
  type Query { bad(how: String!): String @lambda  slow: String @lambda  running: Int @lambda  asks(admin: Boolean): String @lambda  ended: Boolean @lambda }
  type Mutation { sell: Boolean @lambda  settle(handle: String!): Boolean @lambda }
`;

/** TypeScript that Node alone does not read, and a neighbour. */
const words = `export enum Words { hello = "Hello" }\n`;
const functions = `
  import { setTimeout as pause } from "node:timers/promises";
  import type { LambdaFunctions } from "quern/plugins/lambda";
  import { Words } from "./words.ts";
  const atLoad = Object.keys(process.env);
  let ended = false;
  let slow = 0;
  const add = (handle: string) => \`mutation { addKeeper(input: [{ handle: "\${handle}" }], upsert: true) { numUids } }\`;
  export const functions: LambdaFunctions = {
    "Keeper.bio": ({ parents, args }) =>
      parents.map(async ({ handle, big }) => {
        if (handle === "bo") throw new Error("no bio");
        return \`\${Words.hello} \${handle} \${big} \${args.more}\`;
      }),
    "Keeper.add": async ({ event, quern }) => {
      for (const { handle } of event.add?.input as { handle: string }[]) if (handle === "ines") await quern.graphql(add("echo"));
    },
    "Query.bad": async ({ args }) => {
      if (args.how === "loop") for (;;);
      if (args.how === "block after a pause") { await pause(20); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }
      if (args.how === "exit") process.exit(1);
      if (args.how === "memory") { const all: unknown[] = []; for (;;) all.push(new Array(100_000).fill(args)); }
      if (args.how === "late error") setTimeout(() => { throw new Error("too late"); });
      if (args.how === "late error") await pause(60_000);
      if (args.how === "env") return JSON.stringify([Object.keys(process.env), atLoad]);
      if (args.how === "circle") { const circle: Record<string, unknown> = {}; circle.self = circle; return circle; }
      if (args.how === "function") return { inner: () => 1, toJSON: () => "a text" };
      Object.assign(args, { how: "changed" });
      throw new TypeError(\`bad \${args.how}\`);
    },
    "Query.slow": async () => {
      slow++;
      await pause(2_000);
      return "done";
    },
    "Query.running": () => slow,
    "Query.asks": async ({ args, quern, request, authHeader }) => {
      const { data } = await quern.graphql("query($h: String!) { getKeeper(handle: $h) { big } }", { h: "ines" }, { as: args.admin ? "admin" : "caller" });
      const { big } = data?.getKeeper as { big: unknown };
      return [big, typeof big, request.headers["x-from"], authHeader.key].join(" ");
    },
    "Query.ended": () => ended,
    "Mutation.sell": async ({ quern, signal }) => {
      signal.addEventListener("abort", () => (ended = true));
      await quern.graphql(add("sold"));
      await pause(60_000, undefined, { signal }).catch(() => undefined);
      return true;
    },
    "Mutation.settle": async ({ args, quern }) => (await quern.graphql(add(String(args.handle)))).errors.length === 0,
  };
`;

function folderWith(text: string): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  writeFileSync(join(folder.path, "functions.ts"), text);
  writeFileSync(join(folder.path, "words.ts"), words);
  writeFileSync(join(folder.path, "schema.graphql"), schema);
  // The configuration is elsewhere, and the module imports the package by its name.
  symlinkSync(join(project, "node_modules"), join(folder.path, "node_modules"));
  return folder.path;
}

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly unknown[] }[];
}

async function server({ text = functions, stuckMs = 4_000 } = {}) {
  vi.stubEnv("STUCK_MS", String(stuckMs));
  const folder = folderWith(text);
  const { child, url, ended } = await started(folder, "--config", config, "--schema", "schema.graphql", "--admin-open");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    vi.unstubAllEnvs();
  });
  const query = (document: string, variables?: Readonly<Record<string, unknown>>) => ask(url, document, variables) as Promise<Answer>;
  await query(`mutation { addKeeper(input: [{ handle: "bo" }, { handle: "ines", big: 9007199254740993 }]) { numUids } }`);
  return { url, query };
}

const has = (handle: string) => `{ getKeeper(handle: "${handle}") { handle } }`;
const failed = (reason: string, field = "bad", type = "Query") =>
  `Evaluation of custom field failed because external request returned an error: ${reason} for field: ${field} within type: ${type}.`;
const messages = ({ errors }: Answer) => errors?.map(({ message }) => message);

describe("a module of functions", () => {
  it("sees the variables of the environment that the configuration names, and no token or password of the server", async () => {
    vi.stubEnv("QUERN_ADMIN_TOKEN", "a token that no function has to know, 0123456789");
    const { query } = await server();
    expect((await query('{ bad(how: "env") }')).data).toEqual({ bad: '[["STUCK_MS"],["STUCK_MS"]]' });
  });

  it("resolves fields, asks the server, handles events and fails as functions in the process do", async () => {
    const { url, query } = await server();
    const bios = await query('{ queryKeeper(filter: { handle: { in: ["bo", "ines"] } }) { handle bio(more: 9007199254740995) } }');
    expect(bios.data).toEqual({
      queryKeeper: [
        { handle: "bo", bio: null },
        { handle: "ines", bio: "Hello ines 9007199254740993 9007199254740995" },
      ],
    });
    expect(bios.errors).toMatchObject([{ message: failed("no bio", "bio", "Keeper"), path: ["queryKeeper", 0, "bio"] }]);

    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-from": "here" },
      body: JSON.stringify({ query: "{ asks }" }),
    });
    expect(await answer.json()).toMatchObject({ data: { asks: "9007199254740993 bigint here " } });

    expect(messages(await query(`{ bad(how: "luck") }`))).toEqual([failed("bad changed")]);
    expect((await query(`{ bad(how: "function") }`)).data).toEqual({ bad: "a text" });
    expect(messages(await query(`{ bad(how: "circle") }`))?.[0]).toContain("failed because json marshaling (of: a value nested deeper than 64)");

    await vi.waitFor(async () => expect((await query(has("echo"))).data).toEqual({ getKeeper: { handle: "echo" } }), 60_000);
  });

  const stuck = "the module of functions does not answer for 4000 ms: it may be in an endless loop";
  it.each([
    [
      ["loop", stuck],
      ["block after a pause", stuck],
      ["exit", "the module of functions has ended its thread"],
    ],
    [
      ["memory", "the module of functions needs more than 48 MB of memory"],
      ["late error", "the module of functions has ended with an error: too late"],
    ],
  ])("that does %s gives that field's error; the server and the other functions go on", async (...cases) => {
    const { query } = await server({ stuckMs: cases.some(([how]) => how === "memory") ? 120_000 : 4_000 });
    for (const [how = "", reason = ""] of cases) {
      const slow = query("{ slow }");
      await vi.waitFor(async () => expect((await query("{ running }")).data).toEqual({ running: 1 }), 60_000);
      const bad = query("query($how: String!) { bad(how: $how) }", { how });
      const others = ["a", "b"].map((handle) => query("mutation($handle: String!) { settle(handle: $handle) }", { handle }));
      expect((await query(has("bo"))).data).toEqual({ getKeeper: { handle: "bo" } });
      expect(messages(await bad)).toEqual([failed(reason)]);
      expect((await slow).data).toEqual({ slow: "done" });
      for (const other of await Promise.all(others)) if (other.errors) expect(messages(other)).toEqual([failed(reason, "settle", "Mutation")]);
      await query(`{ bad(how: "exit") }`);
    }
  });

  it("runs a mutation that had begun once, although another call ends its thread", async () => {
    const { query } = await server();
    const sold = query("mutation { sell }");
    await vi.waitFor(async () => expect((await query(has("sold"))).data).toEqual({ getKeeper: { handle: "sold" } }), 60_000);
    await query(`mutation { deleteKeeper(filter: { handle: { eq: "sold" } }) { numUids } }`);
    await query(`{ bad(how: "exit") }`);
    expect(messages(await sold)).toEqual([failed("the module of functions has ended its thread", "sell", "Mutation")]);
    expect((await query("{ ended }")).data).toEqual({ ended: false });
    expect((await query(has("sold"))).data).toEqual({ getKeeper: null });
  });

  it("hears that the client has gone", async () => {
    const { url, query } = await server();
    const gone = new AbortController();
    const body = JSON.stringify({ query: "mutation { sell }" });
    const left = fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body, signal: gone.signal });
    await vi.waitFor(async () => expect((await query(has("sold"))).data).toEqual({ getKeeper: { handle: "sold" } }), 60_000);
    gone.abort();
    await expect(left).rejects.toThrow();
    await vi.waitFor(async () => expect((await query("{ ended }")).data).toEqual({ ended: true }), 60_000);
  });

  it("refuses a start when it throws, exports no functions, or lacks one, which is named; also of a schema that is deployed", async () => {
    vi.stubEnv("STUCK_MS", "4000");
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = folderWith(functions);
    const start = (text: string, ...schemas: readonly string[]) => {
      writeFileSync(join(folder, "functions.ts"), text);
      return run(folder, "start", "--port", "0", "--config", config, ...schemas);
    };
    const first = await started(folder, "--config", config, "--schema", "schema.graphql");
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
    const lacking = functions.replace('"Query.slow"', '"Query.slwo"');
    for (const schemas of [["--schema", "schema.graphql"], []]) {
      expect(await start("nonsense(", ...schemas)).toMatchObject({
        code: 1,
        err: expect.stringContaining("The module of functions functions.ts cannot be used"),
      });
      expect(await start("export default {}", ...schemas)).toMatchObject({ code: 1, err: expect.stringContaining("it exports no functions") });
      const named = 'Nothing handles Query.slow: the option functions of lambdaPlugin has no "Query.slow"; did you mean "Query.slwo"?';
      expect(await start(lacking, ...schemas)).toMatchObject({ code: 1, err: expect.stringContaining(named) });
    }
  });
});
