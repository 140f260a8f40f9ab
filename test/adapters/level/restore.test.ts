// A backup is restored into the server that runs: all of it or nothing, wherever the process ends.

import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createServerKernel, type ServerKernel } from "../../../adapters/server/index.ts";
import { makeBackup, readManifest, restoreBackup } from "../../../adapters/transfer/index.ts";
import type { StoreReplacement } from "../../../core/storage.ts";

const schema = "type Entry @withSubscription { id: ID!  n: Int! @search }";

let folder: string;
let kernel: ServerKernel;
const backups = () => join(folder, "backups");
const data = () => join(folder, "data");

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "quern-restore-"));
  kernel = server(data());
  await kernel.open();
  await kernel.deploy(schema);
  await add(1);
  await add(2);
});
afterEach(async () => {
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
});

function server(path: string, plugins = standardPlugins()): ServerKernel {
  return createServerKernel({
    errors: "compatible",
    storage: leveldbStorage({ path }),
    plugins,
    admin: { open: "loopback" },
    log: { level: "silent" },
  });
}

interface Answer {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly message: string }[];
}

async function ask(query: string, asked = kernel): Promise<Answer> {
  const { data: found, errors } = JSON.parse((await asked.execute({ query })).body);
  return { ...(found && { data: found }), ...(errors && { errors }) };
}

async function add(n: number): Promise<void> {
  expect(await ask(`mutation { addEntry(input: [{ n: ${n} }]) { numUids } }`)).toEqual({ data: { addEntry: { numUids: 1 } } });
}

async function entries(asked = kernel): Promise<unknown> {
  const found = await ask("{ queryEntry(order: { asc: n }) { n } }", asked);
  return found.errors ?? ((found.data?.queryEntry ?? []) as readonly { readonly n: number }[]).map(({ n }) => n);
}

async function backup(): Promise<void> {
  const { storage, deployment } = kernel;
  await makeBackup({ storage, deployment, folder: backups(), full: false });
}

async function admin(query: string): Promise<Answer> {
  const response = await kernel.http({
    method: "POST",
    url: "/admin",
    headers: { "content-type": "application/json", host: "localhost" },
    body: Buffer.from(JSON.stringify({ query })),
    remoteAddress: "127.0.0.1",
  });
  return JSON.parse(Buffer.from(response.body).toString());
}

const restoreOf = (more = "") => `mutation { restore(input: { location: ${JSON.stringify(backups())} ${more} }) { code message restoreId } }`;

/** Asks for a restore, and waits for its end. */
async function restored(more = ""): Promise<unknown> {
  const { data: started } = await admin(restoreOf(more));
  expect(started?.restore).toEqual({ code: "Success", message: "Restore operation started.", restoreId: expect.any(Number) });
  const { restoreId } = (started?.restore ?? {}) as { readonly restoreId?: number };
  for (;;) {
    const { restoreStatus } = (await admin(`{ restoreStatus(restoreId: ${restoreId}) { status errors } }`)).data ?? {};
    if (JSON.stringify(restoreStatus).includes("IN_PROGRESS")) await sleep(5);
    else return restoreStatus;
  }
}

const replacedFolders = () => readdirSync(data()).filter((name) => /^(replaced|\.?incoming)-/.test(name));

