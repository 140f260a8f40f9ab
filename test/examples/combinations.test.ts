// Stacks as people assemble them: every storage x transport x set of plugins that makes sense, started by `serve` and used.

import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient } from "graphql-ws";
import { afterAll, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { defineConfig, type Server, serve } from "../../adapters/server/index.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import type { Storage } from "../../core/storage.ts";
import type { Transport } from "../../core/transport.ts";
import { auditPlugin } from "../../examples/audit-plugin/audit-plugin.ts";
import { boundsPlugin } from "../../examples/bounds-plugin/bounds-plugin.ts";
import { lmdbStorage } from "../../examples/lmdb-store/lmdb-store.ts";
import { lowercasePlugin } from "../../examples/lowercase-plugin/lowercase-plugin.ts";
import { memoryStorage } from "../../examples/memory-store/memory-store.ts";
import { slugPlugin } from "../../examples/slug-plugin/slug-plugin.ts";
import { softDeletePlugin } from "../../examples/soft-delete-plugin/soft-delete-plugin.ts";
import { unixSocketTransport } from "../../examples/unix-socket-transport/unix-socket-transport.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { subscriptionPlugin } from "../../plugins/subscription/index.ts";
import { newPlace, storageName } from "../support/storage.ts";

const folders = mkdtempSync(join(tmpdir(), "quern-stacks-"));
afterAll(() => rmSync(folders, { recursive: true, force: true }));
const newFolder = () => mkdtempSync(join(folders, "stack-"));

interface Data {
  /** A storage over the same data at each call. */
  storage(): Storage;
  remove(): Promise<void>;
}

/** LevelDB or MongoDB, as this run of the specs is about the one or the other; what does not depend on that runs beside LevelDB. */
const storages: Readonly<Record<string, () => Promise<Data>>> = {
  [storageName]: () => newPlace(),
  ...(storageName === "level" && {
    memory: async () => {
      const kept = memoryStorage();
      return { storage: () => kept, remove: async () => {} };
    },
    lmdb: async () => {
      const path = newFolder();
      return { storage: () => lmdbStorage({ path }), remove: async () => {} };
    },
  }),
};

interface Answer {
  readonly data?: unknown;
  readonly errors?: unknown;
}

/** Without the members that describe the request itself. */
function answerOf({ data, errors }: Answer): Answer {
  return errors === undefined ? { data } : { data, errors };
}

interface Carried {
  readonly transport: () => Transport;
  readonly ask: (url: string, query: string) => Promise<Answer>;
  readonly hasWebSockets: boolean;
}

const overHttp = async (url: string, query: string): Promise<Answer> => {
  const headers = { "content-type": "application/json" };
  return (await fetch(`${url}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) })).json();
};

const transports: Readonly<Record<string, Carried>> = {
  ws: { transport: wsTransport, ask: overHttp, hasWebSockets: true },
  yoga: { transport: yogaTransport, ask: overHttp, hasWebSockets: true },
  "unix-socket": {
    transport: () => unixSocketTransport({ path: join(newFolder(), "quern.sock") }),
    ask: async (url, query) => {
      const socket = connect(url.replace(/^unix:/, ""));
      socket.end(`${JSON.stringify({ query })}\n`);
      for await (const line of createInterface({ input: socket })) return JSON.parse(line);
      throw new Error("no answer");
    },
    hasWebSockets: false,
  },
};

interface PluginSet {
  readonly plugins: () => readonly DirectivePlugin[];
  /** What the field `mark` of the Note that is added gets, and shows. */
  readonly directives: string;
  readonly type?: string;
  readonly mark: string;
  readonly shown: string;
  /** Asked at the end: the plugin was at work. */
  readonly trace?: { readonly ask: string; readonly answer: unknown };
}

const sets: Readonly<Record<string, PluginSet>> = {
  "no directive of an example": { plugins: () => [], directives: "", mark: '"A"', shown: "A" },
  "@slug and @lowercase": {
    plugins: () => [slugPlugin(), lowercasePlugin()],
    directives: '@slug(from: "text")',
    mark: '"a-mark"',
    shown: "a-mark",
    trace: { ask: '{ getNote(mark: "second-note") { text } }', answer: { getNote: { text: "Second note" } } },
  },
  "@softDelete and @bounds": {
    plugins: () => [softDeletePlugin(), boundsPlugin()],
    directives: "",
    type: "@softDelete",
    mark: '"A"',
    shown: "A",
  },
  "all of them": {
    plugins: () => [slugPlugin(), lowercasePlugin(), softDeletePlugin(), boundsPlugin(), auditPlugin()],
    directives: "@lowercase",
    type: "@softDelete @audit",
    mark: '"A"',
    shown: "a",
    trace: { ask: "{ auditLog(last: 1) { what } }", answer: { auditLog: [{ what: "set" }] } },
  },
};

/** The fields that the plugins of the set have rules for. */
function schemaOf({ plugins, directives, type = "" }: PluginSet): string {
  const names = plugins().map(({ name }) => name);
  const stars = names.includes("bounds") ? "stars: Int @bounds(min: 1, max: 5)" : "stars: Int";
  return `type Note @withSubscription ${type} {\n  id: ID!\n  text: String! @search(by: [hash])\n  mark: String ${directives}\n  ${stars}\n}`;
}

interface Stack {
  readonly server: Server;
  readonly ask: (query: string) => Promise<unknown>;
}

async function start(storage: Storage, { transport, ask }: Carried, set: PluginSet): Promise<Stack> {
  const plugins = [identityPlugin(), searchPlugin(), subscriptionPlugin(), ...set.plugins()];
  const config = defineConfig({ storage, transports: [transport()], plugins, schema: schemaOf(set), port: 0, log: { level: "silent" } });
  const server = await serve(config);
  return { server, ask: async (query) => answerOf(await ask(server.urls[0] ?? "", query)) };
}

/** The first `count` results of a live query; `change` runs when the first is there. */
async function liveResults(url: string, query: string, count: number, change: () => Promise<unknown>): Promise<readonly unknown[]> {
  const client = createClient({ url: `${url.replace("http", "ws")}/graphql`, webSocketImpl: WebSocket, retryAttempts: 0 });
  const results: unknown[] = [];
  for await (const result of client.iterate({ query })) {
    if (results.push(answerOf(result)) === count) break;
    if (results.length === 1) await change();
  }
  await client.dispose();
  return results;
}

/** What every stack must do, whatever it is made of. */
async function smoke(data: Data, carried: Carried, set: PluginSet): Promise<void> {
  let { server, ask } = await start(data.storage(), carried, set);
  try {
    expect(
      await ask(`mutation { addNote(input: [{ text: "First note", mark: ${set.mark}, stars: 5 }, { text: "Second note", stars: 1 }]) { numUids } }`),
    ).toEqual({ data: { addNote: { numUids: 2 } } });
    expect(await ask('{ queryNote(filter: { text: { eq: "First note" } }) { text mark stars } }')).toEqual({
      data: { queryNote: [{ text: "First note", mark: set.shown, stars: 5 }] },
    });
    const update = 'mutation { updateNote(input: { filter: { text: { eq: "First note" } }, set: { stars: 2 } }) { note { text stars } } }';
    expect(await ask(update)).toEqual({ data: { updateNote: { note: [{ text: "First note", stars: 2 }] } } });
    const remove = 'mutation { deleteNote(filter: { text: { eq: "First note" } }) { numUids } }';
    if (carried.hasWebSockets) {
      const [before, after] = [[{ text: "First note" }, { text: "Second note" }], [{ text: "Second note" }]];
      expect(await liveResults(server.urls[0] ?? "", "subscription { queryNote { text } }", 2, () => ask(remove))).toEqual([
        { data: { queryNote: before } },
        { data: { queryNote: after } },
      ]);
    } else {
      expect(await ask(remove)).toEqual({ data: { deleteNote: { numUids: 1 } } });
    }
    await server.close(100);
    ({ server, ask } = await start(data.storage(), carried, set));
    expect(await ask("{ queryNote { text stars } aggregateNote { count } }")).toEqual({
      data: { queryNote: [{ text: "Second note", stars: 1 }], aggregateNote: { count: 1 } },
    });
    if (set.trace) expect(await ask(set.trace.ask)).toEqual({ data: set.trace.answer });
  } finally {
    await server.close(0);
    await data.remove();
  }
}

describe.each(Object.entries(storages))("on %s", (_storage, create) => {
  describe.each(Object.entries(transports))("behind %s", (_transport, carried) => {
    it.each(Object.entries(sets))("serves with %s", async (_set, set) => smoke(await create(), carried, set), 120_000);
  });
});
