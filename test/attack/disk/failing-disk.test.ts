// A disk that fails to sync, and a process that may open no more files, under a running server: reads go on, what fails says why, and the server serves
// again by itself. The faults come from a library in front of the C library, which needs a C compiler.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../cli/quern.ts";
import { eventually } from "../../support/eventually.ts";
import { whenFileEnds } from "../../support/when-file-ends.ts";

const shim = compiled();

/** Undefined where no C compiler is. */
function compiled(): string | undefined {
  const place = mkdtempSync(join(tmpdir(), "quern-shim-"));
  whenFileEnds(() => rmSync(place, { recursive: true, force: true }));
  const library = join(place, "failing-disk.so");
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-o", library, join(import.meta.dirname, "failing-disk.c"), "-ldl"], { stdio: "pipe" });
    return library;
  } catch (reason) {
    console.log(
      `THE SPECS OF A FAILING DISK ARE LEFT OUT: they need Linux and a C compiler (${reason instanceof Error ? reason.message.split("\n")[0] : ""})`,
    );
    return undefined;
  }
}

interface Server {
  readonly url: string;
  readonly folder: string;
  fault(name: "sync" | "open"): void;
  mend(name: "sync" | "open"): void;
  log(): string;
}

async function started(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "quern-failing-"));
  const faults = join(folder, "faults");
  mkdirSync(faults);
  writeFileSync(join(folder, "schema.graphql"), "type Entry { n: Int! @id }");
  const env = { ...process.env, LD_PRELOAD: shim ?? "", QUERN_FAULTS: faults, QUERN_FAULTY: join(folder, "data/guard") };
  const child = spawn(process.execPath, [main, "start", "--port", "0", "--schema", "schema.graphql", "--admin-open"], { cwd: folder, env });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "close");
    rmSync(folder, { recursive: true, force: true });
  });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const { value: url } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  return {
    url: String(url).replace(/\/graphql$/, ""),
    folder,
    fault: (name) => writeFileSync(join(faults, name), ""),
    mend: (name) => rmSync(join(faults, name)),
    log: () => log,
  };
}

async function ask({ url }: Server, query: string, path = "/graphql") {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify({ query }) });
  const { data, errors }: { readonly data?: unknown; readonly errors?: readonly { readonly message: string }[] } = await response.json();
  return { status: response.status, data, message: errors?.[0]?.message };
}

async function probe({ url }: Server, name: "live" | "ready") {
  const response = await fetch(`${url}/health/${name}`);
  return { status: response.status, body: await response.json() };
}

const add = (n: number) => `mutation { addEntry(input: [{ n: ${n} }]) { numUids } }`;
const all = "{ queryEntry(order: { asc: n }) { n } }";
const holding = (...values: readonly number[]) => ({ status: 200, data: { queryEntry: values.map((n) => ({ n })) } });

describe.skipIf(shim === undefined)("a running server", () => {
  it("whose disk fails to sync answers reads, refuses writes with the cause, is not ready, and takes writes again when the disk works", async () => {
    const server = await started();
    expect(await ask(server, add(1))).toMatchObject({ data: { addEntry: { numUids: 1 } } });
    server.fault("sync");
    expect((await ask(server, add(2))).message).toMatch(/writing to the store failed: input\/output error; whether the commit is kept shows/);
    for (let i = 3; i < 6; i++) {
      expect((await ask(server, add(i))).message).toMatch(/writing to the store failed: input\/output error; it takes writes again when/);
      const { status, data } = await ask(server, all);
      expect([status, JSON.stringify(data)]).toEqual([200, expect.stringContaining('{"n":1}')]);
      expect(await probe(server, "ready")).toEqual({
        status: 503,
        body: { status: "unready", reasons: ["the store takes no writes: input/output error"] },
      });
      expect((await probe(server, "live")).status).toBe(200);
    }
    expect(server.log()).toContain("the store takes no writes: input/output error");
    server.mend("sync");
    await eventually(async () => expect(await probe(server, "ready")).toEqual({ status: 200, body: { status: "ready" } }));
    expect(server.log()).toContain("the store reads and writes again");
    expect(await ask(server, add(9))).toMatchObject({ data: { addEntry: { numUids: 1 } } });
    const { data } = await ask(server, all);
    expect([holding(1, 9).data, holding(1, 2, 9).data]).toContainEqual(data);
  }, 120_000);

  it("that may open no more files in the middle of a restore serves nothing, says so, and serves the data of before when it may", async () => {
    const server = await started();
    const backups = join(server.folder, "backups");
    await ask(server, add(1));
    const backup = await ask(server, `mutation { backup(input: { destination: ${JSON.stringify(backups)} }) { response { code } } }`, "/admin");
    expect(backup.message).toBeUndefined();
    const tasks = async () => JSON.stringify(await (await fetch(`${server.url}/admin/store`)).json());
    await eventually(async () => expect(await tasks()).toContain('"kind":"Backup","status":"Success"'));
    await ask(server, add(2));
    // The backup is copied. Then the folder of the locks is what does not open, again and again.
    server.fault("open");
    await ask(server, `mutation { restore(input: { location: ${JSON.stringify(backups)} }) { code } }`, "/admin");
    await eventually(async () => expect(await tasks()).toContain('"kind":"Restore","status":"Failed"'));
    expect(await tasks()).toContain("Now it serves nothing, because it cannot open the data of before either: too many open files.");
    const lost = "The store is not open: too many open files. It is opened again as soon as that is possible. Try again in a moment.";
    expect(await ask(server, all)).toEqual({ status: 503, data: undefined, message: lost });
    expect(await ask(server, add(3))).toEqual({ status: 503, data: undefined, message: lost });
    expect((await probe(server, "ready")).body).toEqual({ status: "unready", reasons: ["the store is not open: too many open files"] });
    server.mend("open");
    await eventually(async () => expect(await probe(server, "ready")).toEqual({ status: 200, body: { status: "ready" } }));
    expect(await ask(server, all)).toMatchObject(holding(1, 2));
    expect(await ask(server, add(3))).toMatchObject({ data: { addEntry: { numUids: 1 } } });
    expect(await ask(server, all)).toMatchObject(holding(1, 2, 3));
  }, 120_000);
});