describe("a restore into the running server", () => {
  it("replaces data and schema by those of the backup, and keeps the store of before", async () => {
    await backup();
    await add(3);
    await kernel.deploy(`${schema}\ntype Later { n: Int }`);
    expect(await restored()).toEqual({ status: "OK", errors: [] });
    expect(await entries()).toEqual([1, 2]);
    expect(kernel.deployment?.document).toBe(schema);
    await add(4);
    await kernel.close();
    await kernel.open();
    expect(await entries()).toEqual([1, 2, 4]);
    expect((await kernel.storage.verify()).faults).toEqual([]);

    const [before = ""] = replacedFolders();
    expect(replacedFolders()).toEqual([expect.stringMatching(/^replaced-\d{8}-\d{6}-[0-9a-f]{6}$/)]);
    cpSync(join(data(), before), join(folder, "before"), { recursive: true });
    const old = server(join(folder, "before"));
    await old.open();
    expect(await entries(old)).toEqual([1, 2, 3]);
    await old.close();
  });

  it("restores any of several backups, and keeps one store of before", async () => {
    await backup();
    await add(3);
    await backup();
    await add(4);
    expect(await restored("backupNum: 1")).toEqual({ status: "OK", errors: [] });
    expect(await entries()).toEqual([1, 2]);
    expect(await restored()).toEqual({ status: "OK", errors: [] });
    expect(await entries()).toEqual([1, 2, 3]);
    expect(replacedFolders()).toHaveLength(1);
    await backup();
    expect((await readManifest(backups())).map(({ type }) => type)).toEqual(["full", "incremental", "incremental"]);
    expect(await restored()).toEqual({ status: "OK", errors: [] });
    expect(await entries()).toEqual([1, 2, 3]);
  });

  it("gives no new node the uid that a node of before had: a client may have kept it", async () => {
    const uidOf = async (n: number) => {
      const { data: found } = await ask(`{ queryEntry(filter: { n: { eq: ${n} } }) { id } }`);
      const [entry] = (found?.queryEntry ?? []) as readonly { readonly id: string }[];
      return Number(entry?.id);
    };
    await backup();
    await add(3);
    await add(4);
    const kept = await uidOf(4);
    expect(await restored()).toEqual({ status: "OK", errors: [] });
    // Before the first write here, and once more: the restored files themselves know nothing of it.
    await kernel.close();
    await kernel.open();
    expect(await restored()).toEqual({ status: "OK", errors: [] });
    expect((await ask(`{ getEntry(id: "0x${kept.toString(16)}") { n } }`)).data).toEqual({ getEntry: null });
    await add(5);
    expect(await uidOf(5)).toBeGreaterThan(kept);
    await kernel.close();
    await kernel.open();
    await add(6);
    expect(await uidOf(6)).toBeGreaterThan(await uidOf(5));
    expect((await kernel.storage.verify()).faults).toEqual([]);
  });

  it("refuses writes and serves reads while it copies", async () => {
    const { begin, cancel } = replacement();
    begin();
    expect(await entries()).toEqual([1, 2]);
    const refused = [expect.objectContaining({ message: expect.stringContaining("the store accepts no writes until a backup is restored") })];
    expect((await ask("mutation { addEntry(input: [{ n: 9 }]) { numUids } }")).errors).toEqual(refused);
    await expect(kernel.deploy(`${schema}\ntype Later { n: Int }`)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await expect(kernel.erase({ kind: "data" })).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(() => begin()).toThrow("the store accepts no writes until a backup is restored");
    cancel();
    await add(3);
    expect(await entries()).toEqual([1, 2, 3]);
  });

  it("ends subscriptions with a reason; clients that subscribe again see the data of the backup", async () => {
    await backup();
    await add(3);
    const results: unknown[] = [];
    const live = kernel.live({ query: "subscription { queryEntry(order: { asc: n }) { n } }" });
    const reading = (async () => {
      for await (const result of live) results.push(result.data);
    })().catch(() => undefined);
    while (results.length === 0) await sleep(5);
    const status = await restored();
    await reading;
    expect(status).toEqual({ status: "OK", errors: [] });
    const again = kernel.live({ query: "subscription { queryEntry(order: { asc: n }) { n } }" });
    expect((await again.next()).value.data).toEqual({ queryEntry: [{ n: 1 }, { n: 2 }] });
    await again.return?.();
  });
});

it("answers requests with 503 while the store is closed, and not that there is no schema", async () => {
  await kernel.close();
  const body = Buffer.from('{"query":"{ queryEntry { n } }"}');
  const { status, headers } = await kernel.http({ method: "POST", url: "/graphql", headers: { "content-type": "application/json" }, body });
  expect([status, headers["retry-after"]]).toEqual([503, "1"]);
});

describe("a restore", () => {
  it("is refused when a file of the backup is damaged, and the store stays", async () => {
    await backup();
    const [made] = await readManifest(backups());
    const log = made?.files.find(({ name, bytes }) => name.endsWith(".log") && bytes > 0);
    appendFileSync(join(backups(), made?.path ?? "", log?.name ?? ""), "x");
    await add(3);
    const { data: answered, errors } = await admin(restoreOf());
    expect(answered).toEqual({ restore: { code: "Failure", message: null, restoreId: null } });
    expect(errors?.[0]?.message).toMatch(/^resolving restore failed because failed to verify backup: .*\.log has \d+ bytes, and \d+ were written$/);
    expect(await entries()).toEqual([1, 2, 3]);
    await add(4);
  });

  it("is refused when it is asked for a part", async () => {
    await backup();
    expect((await admin(restoreOf("isPartial: true, incrementalFrom: 2"))).errors?.[0]?.message).toContain("each backup is restored by itself");
  });

  it("is refused when this server lacks a plugin of its schema: it takes the store of before back", async () => {
    const other = server(join(folder, "other"), [
      ...standardPlugins(),
      { name: "loud", definitions: "directive @loud on OBJECT", model: () => undefined },
    ]);
    await other.open();
    await other.deploy("type Shout @loud { n: Int }");
    await makeBackup({ storage: other.storage, deployment: other.deployment, folder: backups(), full: false });
    await other.close();
    const status = await restored();
    expect(status).toEqual({
      status: "ERR",
      errors: [expect.stringMatching(/^The server cannot serve this backup, and serves the data of before: .*loud/)],
    });
    expect(await entries()).toEqual([1, 2]);
    await add(3);
    await kernel.close();
    await kernel.open();
    expect(await entries()).toEqual([1, 2, 3]);
    expect(replacedFolders()).toEqual([]);
  });

  it("has the status UNKNOWN when its number is unknown", async () => {
    expect((await admin("{ restoreStatus(restoreId: 7) { status errors } }")).data).toEqual({ restoreStatus: { status: "UNKNOWN", errors: [] } });
  });
});

describe("a process that ends in the middle of a restore", () => {
  const isStoreFile = (name: string) => /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|log))$/.test(name);

  /** A closed store [1, 2, 3], with the files of the backup [1, 2] in a folder inside it. */
  async function prepared(announced: boolean): Promise<{ readonly incoming: string; readonly before: string }> {
    await backup();
    await add(3);
    const { begin, announce } = replacement();
    const incoming = begin();
    const [made] = await readManifest(backups());
    if (made === undefined) throw new Error("no backup");
    await restoreBackup({ folder: backups(), backup: made, target: incoming });
    const before = announced ? await announce(incoming) : "";
    await kernel.close();
    return { incoming, before };
  }

  async function opensWith(expected: readonly number[], path: string, message: string): Promise<void> {
    const opened = server(path);
    await opened.open();
    expect(await entries(opened), message).toEqual(expected);
    expect((await opened.storage.verify()).faults, message).toEqual([]);
    await opened.close();
    expect(
      readdirSync(path).filter((name) => /^(\.?incoming-|replacement\.json)/.test(name)),
      message,
    ).toEqual([]);
    expect(readdirSync(path).filter((name) => name.startsWith("replaced-")).length, message).toBeLessThanOrEqual(1);
  }

  it("leaves the store of before, as long as files are copied", async () => {
    await prepared(false);
    mkdirSync(join(data(), ".incoming-20260101-000000-abcdef.partial"));
    await opensWith([1, 2, 3], data(), "copied");
  });

  it("leaves the store of before when somebody removes the copied files", async () => {
    const { incoming } = await prepared(true);
    rmSync(incoming, { recursive: true });
    await opensWith([1, 2, 3], data(), "removed");
  });

  it("leaves the restored store from then on, after each file that was moved", async () => {
    const { incoming, before } = await prepared(true);
    const relative = (path: string) => path.slice(data().length + 1);
    const [from, to] = [relative(incoming), relative(before)];
    const old = readdirSync(data()).filter(isStoreFile);
    const fresh = readdirSync(incoming).filter(isStoreFile);
    expect(old.length).toBeGreaterThan(2);
    expect(fresh.length).toBeGreaterThan(2);
    for (let moved = 0; moved <= old.length + fresh.length; moved++) {
      for (const step of moved === old.length ? (["out", "in"] as const) : [moved < old.length ? ("out" as const) : ("in" as const)]) {
        const path = join(folder, `crashed-${moved}-${step}`);
        cpSync(data(), path, { recursive: true });
        mkdirSync(join(path, to), { recursive: true });
        for (const name of old.slice(0, moved)) renameSync(join(path, name), join(path, to, name));
        for (const name of fresh.slice(0, Math.max(moved - old.length, 0))) renameSync(join(path, from, name), join(path, name));
        if (moved > 0) rmSync(join(path, "guard", "closed.json"), { force: true });
        writeFileSync(join(path, "replacement.json"), JSON.stringify({ from, to, step }));
        await opensWith([1, 2], path, `${moved} files moved, ${step}`);
        const kept = join(folder, `kept-${moved}-${step}`);
        renameSync(join(path, to), kept);
        await opensWith([1, 2, 3], kept, `the store of before, ${moved} files moved, ${step}`);
      }
    }
  });

  it("leaves the store of before when the replacement is undone, after each file that was moved", async () => {
    const { incoming, before } = await prepared(true);
    const relative = (path: string) => path.slice(data().length + 1);
    const [from, to] = [relative(incoming), relative(before)];
    const old = readdirSync(data()).filter(isStoreFile);
    const fresh = readdirSync(incoming).filter(isStoreFile);
    const states = [
      ...old.map((_, moved) => ({ out: moved, in: 0, step: "out" })),
      ...[0, ...fresh.keys()].map((moved) => ({ out: old.length, in: moved, step: moved === 0 ? "out" : "in" })),
    ];
    for (const { out, in: came, step } of states) {
      const path = join(folder, `undone-${out}-${came}`);
      cpSync(data(), path, { recursive: true });
      if (out > 0) mkdirSync(join(path, to), { recursive: true });
      for (const name of old.slice(0, out)) renameSync(join(path, name), join(path, to, name));
      for (const name of fresh.slice(0, came)) renameSync(join(path, from, name), join(path, name));
      rmSync(join(path, "guard", "closed.json"), { force: true });
      writeFileSync(join(path, "replacement.json"), JSON.stringify({ from, to, step }));
      const stopped = leveldbStorage({ path });
      await stopped.replacement?.announce(join(path, to));
      await opensWith([1, 2, 3], path, `${out} files out, ${came} in`);
    }
  });

  it("refuses another replacement while the files of one are moved", async () => {
    const { incoming } = await prepared(true);
    const stopped = leveldbStorage({ path: data() });
    await expect(stopped.replacement?.announce(incoming)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: "the files of the store are being replaced already",
    });
    await opensWith([1, 2], data(), "the first one");
  });

  it("does not let checks take the files of both stores for damage", async () => {
    const { before } = await prepared(true);
    mkdirSync(before);
    renameSync(join(data(), "CURRENT"), join(before, "CURRENT"));
    const looked = leveldbStorage({ path: data() });
    expect((await looked.verifyFiles?.())?.faults).toEqual([]);
    expect(existsSync(join(before, "CURRENT"))).toBe(true);
    expect(readFileSync(join(data(), "replacement.json"), "utf8")).toContain('"step":"out"');
    await opensWith([1, 2], data(), "after the check");
  });
});

function replacement(): StoreReplacement {
  const { replacement: found } = kernel.storage;
  if (found === undefined) throw new Error("the storage cannot replace its files");
  return found;
}

it("a store whose note of the least uid is damaged does not open, and opens when it is mended", async () => {
  await kernel.close();
  for (const damaged of ["", "null", "0", "-5", "1.5", "9007199254740992", "seven"]) {
    writeFileSync(join(data(), "least-uid.json"), damaged);
    await expect(kernel.open(), damaged).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      message: expect.stringContaining("least-uid.json does not hold the least uid for new nodes"),
    });
  }
  writeFileSync(join(data(), "least-uid.json"), "4096");
  await kernel.open();
  const { body } = await kernel.execute({ query: "mutation { addEntry(input: [{ n: 3 }]) { entry { id } } }", as: "system" });
  expect(JSON.parse(body).data).toEqual({ addEntry: { entry: [{ id: "0x1000" }] } });
});
