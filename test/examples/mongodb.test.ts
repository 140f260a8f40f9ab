// The chat on two servers and one replica set, started as the example's README says.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient } from "graphql-sse";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../cli/quern.ts";
import { findMongod } from "../support/find-mongod.ts";
import { type ReplicaSet, startReplicaSet } from "../support/mongod.ts";

const project = join(import.meta.dirname, "../..");
const isThere = findMongod()?.kind === "binary";
if (!isThere) console.info("THE EXAMPLE OF MONGODB IS LEFT OUT: there is no mongod to start. Name one in QUERN_TEST_MONGOD.");

describe.runIf(isThere)("the example of MongoDB", () => {
  let replicaSet: ReplicaSet;
  beforeAll(async () => {
    replicaSet = await startReplicaSet();
  });
  afterAll(() => replicaSet.stop());

  it("starts two servers: a subscriber of one gets what the other stores; both end with Ctrl-C", async () => {
    const child = spawn(process.execPath, [join(project, "examples/mongodb/start.mjs")], {
      env: { ...process.env, MONGODB_URI: replicaSet.uri, PORTS: "0,0" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const exit = once(child, "exit");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [first, second] = [String((await lines.next()).value), String((await lines.next()).value)];
    expect(first).not.toBe(second);

    const live = createClient({ url: second }).iterate({
      query: 'subscription { queryMessage(filter: { room: { name: { eq: "lobby" } } }) { text } }',
    });
    expect(await live.next()).toMatchObject({ value: { data: { queryMessage: [] } } });
    const add = 'mutation { addMessage(input: [{ room: { name: "lobby" }, author: "Ada", text: "Ahoy" }]) { numUids } }';
    expect(await ask(first, add)).toMatchObject({ data: { addMessage: { numUids: 2 } } });
    expect(await live.next()).toMatchObject({ value: { data: { queryMessage: [{ text: "Ahoy" }] } } });
    await live.return?.();

    child.kill("SIGINT");
    expect((await exit)[0]).toBe(0);
    await expect(fetch(first)).rejects.toThrow();
    await expect(fetch(second)).rejects.toThrow();
  });
});

describe("compose.yaml", () => {
  const text = readFileSync(join(project, "examples/mongodb/compose.yaml"), "utf8");

  it("runs files that exist, and waits for a replica set", () => {
    const [, ...paths] = [...text.matchAll(/^ {2}command: \["node", "([^"]+)", "start", "--config", "([^"]+)"\]/gm)].flat();
    expect(paths.length).toBe(2);
    for (const path of paths) expect(existsSync(join(project, path)), path).toBe(true);
    expect(text).toContain("--replSet");
    expect(text).toContain("condition: service_healthy");
  });
});
