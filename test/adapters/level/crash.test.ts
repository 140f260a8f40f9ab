// Processes killed while they write: what was acknowledged is there, and the store agrees with itself.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { it } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { boats, byValue, field } from "../../conformance/storage/layouts.ts";
import { builtProgram } from "../../support/built-program.ts";
import { examples } from "../../support/properties.ts";
import { crashLayout } from "./crash-layout.ts";
import { temporaryFolder } from "./folders.ts";

const rounds = examples(24);
const writer = new URL("./crash-writer.ts", import.meta.url);

/** The writer as one process, without the wrapper of a script runner, so that the signal meets it. */
function start(path: string, args: readonly number[], wrapper: readonly string[] = []): ChildProcess {
  const command = [...wrapper, process.execPath, builtProgram(writer), path, ...args.map(String)];
  return spawn(command[0] ?? "", command.slice(1), { stdio: ["ignore", "pipe", "inherit"] });
}

it(`keeps every acknowledged write through ${rounds} kills, and is clean after each`, async () => {
  const path = await temporaryFolder();
  const acknowledged = new Map<number, number>();
  for (let round = 1; round <= rounds; round++) {
    const child = start(path, [round]);
    const wanted = acknowledged.size + 5 + ((round * 13) % 40);
    for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
      const [number, uid] = line.split(" ").map(Number);
      if (number === undefined || uid === undefined || Number.isNaN(uid)) continue;
      acknowledged.set(number, uid);
      if (acknowledged.size === wanted) child.kill("SIGKILL");
    }
    const storage = leveldbStorage({ path });
    await storage.open();
    const { version } = await storage.migrate(crashLayout, "crash");
    const report = await storage.verify();
    assert.deepEqual(report.faults, [], `round ${round}`);
    const snapshot = storage.snapshot({ version });
    const found = await snapshot.find({ types: ["Boat"], fields: ["Boat.number"] });
    const there = new Map(found.uids.map((uid, i) => [found.columns[0]?.[i], uid]));
    for (const [number, uid] of acknowledged) assert.equal(there.get(number), uid, `round ${round}: ${number}`);
    snapshot.close();
    await storage.close();
  }
  assert.ok(acknowledged.size > rounds * 5);
}, 300_000);

const hasStrace = spawnSync("strace", ["-V"]).status === 0;

it("syncs once for a group of commits", async (context) => {
  if (!hasStrace) {
    console.log("strace is not here: counting syncs is left out");
    context.skip();
  }
  const path = await temporaryFolder();
  const trace = join(await temporaryFolder(), "trace");
  const child = start(path, [1, 40], ["strace", "-f", "-e", "trace=fdatasync,fsync,write", "-o", trace]);
  let commits = -1;
  for await (const _ of createInterface({ input: child.stdout ?? process.stdin })) commits++;
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  const calls = readFileSync(trace, "utf8").split("\n");
  const ready = calls.findIndex((line) => line.includes('"ready\\n"'));
  assert.ok(ready > 0, "the writer says when it begins");
  const counted = calls.slice(ready).filter((line) => /f(data)?sync(\(.*| resumed.*)= 0/.test(line)).length;
  // Four writers: a group holds one to four commits. Without group commit there would be a sync each, without syncs none.
  assert.ok(counted >= commits / 4 - 1 && counted <= commits + 3, `${counted} syncs for ${commits} commits`);
}, 300_000);

it("an interrupted deploy leaves the old one in force, and a repetition succeeds", async () => {
  const path = await temporaryFolder();
  const name = field("Boat.name", "string");
  const plain = boats({ fields: [name] });
  const indexed = boats({ fields: [name], indexes: [byValue("Boat.name", { ordered: true })], keys: ["Boat.name"] });
  const storage = leveldbStorage({ path, durability: "os-crash-may-lose-commits" });
  await storage.open();
  const { version } = await storage.migrate(plain, "1");
  await storage.transact(
    async (transaction) => {
      const uids = await transaction.uids(3_000);
      await transaction.write(uids.map((uid) => ({ kind: "create", uid, type: "Boat", fields: { "Boat.name": `n${uid}` } })));
    },
    { version },
  );
  const interrupted = storage.migrate(indexed, "2", {
    progress: ({ done }) => {
      if (done > 1_000) throw new Error("power lost");
    },
  });
  await assert.rejects(interrupted, /power lost/);
  assert.deepEqual(await storage.deployed(), { version, document: "1" });
  await storage.close();
  await storage.open();
  await storage.migrate(plain, "1");
  assert.deepEqual((await storage.verify()).faults, []);
  const { document } = await storage.migrate(indexed, "2");
  assert.equal(document, "2");
  const report = await storage.verify();
  assert.deepEqual([report.nodes, report.entries, report.faults], [3_000, 6_000, []]);
  await storage.close();
});
