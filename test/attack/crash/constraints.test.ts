// Transactions over increments, versions, composite keys and cascades, killed at random moments: each took place whole or not at all, and those
// that were acknowledged did.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createKernel } from "../../../core/index.ts";
import { settle } from "../../plugins/constraints/bank.ts";
import { builtProgram } from "../../support/built-program.ts";

const program = new URL("constraints-program.ts", import.meta.url);
const rounds = 8 * Number(process.env.QUERN_CRASH_ROUNDS ?? 1);

it(`keeps each transaction whole, ${rounds} times on one store`, async () => {
  const path = mkdtempSync(join(tmpdir(), "quern-constraints-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const said = { paid: new Set<number>(), made: new Set<number>(), broken: new Set<number>() };
  let next = 0;
  for (let round = 0; round < rounds; round++) {
    const child = spawn(process.execPath, [builtProgram(program), path, String(next)], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    let left = 3 + ((round * 7) % 40);
    for await (const line of createInterface({ input: child.stdout })) {
      const [word = "", number = "0"] = line.split(" ");
      if (word === "try") next = Math.max(next, Number(number) + 1);
      if (word === "paid" || word === "made" || word === "broken") {
        said[word].add(Number(number));
        // Somewhere in what the four writers do next.
        if (--left === 0) setTimeout(() => child.kill("SIGKILL"), round % 6);
      }
    }
    assert.deepEqual(await ended, [null, "SIGKILL"]);
    const kernel = createKernel({ storage: leveldbStorage({ path }), plugins: standardPlugins(), log: { level: "silent" } });
    await kernel.open();
    expect((await kernel.storage.verify()).faults).toEqual([]);
    const { numbers, rounds: rings } = await settle(async (query) => JSON.parse((await kernel.execute({ query })).body).data);
    await kernel.close();
    for (const number of said.paid) expect(numbers, `transfer ${number} was acknowledged`).toContain(number);
    for (const number of said.broken) expect(rings.has(number), `ring ${number} was deleted`).toBe(false);
    for (const number of said.made) if (number % 10 !== 0) expect(rings.has(number), `ring ${number} was made`).toBe(true);
  }
  expect(said.paid.size).toBeGreaterThan(rounds);
}, 600_000);
