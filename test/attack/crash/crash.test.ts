// Processes killed at random moments while they write, deploy, compact and import: what was acknowledged is there, nothing is there in
// part, and the store agrees with itself.
//
// QUERN_TEST_EXAMPLES multiplies the rounds; QUERN_CRASH_SEED chooses other moments.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { killedWhileItWrites } from "../../support/killed-while-it-writes.ts";
import { examples } from "../../support/properties.ts";
import { type Boat, Ledger } from "./ledger.ts";

let seed = Number(process.env.QUERN_CRASH_SEED ?? 1);

function below(count: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * count);
}

/** The built file of a module of the project. */
const built = (module: string) => fileURLToPath(new URL(`../../../dist/${module.replace(/\.ts$/, ".js")}`, import.meta.url));

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "quern-crash-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Opens what a dead process left, as the next start does. */
async function reopened<T>(path: string, look: (kernel: Kernel) => Promise<T>): Promise<T> {
  const kernel = createKernel({ storage: leveldbStorage({ path }), plugins: standardPlugins(), log: { level: "silent" } });
  await kernel.open();
  try {
    const { faults } = await kernel.storage.verify();
    assert.deepEqual(faults, []);
    return await look(kernel);
  } finally {
    await kernel.close();
  }
}

async function ask(kernel: Kernel, query: string): Promise<Record<string, unknown>> {
  const { data, errors } = JSON.parse((await kernel.execute({ query })).body);
  assert.equal(errors, undefined);
  return data;
}

const writer = fileURLToPath(new URL("./writer.mjs", import.meta.url));

function startWriter(data: string, mode: string, first: number): ChildProcess {
  const modules = ["adapters/server/index.ts", "adapters/level/index.ts", "adapters/cli/index.ts"].map(built);
  return spawn(process.execPath, [writer, ...modules, data, mode, String(first)], { stdio: ["ignore", "pipe", "inherit"] });
}

interface Storm {
  readonly mode: "write" | "deploy" | "compact";
  readonly rounds: number;
  /** Until it is killed, and then the time that one takes. */
  readonly maxWrites: number;
  readonly writeMs: number;
  readonly size: number;
}

/** Starts, kills and looks, again and again, on one store. */
async function storm({ mode, rounds, maxWrites, writeMs, size }: Storm): Promise<void> {
  const data = folder();
  const ledger = new Ledger();
  for (let round = 1; round <= rounds; round++) {
    const child = startWriter(data, mode, ledger.nextBatch);
    const ended = once(child, "exit");
    let writes = 1 + below(maxWrites);
    for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
      ledger.hear(line);
      // However slow the machine is, so much was acknowledged; somewhere in the next write it ends.
      if (line.startsWith("ok") && --writes === 0) setTimeout(() => child.kill("SIGKILL"), below(writeMs));
    }
    assert.deepEqual(await ended, [null, "SIGKILL"]);
    await reopened(data, async (kernel) => {
      const { queryBoat } = await ask(kernel, "{ queryBoat { batch part mark near(filter: {has: batch}, first: 1) { part batch } } }");
      ledger.check(queryBoat as Boat[], size);
    });
  }
  assert.ok(ledger.acknowledged >= rounds, `only ${ledger.acknowledged} writes were acknowledged: the children died too soon`);
}

describe("SIGKILL at a random moment", { concurrent: true }, () => {
  it(`of writes loses no acknowledged commit, ${examples(16)} times on each of two stores`, async () => {
    const rounds = { mode: "write", rounds: examples(16), maxWrites: 60, writeMs: 5, size: 3 } as const;
    await Promise.all([storm(rounds), storm(rounds)]);
  }, 600_000);
});

