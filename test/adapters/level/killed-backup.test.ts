// Backups and exports whose process is killed: the last good backup stays whole, and the next run removes or continues what was left.

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createKernel } from "../../../core/index.ts";
import { ask, quern, run, started, temporaryFolder } from "../../cli/quern.ts";
import { killedWhileItWrites } from "../../support/killed-while-it-writes.ts";

const schema = "type Log { id: ID!  n: Int! @search  text: String }";
/** 13 MB. */
const nodes = 240;

let folder: ReturnType<typeof temporaryFolder>;
const at = (...names: readonly string[]) => join(folder.path, ...names);

beforeEach(async () => {
  folder = temporaryFolder();
  await fill(0);
});
afterEach(() => folder.remove());

/** Adds nodes of 53 kB that hardly compress. */
async function fill(from: number, count = nodes): Promise<void> {
  const storage = leveldbStorage({ path: at("data"), durability: "os-crash-may-lose-commits" });
  const kernel = createKernel({ storage, plugins: standardPlugins(), log: { level: "silent" } });
  await kernel.open();
  await kernel.deploy(schema);
  for (let n = from; n < from + count; n += 40) {
    const input = Array.from({ length: 40 }, (_, i) => ({ n: n + i, text: randomBytes(40_000).toString("base64") }));
    const { body } = await kernel.execute({
      query: "mutation ($input: [AddLogInput!]!) { addLog(input: $input) { numUids } }",
      variables: { input },
    });
    expect(JSON.parse(body).errors).toBeUndefined();
  }
  await kernel.close();
}

/** Sends SIGKILL once the copy that is being made has some bytes. False: the process ended before. */
const killedAmidBackup = (child: ChildProcess) => killedWhileItWrites(child, at("backups"), 2 << 20);

/** Adds nodes and kills the backup of them; again, while the machine lets a backup end before the signal. Answers what the whole backups hold. */
async function killedAmidNext(first: number, backup: () => Promise<unknown>): Promise<number[]> {
  const whole = [first];
  for (let logs = first; whole.length < 6; whole.push(logs)) {
    await fill(logs);
    logs += nodes;
    await backup();
    if (partial().length > 0) break;
  }
  expect([partial().length, pinned().length]).toEqual([1, 1]);
  return whole;
}

const partial = () => readdirSync(at("backups")).filter((name) => name.endsWith(".partial"));
const pinned = () => readdirSync(at("data")).filter((name) => name.startsWith("pinned-"));

async function count(data: string): Promise<unknown> {
  const server = await started(folder.path, "--data", data);
  const { data: found } = (await ask(server.url, "{ aggregateLog { count nMax } }")) as { readonly data: { readonly aggregateLog: unknown } };
  server.child.kill("SIGINT");
  await server.ended;
  return found.aggregateLog;
}

/** The backups that are listed verify, and each holds what it held. */
async function backupsAre(...expected: readonly number[]): Promise<void> {
  const named = expected.length === 1 ? "1 backup" : `${expected.length} backups`;
  expect(await run(folder.path, "backup", "verify", "backups")).toMatchObject({ code: 0, out: `${named} in backups: no faults.\n` });
  for (const [i, logs] of expected.entries()) {
    const restored = await run(folder.path, "restore", "backups", "--number", String(i + 1), "--data", `restored-${expected.length}-${i}`);
    expect(restored).toMatchObject({ code: 0 });
    expect(await count(`restored-${expected.length}-${i}`)).toEqual({ count: logs, nMax: logs - 1 });
  }
}

const adminMutation = (url: string, query: string) => ask(new URL("/admin", url).href, query);

