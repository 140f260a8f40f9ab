// Two servers in processes of their own on one database: one of them delivers the events of both, and the other takes over when it is killed.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { MongoClient } from "mongodb";
import { expect, inject, it, onTestFinished, vi } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { lambdaPlugin } from "../../../plugins/lambda/index.ts";
import { type Received, receiver } from "../../plugins/lambda/receiver.ts";
import { builtProgram } from "../../support/built-program.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";

/** Transactions of the killed server hold their documents for ten seconds, or for the minute that MongoDB gives them. */
const eventually = (look: () => unknown) => vi.waitFor(look, { timeout: 200_000, interval: 10 });

const program = new URL("./outbox-server.ts", import.meta.url);

/** Deliveries that are answered before the kill. */
const answered = 20;

interface Server {
  readonly child: ChildProcess;
  /** The last committed size of each of its nodes. */
  readonly committed: Map<string, number>;
  readonly hasWritten: () => boolean;
}

/** A database with these nodes, under a schema whose updates raise events. */
async function database(labels: readonly string[]): Promise<{ readonly uri: string; readonly name: string }> {
  const [uri, name] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
  // This server delivers nothing: it closes before an event is raised.
  const plugins = [identityPlugin(), lambdaPlugin({ url: "http://127.0.0.1:9/" })];
  const kernel = createKernel({ storage: mongodbStorage({ uri, database: name, ...layoutOfRun }), plugins, log: { level: "silent" } });
  onTestFinished(async () => {
    const client = await new MongoClient(uri).connect();
    await client.db(name).dropDatabase();
    await client.close();
  });
  await kernel.open();
  await kernel.deploy("type Hive @lambdaOnMutate(update: true) { label: String! @id  size: Int }");
  await kernel.execute({ query: `mutation { addHive(input: [${labels.map((label) => `{ label: "${label}" }`)}]) { numUids } }` });
  await kernel.close();
  return { uri, name };
}

function server(args: readonly string[]): Server {
  const child = spawn(process.execPath, [builtProgram(program), ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const committed = new Map<string, number>();
  let hasWritten = false;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [label = "", size] = line.split(" ");
    if (size === undefined) hasWritten = true;
    else committed.set(label, Number(size));
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return { child, committed, hasWritten: () => hasWritten };
}

/** What an event says: the node, and the size that it was set to. */
function changeIn({ body }: Received): { readonly uid: string; readonly size: number } {
  const { event } = body as {
    readonly event: { readonly update: { readonly rootUIDs: readonly string[]; readonly setPatch: { readonly size: number } } };
  };
  return { uid: event.update.rootUIDs.join(), size: event.update.setPatch.size };
}

it("each event arrives, in the order of its node, from one server at a time; a server that is killed is followed by the other", async () => {
  const nodes = { one: ["a", "b"], two: ["c", "d"] };
  const { uri, name } = await database([...nodes.one, ...nodes.two]);
  const service = await receiver();
  const unanswered: ServerResponse[] = [];
  let isKilled = false;
  // Later deliveries are under way when their server is killed.
  service.answer = (_, response) => void (isKilled || service.received.length <= answered ? response.end('""') : unanswered.push(response));
  const servers = {
    one: server([uri, name, `${service.url}/one`, ...nodes.one]),
    two: server([uri, name, `${service.url}/two`, ...nodes.two]),
  };
  // Each writes, and one of them delivers.
  await eventually(() => expect([...servers.one.committed, ...servers.two.committed].filter(([, size]) => size >= 5)).toHaveLength(4));
  await eventually(() => expect(unanswered.length).toBeGreaterThanOrEqual(2));
  const [first] = service.received.map(({ path }) => path);
  expect(new Set(service.received.map(({ path }) => path))).toEqual(new Set([first]));
  const [killed, other] = first === "/one" ? [servers.one, servers.two] : [servers.two, servers.one];

  killed.child.kill("SIGKILL");
  await once(killed.child, "exit");
  const before = service.received.length;
  const inDelivery = unanswered.length;
  isKilled = true;
  await eventually(() => expect(other.hasWritten()).toBe(true));

  const last = [...killed.committed, ...other.committed];
  const sizesOf = () => {
    const sizes = new Map<string, number[]>();
    for (const { uid, size } of service.received.map(changeIn)) sizes.set(uid, [...(sizes.get(uid) ?? []), size]);
    return [...sizes.values()];
  };
  // What was committed has arrived: all of it, though some commits were never reported.
  const written = last.reduce((sum, [, size]) => sum + size, 0);
  await eventually(() => expect(new Set(service.received.map((each) => JSON.stringify(changeIn(each)))).size).toBeGreaterThanOrEqual(written));

  expect(new Set(service.received.slice(before).map(({ path }) => path))).toEqual(new Set([first === "/one" ? "/two" : "/one"]));
  let repeated = 0;
  for (const sizes of sizesOf()) {
    const once = [...new Set(sizes)];
    // No size is missing, none is early.
    expect(once).toEqual(Array.from({ length: once.length }, (_, i) => i + 1));
    repeated += sizes.length - once.length;
  }
  // Only what had no answer, or whose answer was not yet written down, arrives again.
  expect(repeated).toBeGreaterThanOrEqual(inDelivery);
  expect(repeated).toBeLessThanOrEqual(inDelivery + 16);
});
