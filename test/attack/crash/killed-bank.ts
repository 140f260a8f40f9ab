// Transactions over increments, versions, composite keys and cascades, killed at random moments: each took place whole or not at all, and those
// that were acknowledged did.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { createKernel } from "../../../core/index.ts";
import type { Storage } from "../../../core/storage.ts";
import { settle } from "../../plugins/constraints/bank.ts";
import { builtProgram } from "../../support/built-program.ts";

const program = new URL("constraints-program.ts", import.meta.url);

export interface KilledBank {
  /** What the program needs to find the store. */
  readonly place: readonly string[];
  readonly storage: () => Storage;
  readonly rounds: number;
}

/** Kills the program once a round, on one store, and checks what it left. */
export async function keepsTransactionsWhole({ place, storage, rounds }: KilledBank): Promise<void> {
  const said = { paid: new Set<number>(), made: new Set<number>(), broken: new Set<number>() };
  let next = 0;
  for (let round = 0; round < rounds; round++) {
    const child = spawn(process.execPath, [builtProgram(program), String(next), ...place], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    let left = 12 + ((round * 7) % 40);
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
    const kernel = createKernel({ storage: storage(), plugins: standardPlugins(), log: { level: "silent" } });
    await kernel.open();
    expect((await kernel.storage.verify()).faults).toEqual([]);
    const { numbers, rounds: rings } = await settle(async (query) => JSON.parse((await kernel.execute({ query })).body).data);
    await kernel.close();
    for (const number of said.paid) expect(numbers, `transfer ${number} was acknowledged`).toContain(number);
    for (const number of said.broken) expect(rings.has(number), `ring ${number} was deleted`).toBe(false);
    for (const number of said.made) if (number % 10 !== 0) expect(rings.has(number), `ring ${number} was made`).toBe(true);
  }
  expect(said.paid.size).toBeGreaterThan(rounds);
}