describe("a backup whose process is killed", () => {
  it("of a store in a folder: the backups of before are whole, and the next one removes what was left", async () => {
    expect(await run(folder.path, "backup", "backups", "--data", "data")).toMatchObject({ code: 0 });
    const whole = await killedAmidNext(nodes, () => killedAmidBackup(quern(folder.path, "backup", "backups", "--data", "data").child));
    await backupsAre(...whole);
    expect(await run(folder.path, "backup", "backups", "--data", "data")).toMatchObject({
      code: 0,
      out: expect.stringContaining(`number ${whole.length + 1}, incremental`),
    });
    expect([partial(), pinned()]).toEqual([[], []]);
    await backupsAre(...whole, (whole.length + 1) * nodes);
  });

  it("of a running server: the server finishes what the command asked for", async () => {
    const server = await started(folder.path, "--data", "data");
    const { child, ended } = quern(folder.path, "backup", "backups", "--url", new URL(server.url).origin);
    expect(await killedAmidBackup(child)).toBe(true);
    await ended;
    while (partial().length > 0) await sleep(20);
    expect(await run(folder.path, "backup", "list", "backups")).toMatchObject({ code: 0, out: expect.stringMatching(/ number 1, full, /) });
    server.child.kill("SIGINT");
    await server.ended;
    await backupsAre(nodes);
  });

  it("and is the server: the command says so, and the next backup removes what was left", async () => {
    expect(await run(folder.path, "backup", "backups", "--data", "data")).toMatchObject({ code: 0 });
    const whole = await killedAmidNext(nodes, async () => {
      const server = await started(folder.path, "--data", "data");
      const asking = quern(folder.path, "backup", "backups", "--url", new URL(server.url).origin);
      await killedAmidBackup(server.child);
      const { code, err } = await asking.ended;
      if (partial().length === 0) return;
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringMatching(/No server answers at http|The connection to http\S+ ended before the server answered/),
      });
    });
    await backupsAre(...whole);
    const next = await started(folder.path, "--data", "data");
    expect(await run(folder.path, "backup", "backups", "--url", new URL(next.url).origin)).toMatchObject({ code: 0 });
    expect([partial(), pinned()]).toEqual([[], []]);
    next.child.kill("SIGINT");
    await next.ended;
    await backupsAre(...whole, (whole.length + 1) * nodes);
  });
});

describe("an export of a server that is killed", () => {
  const exporting = (url: string) => adminMutation(url, 'mutation { export(input: { format: "json", destination: "exports" }) { taskId } }');
  const taskOf = (url: string, id: string) => adminMutation(url, `{ task(input: { id: "${id}" }) { kind status message } }`);

  interface Started {
    readonly data: { readonly export: { readonly taskId: string } };
  }

  it("goes on when it is asked for again; the task of before is unknown to the new server, which says so", async () => {
    // The first point at which it can go on lies behind 16 million characters: 12 MB of the compressed file.
    const all = 3 * nodes;
    await fill(nodes, all - nodes);
    const server = await started(folder.path, "--data", "data", "--admin-open");
    const { data } = (await exporting(server.url)) as Started;
    expect(await killedWhileItWrites(server.child, at("exports"), 16 << 20)).toBe(true);
    expect(readdirSync(at("exports"))).toEqual([expect.stringMatching(/^\.dgraph\.r.*\.partial$/)]);

    const next = await started(folder.path, "--data", "data", "--admin-open");
    expect(await taskOf(next.url, data.export.taskId)).toMatchObject({
      errors: [{ message: expect.stringContaining("this server knows no such task: it was not asked for here, or before the last start") }],
    });
    const again = (await exporting(next.url)) as Started;
    for (let state = ""; !state.includes("Success"); await sleep(20)) {
      state = JSON.stringify(await taskOf(next.url, again.data.export.taskId));
      expect(state).not.toContain("Failed");
    }
    const [name = ""] = readdirSync(at("exports"));
    expect(readdirSync(at("exports"))).toEqual([expect.stringMatching(/^dgraph\.r\d+\.u\d{4}\.\d{4}$/)]);
    next.child.kill("SIGINT");
    const { err, out } = await next.ended;
    expect(err + out).toMatch(/The export goes on behind the \d+ nodes that an interrupted one wrote\./);
    expect(await run(folder.path, "import", "--from-dgraph", join("exports", name), "--data", "again")).toMatchObject({ code: 0 });
    expect(await count("again")).toEqual({ count: all, nMax: all - 1 });
  });
});
