// A restore into the running server that meets a full disk: nothing can be opened, the data of before either. The server comes back by itself.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createServerKernel, type ServerKernel } from "../../../adapters/server/index.ts";
import { makeBackup } from "../../../adapters/transfer/index.ts";
import type { LogEntry } from "../../../core/index.ts";
import { eventually } from "../../support/eventually.ts";
import { fillDisk, noMount, smallDisk } from "../../support/small-disk.ts";

const schema = "type Entry { id: ID!  n: Int! @search }";

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly json: unknown;
}

function server(path: string, entries: LogEntry[] = []): ServerKernel {
  const to = { write: (entry: LogEntry) => void entries.push(entry) };
  return createServerKernel({
    errors: "compatible",
    storage: leveldbStorage({ path }),
    plugins: standardPlugins(),
    admin: { open: "loopback" },
    log: { to },
  });
}

async function http(kernel: ServerKernel, url: string, query?: string, accept = "application/json"): Promise<Answered> {
  const { status, headers, body } = await kernel.http({
    method: query === undefined ? "GET" : "POST",
    url,
    headers: { "content-type": "application/json", host: "localhost", accept },
    body: Buffer.from(query === undefined ? "" : JSON.stringify({ query })),
    remoteAddress: "127.0.0.1",
  });
  return { status, headers, json: JSON.parse(Buffer.from(body).toString()) };
}

const add = (n: number) => `mutation { addEntry(input: [{ n: ${n} }]) { numUids } }`;
const all = "{ queryEntry(order: { asc: n }) { n } }";
const holding = (...values: readonly number[]) => ({ data: { queryEntry: values.map((n) => ({ n })) } });
const folder = () => {
  const path = mkdtempSync(join(tmpdir(), "quern-restore-full-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

it("leaves a server that says that it serves nothing, refuses requests with 503, and serves the data of before when there is room", async (context) => {
  const disk = smallDisk(48 << 20);
  if (disk === undefined) return context.skip(noMount);
  const data = join(disk, "data");
  const log: LogEntry[] = [];
  const kernel = server(data, log);
  await kernel.open();
  onTestFinished(() => kernel.close());
  await kernel.deploy(schema);
  await http(kernel, "/graphql", add(1));
  const backups = folder();
  await makeBackup({ storage: kernel.storage, deployment: kernel.deployment, folder: backups, full: false });
  await http(kernel, "/graphql", add(2));

  let free: (() => void) | undefined;
  const stopFilling = kernel.observe({
    // The copy is there and the store is closed: now somebody else fills the disk.
    opening: async () => {
      free ??= fillDisk(disk);
    },
  });
  await http(kernel, "/admin", `mutation { restore(input: { location: ${JSON.stringify(backups)} }) { code } }`);
  const status = await eventually(async () => {
    const { json } = await http(kernel, "/admin", "{ restoreStatus(restoreId: 1) { status errors } }");
    expect(json).toMatchObject({ data: { restoreStatus: { status: "ERR" } } });
    return json;
  });
  stopFilling();
  expect(status).toEqual({
    data: {
      restoreStatus: {
        status: "ERR",
        errors: [
          expect.stringMatching(
            /^The server cannot serve this backup: .*the disk is full\. Now it serves nothing, because it cannot open the data of before either: the disk is full\. As long as it runs it tries again/,
          ),
        ],
      },
    },
  });

  expect(kernel.ready).toBe(false);
  const query = await http(kernel, "/graphql", all);
  const refusal = {
    message: "The store is not open: the disk is full. It is opened again as soon as that is possible. Try again in a moment.",
    extensions: { code: "STORE_UNAVAILABLE" },
  };
  expect([query.status, query.headers["retry-after"], query.json]).toEqual([503, "1", { errors: [refusal] }]);
  expect((await http(kernel, "/graphql", add(3))).status).toBe(503);
  const stream = await http(kernel, "/graphql", "subscription { queryEntry { n } }", "text/event-stream");
  const withoutTrying = { ...refusal, message: refusal.message.replace(" Try again in a moment.", "") };
  expect([stream.status, stream.headers["retry-after"], stream.json]).toEqual([503, "1", { errors: [withoutTrying] }]);
  const upgrade = await kernel.upgrade({ method: "GET", url: "/graphql", headers: { "sec-websocket-protocol": "graphql-transport-ws" } });
  expect("status" in upgrade && [upgrade.status, upgrade.body]).toEqual([503, expect.stringContaining(withoutTrying.message)]);
  expect(JSON.parse((await kernel.execute({ query: all })).body)).toMatchObject({ errors: [{ extensions: { code: "STORE_UNAVAILABLE" } }] });
  const ready = await http(kernel, "/health/ready");
  expect([ready.status, ready.json]).toEqual([
    503,
    { status: "unready", reasons: expect.arrayContaining(["the store is not open: the disk is full"]) },
  ]);
  expect((await http(kernel, "/health/live")).status).toBe(200);
  expect((await http(kernel, "/admin/store")).status).toBe(200);
  expect(log.filter(({ event }) => event === "store").map(({ message }) => message)).toEqual([
    "the store is not open: the disk is full; it is opened again as soon as that is possible",
  ]);

  free?.();
  await eventually(() => expect(kernel.ready).toBe(true));
  expect((await http(kernel, "/graphql", all)).json).toMatchObject(holding(1, 2));
  expect((await http(kernel, "/graphql", add(3))).json).toMatchObject({ data: { addEntry: { numUids: 1 } } });
  expect((await http(kernel, "/health/ready")).json).toEqual({ status: "ready" });
  expect(kernel.trouble).toBeUndefined();
  expect((await kernel.storage.verify()).faults).toEqual([]);
  await kernel.close();
  expect(readdirSync(data).filter((name) => /^(replaced|\.?incoming)-|^replacement\.json|^write-probe/.test(name))).toEqual([]);
  await kernel.open();
  expect((await http(kernel, "/graphql", all)).json).toMatchObject(holding(1, 2, 3));
}, 120_000);

it("ends for good when the server is closed meanwhile: nothing opens the store behind its back, and a new start serves the data of before", async (context) => {
  const disk = smallDisk(48 << 20);
  if (disk === undefined) return context.skip(noMount);
  const data = join(disk, "data");
  const kernel = server(data);
  await kernel.open();
  await kernel.deploy(schema);
  await http(kernel, "/graphql", add(1));
  let openings = 0;
  let free: (() => void) | undefined;
  await expect(
    kernel.reopen(async () => {
      throw new Error("nothing can be written");
    }),
  ).resolves.toBeUndefined();
  kernel.observe({
    opening: async () => {
      openings++;
      free ??= fillDisk(disk);
    },
  });
  await expect(kernel.reopen(async () => undefined)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  await eventually(() => expect(openings).toBeGreaterThan(2));
  await kernel.close();
  expect(kernel.trouble).toBeUndefined();
  free?.();
  const other = server(data);
  await other.open();
  expect((await http(other, "/graphql", all)).json).toMatchObject(holding(1));
  await other.close();
  expect(kernel.ready).toBe(false);
}, 120_000);
