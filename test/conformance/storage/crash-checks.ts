// Processes killed while they write and deploy: what was acknowledged is there, nothing is there in part.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Storage } from "../../../core/storage.ts";
import { after, before, deployedOver, parts } from "./crash-program.ts";
import { Bench, type CheckOf, type CrashPlace, whileOpen } from "./kit.ts";

const rounds = 3;

/** Starts the program, hands each line to `hear`, and kills it as soon as that says so. */
async function killed(
  { command: [file, ...args] }: CrashPlace,
  work: readonly [string, number],
  hear: (line: string) => boolean | Promise<boolean>,
): Promise<void> {
  const child = spawn(file, [...args, ...work.map(String)], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) if (await hear(line)) child.kill("SIGKILL");
  const [code, signal] = await ended;
  assert.deepEqual([code, signal], [null, "SIGKILL"], "the program must go on until it is killed, and must be the process that `command` starts");
}

/** While another process has the place open. */
async function opensBeside(storage: Storage): Promise<void> {
  if (!storage.supports.shared) return await assert.rejects(storage.open(), { code: "STORE_LOCKED" }, "another process has the place open");
  await whileOpen(storage, async () => assert.equal((await storage.deployed())?.document, "before"));
}

export const crashChecks: readonly CheckOf<CrashPlace>[] = [
  {
    id: "crash.acknowledged",
    level: "MUST",
    title: "after kills of the writing process every acknowledged transaction is stored as a whole, and no uid is given twice",
    why: "A client that got its answer has thrown its own copy away.",
    async run(place) {
      const acknowledged = new Set<number>();
      for (let round = 1; round <= rounds; round++) {
        const wanted = acknowledged.size + 5 + ((round * 13) % 20);
        await killed(place, ["write", round * 1_000_000], (line) => acknowledged.add(Number(line)).size >= wanted);
        const storage = place.storage();
        await whileOpen(storage, async () => {
          const bench = new Bench(storage);
          await bench.deploy(before, "before");
          assert.deepEqual((await storage.verify()).faults, [], `kill ${round}: the store contradicts itself`);
          const { uids, columns } = await bench.read((snapshot) => snapshot.find({ types: ["Boat"], fields: ["Boat.number"] }));
          const there = new Map<unknown, number>();
          for (const number of columns[0] ?? []) there.set(number, (there.get(number) ?? 0) + 1);
          for (const number of acknowledged) assert.ok(there.has(number), `kill ${round}: transaction ${number} was acknowledged and is lost`);
          for (const [number, count] of there) assert.equal(count, parts, `kill ${round}: transaction ${number} is there in part`);
          const [fresh = 0] = await bench.write((transaction) => transaction.uids(1));
          assert.ok(fresh > (uids.at(-1) ?? 0), `kill ${round}: uid ${fresh} may be given twice`);
        });
      }
    },
  },
  {
    id: "crash.locked",
    level: "MUST",
    title:
      "opening a place that another process has open fails with STORE_LOCKED until that process is gone, however it ended; where `supports.shared` is set it succeeds",
    why: "A lock that lies in the memory of one process lets the next server write into the same files; one that outlives its process is an outage.",
    async run(place) {
      let tried = false;
      await killed(place, ["write", 1_000_000], async () => {
        if (!tried) await opensBeside(place.storage());
        tried = true;
        return true;
      });
      assert.ok(tried, "the program must say what it has written");
      const storage = place.storage();
      await whileOpen(storage, async () => assert.equal((await storage.deployed())?.document, "before"));
    },
  },
  {
    id: "crash.deploy",
    level: "MUST",
    title: "a kill in the middle of a deploy leaves the old schema in force, or the new one, whole; a repetition succeeds",
    why: "A server that cannot start after a deploy was interrupted is an outage.",
    async run(place) {
      await killed(place, ["deploy", 0], (line) => line === "building" || line === "built");
      const storage = place.storage();
      await whileOpen(storage, async () => {
        const bench = new Bench(storage);
        const deployed = await storage.deployed();
        assert.ok(deployed?.document === "before" || deployed?.document === "after", `neither schema is deployed: ${deployed?.document}`);
        await bench.deploy(deployed.document === "before" ? before : after, deployed.document);
        assert.deepEqual((await storage.verify()).faults, [], "the store contradicts itself before the repeat");
        await bench.deploy(after, "after");
        assert.deepEqual((await storage.verify()).faults, [], "the store contradicts itself after the repeat");
        const where = { kind: "compare", field: "Boat.number", op: "ge", operands: [deployedOver - 2] } as const;
        const { uids } = await bench.read((snapshot) => snapshot.find({ types: ["Boat"], where, fields: [] }));
        assert.equal(uids.length, 2, "the index that was built again must find every node");
      });
    },
  },
];
