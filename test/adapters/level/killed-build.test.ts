// Processes killed while a deploy builds indexes: the next one goes on, and the indexes are exact.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { it } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import type { MigrationStep } from "../../../core/storage.ts";
import { builtProgram } from "../../support/built-program.ts";
import { indexedBoats, plainBoats } from "./build-layout.ts";
import { temporaryFolder } from "./folders.ts";

const boats = 20_000;
const program = new URL("./build-program.ts", import.meta.url);

/** Runs a deploy, and kills its process after so many steps. @returns its steps */
async function build(path: string, steps: number): Promise<readonly MigrationStep[]> {
  const child = spawn(process.execPath, [builtProgram(program), path, "30000"], { stdio: ["ignore", "pipe", "inherit"] });
  const seen: MigrationStep[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.endsWith("}")) seen.push(JSON.parse(line));
    if (seen.length === steps) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  assert.ok(child.signalCode === "SIGKILL" || child.exitCode === 0);
  return seen;
}

it("goes on after each of many kills, never far behind where it was", async () => {
  const path = await temporaryFolder();
  const storage = leveldbStorage({ path });
  await storage.open();
  const { version } = await storage.migrate(plainBoats, "plain");
  await storage.transact(
    async (transaction) => {
      const uids = await transaction.uids(boats);
      await transaction.write(
        uids.map((uid) => ({ kind: "create", uid, type: "Boat", fields: { "Boat.number": uid % 1_000, "Boat.name": `boat ${uid}` } })),
      );
    },
    { version },
  );
  await storage.close();

  const resumed: MigrationStep[] = [];
  let last: MigrationStep | undefined;
  let kills = 0;
  for (; ; kills++) {
    const steps = await build(path, 40);
    const [first] = steps;
    if (kills > 1 && first !== undefined && first.what.includes("resumed")) resumed.push(first);
    last = steps.at(-1);
    if (steps.length < 40) break;
    assert.ok(kills < 100);
  }
  assert.ok(resumed.length > 1 && kills > 2, `${resumed.length} of ${kills} builds went on`);
  assert.equal(last?.done, last?.total);

  await storage.open();
  await storage.migrate(indexedBoats, "indexed");
  const report = await storage.verify();
  assert.deepEqual([report.nodes, report.faults], [boats, []]);
  await storage.close();
  assert.equal(readdirSync(path).includes("build"), false);
}, 300_000);