describe("SIGKILL at a random moment of other work", () => {
  it("of deploys that build and drop indexes, keys and edges during writes leaves a consistent store", async () => {
    await storm({ mode: "deploy", rounds: examples(10), maxWrites: 60, writeMs: 20, size: 3 });
  }, 600_000);

  it("of compaction during writes of 2 MB leaves a consistent store", async () => {
    await storm({ mode: "compact", rounds: examples(6), maxWrites: 12, writeMs: 100, size: 20 });
  }, 600_000);

  it("of the first build of an index over 20,000 nodes leaves the old schema or the new one, and a repeated deploy succeeds", async () => {
    const place = folder();
    const path = join(place, "store");
    const schema = join(place, "indexed.graphql");
    const [plain, indexed] = [
      "type Post { title: String  rank: Int }",
      "type Post { title: String @search(by: [term, trigram])  rank: Int @search }",
    ];
    await reopened(path, async (kernel) => {
      await kernel.deploy(plain);
      for (let from = 0; from < 20_000; from += 5_000) {
        const input = Array.from({ length: 5_000 }, (_, i) => `{title: "post number ${from + i}", rank: ${i}}`).join(" ");
        await ask(kernel, `mutation { addPost(input: [${input}]) { numUids } }`);
      }
    });
    writeFileSync(schema, indexed);
    for (let round = 0; round < examples(8); round++) {
      const child = spawn(process.execPath, [built("adapters/cli/main.ts"), "start", "--data", path, "--port", "0", "--schema", schema], {
        stdio: "ignore",
      });
      const ended = once(child, "exit");
      await sleep(300 + below(1_200));
      child.kill("SIGKILL");
      await ended;
      await reopened(path, async (kernel) => {
        assert.ok([plain, indexed].includes(kernel.deployment?.document ?? ""));
        const { aggregatePost } = await ask(kernel, "{ aggregatePost { count } }");
        assert.deepEqual(aggregatePost, { count: 20_000 });
        if (round % 3 === 2) await kernel.deploy(plain);
      });
    }
    await reopened(path, async (kernel) => {
      await kernel.deploy(indexed);
      const { aggregatePost } = await ask(kernel, '{ aggregatePost(filter: {title: {allofterms: "NUMBER 777"}, rank: {lt: 1000}}) { count } }');
      assert.deepEqual(aggregatePost, { count: 1 });
    });
  }, 600_000);

  it("of an import loses and duplicates no line when it continues", async () => {
    const path = folder();
    const data = join(path, "store");
    const [file, schema] = [join(path, "posts.ndjson"), join(path, "schema.graphql")];
    const count = 40_000;
    // No key: a line that is loaded twice is there twice.
    writeFileSync(schema, "type Post { number: Int  title: String @search(by: [term])  by: Author }\ntype Author { name: String! @id }");
    writeFileSync(file, Array.from({ length: count }, (_, n) => `{"number":${n},"title":"post number ${n}","by":{"name":"a${n % 100}"}}\n`).join(""));
    const args = [built("adapters/cli/main.ts"), "import", file, "--type", "Post", "--data", data, "--schema", schema];
    let kills = 0;
    for (let round = 0; ; round++) {
      assert.ok(round < 60, "the import makes no headway");
      const child = spawn(process.execPath, args, { stdio: "ignore" });
      // The rest in one go, at last.
      const grownBytes = round < 8 ? 1 + below(400_000) : Number.POSITIVE_INFINITY;
      if (!(await killedWhileItWrites(child, data, grownBytes))) {
        assert.equal(child.exitCode, 0);
        break;
      }
      kills++;
      await reopened(data, async () => undefined);
    }
    assert.ok(kills >= 3, `only ${kills} kills met the import`);
    await reopened(data, async (kernel) => {
      const { aggregatePost, queryPost } = (await ask(kernel, "{ aggregatePost { count numberSum } queryPost { number } }")) as Record<
        string,
        unknown
      >;
      assert.deepEqual(aggregatePost, { count, numberSum: (count * (count - 1)) / 2 });
      assert.equal(new Set((queryPost as { number: number }[]).map(({ number }) => number)).size, count);
    });
  }, 600_000);
});
