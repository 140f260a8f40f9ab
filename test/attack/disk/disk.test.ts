// A disk that is full, and one that can only be read: clear errors, reads go on, nothing acknowledged is lost, and service resumes by
// itself when there is room. On a small file system in memory, for which one must be root.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createKernel, type Kernel, QuernError } from "../../../core/index.ts";
import { ReadersHere } from "../../support/readers-here.ts";

const canMount = mayMount();

function mount(...args: readonly string[]): { readonly ok: boolean; readonly reason: string } {
  const { status, stderr, error } = spawnSync("mount", args, { encoding: "utf8" });
  return { ok: status === 0, reason: error?.message ?? stderr?.trim() ?? "" };
}

function mayMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), "quern-mount-"));
  const { ok, reason } = mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", path);
  if (ok) spawnSync("umount", [path]);
  else console.log(`THE DISK TESTS ARE LEFT OUT: no file system can be mounted here (${reason})`);
  rmSync(path, { recursive: true, force: true });
  return ok;
}

const schema = "type Note { number: Int! @id  text: String  group: Int }";
const indexed = "type Note { number: Int! @id  text: String @search(by: [trigram])  group: Int @search }";

interface Answer {
  readonly data?: Record<string, unknown>;
  readonly errors?: readonly { readonly message: string }[];
}

