// Hostile callers beside the mixed load: the cases of the benchmark, one after the other, over the whole package graph. Each quarter of a run has each of
// them once, at the same place, so that quarters can be compared.

import type { ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { wholeGraph } from "../bench/graph.ts";
import { type Attack, attacker } from "../bench/hostile.ts";
import { cases } from "../bench/hostile-cases.ts";
import { finished, firstLine, runQuern } from "../bench/processes.ts";

const names = Object.keys(cases);

/** Definitions of the packages, which stand beside those of the mixed load. */
export function packageSchema(): string {
  return readFileSync(graph().schema, "utf8");
}

/** Loads the packages that the cases ask for into a new store. */
export async function loadPackages(data: string, folder: string): Promise<void> {
  const schema = join(folder, "packages.graphql");
  writeFileSync(schema, packageSchema());
  await finished(runQuern(["import", graph().file, "--type", "Package", "--data", data, "--schema", schema]));
}

function graph() {
  const whole = wholeGraph();
  if (whole === undefined) throw new Error("the hostile callers need the whole graph: set QUERN_GRAPH to its folder");
  return whole;
}

/** What the callers of one case met, over the whole run. */
class Met {
  readonly #outcomes = new Map<string, number>();

  add(outcome: string): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  toString(): string {
    return [...this.#outcomes].map(([outcome, times]) => (times === 1 ? outcome : `${times} times ${outcome}`)).join(" | ");
  }
}

export class HostileCallers {
  readonly #met = new Map(names.map((name) => [name, new Met()]));
  #begun: string[] = [];

  /** @param end in milliseconds of `performance.now()` */
  async attack(url: string, end: number): Promise<void> {
    const begin = performance.now();
    const eachMs = (end - begin) / 4 / names.length;
    for (let turn = 0; performance.now() < end - eachMs / 2; turn++) {
      const name = names[turn % names.length] ?? "";
      this.#begun.push(name);
      this.#met.get(name)?.add(await outcomeUntil(begin + (turn + 1) * eachMs, attacker(name, url)));
    }
  }

  /** The cases that have begun since this was last asked. */
  begun(): readonly string[] {
    const begun = this.#begun;
    this.#begun = [];
    return begun;
  }

  lines(): readonly string[] {
    return [...this.#met].map(([name, met]) => `${name}: ${met}`);
  }
}

/** Resolves at `end`, when a caller that still waits leaves. */
async function outcomeUntil(end: number, caller: ChildProcess): Promise<string> {
  const met = firstLine(caller).then(
    (line): string => (JSON.parse(line) as Attack).outcome,
    () => "left before the answer",
  );
  await sleep(Math.max(0, end - performance.now()));
  caller.kill();
  return await met;
}