describe.skipIf(!canMount)("a disk", () => {
  let disk: string;
  let data: string;
  let ballast: string;
  let kernel: Kernel;
  beforeEach(async () => {
    disk = mkdtempSync(join(tmpdir(), "quern-disk-"));
    const { ok, reason } = mount("-t", "tmpfs", "-o", "size=64m", "tmpfs", disk);
    if (!ok) throw new Error(reason);
    data = join(disk, "data");
    ballast = join(disk, "ballast");
    kernel = create();
    await kernel.open();
    await kernel.deploy(schema);
  });
  afterEach(async () => {
    await kernel.close();
    spawnSync("umount", ["-l", disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  const create = () => createKernel({ storage: leveldbStorage({ path: data }), plugins: standardPlugins(), log: { level: "silent" } });

  async function ask(query: string): Promise<Answer> {
    return JSON.parse((await kernel.execute({ query })).body);
  }

  /** 100 KB that no compression shrinks. */
  const add = (number: number) =>
    ask(`mutation { addNote(input: [{number: ${number}, group: 1, text: "${randomBytes(75_000).toString("base64")}"}]) { numUids } }`);
  const count = async (): Promise<number> => {
    const { data: answer } = await ask("{ aggregateNote { count } }");
    return (answer as { aggregateNote: { count: number } }).aggregateNote.count;
  };

  /** Adds notes until one is refused; gives the number of those that were not. */
  async function fill(): Promise<{ readonly acknowledged: number; readonly message: string }> {
    for (let number = 1; number < 10_000; number++) {
      const { errors } = await add(number);
      if (errors) return { acknowledged: number - 1, message: errors[0]?.message ?? "" };
    }
    throw new Error("the disk does not fill");
  }

  async function untilItWorks(work: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + 60_000;
    while (!(await work())) {
      if (performance.now() > end) throw new Error("service does not resume");
      await sleep(200);
    }
  }

  it("that is full refuses writes with a readable error, answers reads, and accepts writes again when there is space", async () => {
    writeFileSync(ballast, Buffer.alloc(24 << 20));
    const { acknowledged, message } = await fill();
    expect(message).toMatch(/writing to the store failed: the disk is full; whether the commit is kept shows/);
    expect(message).not.toContain(disk);
    const before = await count();
    expect([acknowledged, acknowledged + 1]).toContain(before);
    for (let i = 0; i < 3; i++) {
      expect((await add(100_000 + i)).errors?.[0]?.message).toMatch(/the disk is full; it takes writes again when/);
      expect(await ask(`{ getNote(number: ${acknowledged}) { number } }`)).toMatchObject({ data: { getNote: { number: acknowledged } } });
      expect(await count()).toBe(before);
    }
    const refused = kernel.storage.transact((transaction) => transaction.setMeta("a", 1), { version: kernel.deployment?.version ?? 0 });
    await expect(refused).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await expect(kernel.deploy(indexed)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });

    rmSync(ballast);
    let readsWhileItResumed = 0;
    let resumed = false;
    const reading = (async () => {
      while (!resumed) {
        expect(await count()).toBeGreaterThanOrEqual(acknowledged);
        readsWhileItResumed++;
        // Answers that are ready come at once and would let nothing else run.
        await sleep(1);
      }
    })();
    await untilItWorks(async () => (await add(200_000)).errors === undefined);
    resumed = true;
    await reading;
    expect(readsWhileItResumed).toBeGreaterThan(0);
    expect([acknowledged + 1, acknowledged + 2]).toContain(await count());
    for (const number of [1, acknowledged, 200_000])
      expect(await ask(`{ getNote(number: ${number}) { number } }`)).toMatchObject({ data: { getNote: { number } } });
    expect((await kernel.storage.verify()).faults).toEqual([]);
  }, 240_000);

  it("that is full stops no read worker: it answers meanwhile, and sees what is written when there is space", async () => {
    await kernel.close();
    const plugins = standardPlugins();
    const readWorkers = new ReadersHere(plugins);
    kernel = createKernel({ storage: leveldbStorage({ path: data }), plugins, readWorkers, log: { level: "silent" } });
    await kernel.open();
    writeFileSync(ballast, Buffer.alloc(24 << 20));
    const { acknowledged } = await fill();
    const answeredBefore = readWorkers.answered;
    for (let i = 0; i < 3; i++) {
      expect((await add(100_000 + i)).errors).toHaveLength(1);
      expect(await ask(`{ getNote(number: ${acknowledged}) { number } }`)).toMatchObject({ data: { getNote: { number: acknowledged } } });
      expect([acknowledged, acknowledged + 1]).toContain(await count());
    }
    expect(readWorkers.answered).toBe(answeredBefore + 6);

    rmSync(ballast);
    await untilItWorks(async () => (await add(200_000)).errors === undefined);
    const resumed = readWorkers.answered;
    expect(await ask("{ getNote(number: 200000) { number group } }")).toMatchObject({ data: { getNote: { number: 200_000, group: 1 } } });
    expect([acknowledged + 1, acknowledged + 2]).toContain(await count());
    expect(readWorkers.answered).toBe(resumed + 2);
  }, 240_000);

  it("that fills during an index build keeps the old schema, and a repeated deploy succeeds when there is space", async () => {
    for (let number = 1; number <= 2; number++) expect((await add(number)).errors).toBeUndefined();
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - (1 << 19)));
    const refusal = await kernel.deploy(indexed).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(refusal).toBeInstanceOf(QuernError);
    expect(["OUTCOME_UNKNOWN", "STORE_UNAVAILABLE"]).toContain((refusal as QuernError).code);
    expect(kernel.deployment?.document).toBe(schema);
    expect(await count()).toBe(2);
    rmSync(ballast);
    await untilItWorks(async () =>
      kernel.deploy(indexed).then(
        () => true,
        () => false,
      ),
    );
    expect(await ask("{ aggregateNote(filter: {group: {eq: 1}}) { count } }")).toMatchObject({ data: { aggregateNote: { count: 2 } } });
    expect((await kernel.storage.verify()).faults).toEqual([]);
  }, 240_000);

  it("that is read-only is refused at start with one sentence, and serves when it is writable again", async () => {
    for (let number = 1; number <= 3; number++) await add(number);
    await kernel.close();
    expect(mount("-o", "remount,ro", disk)).toMatchObject({ ok: true });
    kernel = create();
    const refusal = await kernel.open().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(refusal).toMatchObject({ code: "STORE_UNAVAILABLE", message: `the data folder ${data} cannot be opened: it can only be read` });
    mount("-o", "remount,rw", disk);
    kernel = create();
    await kernel.open();
    expect(await count()).toBe(3);
  });
});
