// `/admin/requests/log`: requests one by one while an administrator looks.

import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { RequestLog } from "../../../adapters/server/parts/request-log.ts";
import type { EndedOperation, KernelObserver } from "../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await temporaryKernel({ admin: { token: "desk" }, log: { level: "silent" } });
  const { remove } = stack;
  onTestFinished(() => remove());
  await stack.kernel.deploy("type Weir { name: String! @id }");
});

async function log(parameters = ""): Promise<readonly Record<string, unknown>[]> {
  const headers = { "x-service-authtoken": "desk" };
  const { body } = await stack.kernel.http({ method: "GET", url: `/admin/requests/log?${parameters}`, headers, body: new Uint8Array() });
  return JSON.parse(String(body)).data.requests;
}

const add = 'mutation Add { addWeir(input: [{ name: "secret upper" }]) { numUids } }';

it("holds what ended since it was first read, the newest first, with caller, steps and plan and without values", async () => {
  const caller = { kind: "key", name: "mobile" } as const;
  await stack.kernel.execute({ query: "query Before { queryWeir { name } }" });
  expect(await log()).toEqual([]);
  await stack.kernel.execute({ query: add, caller });
  await stack.kernel.execute({ query: "query Wrong { queryWare { name } }", headers: { authorization: "Bearer hidden" } });
  const [wrong, added, ...others] = await log();
  expect(others).toEqual([]);
  expect(added).toMatchObject({ number: 1, kind: "mutation", name: "Add", outcome: "ok", caller: "key mobile" });
  expect(added?.plan).toContain("addWeir");
  expect(wrong).toMatchObject({ number: 2, outcome: "refused", document: "query Wrong { queryWare { name } }" });
  expect(JSON.stringify([added, wrong])).not.toMatch(/secret|hidden/);
  const { waitedMs, preparedMs, ranMs } = Object(added?.steps);
  expect(Math.abs(waitedMs + preparedMs + ranMs - Number(added?.durationMs))).toBeLessThan(1);
  expect(Object(wrong?.steps).ranMs).toBe(0);
});

it("leaves what kind, operation, caller, duration, failure and number say", async () => {
  await log();
  await stack.kernel.execute({ query: add, caller: { kind: "address", name: "192.0.2.7" } });
  await stack.kernel.execute({ query: add, caller: { kind: "key", name: "mobile" } });
  await stack.kernel.execute({ query: "query Read { queryWeir { name } }" });
  const numbers = async (parameters: string) => (await log(parameters)).map(({ number }) => number);
  expect(await numbers("kind=query")).toEqual([3]);
  expect(await numbers("operation=ADDWEIR")).toEqual([2, 1]);
  expect(await numbers("operation=read")).toEqual([3]);
  expect(await numbers("caller=Mobile")).toEqual([2]);
  expect(await numbers("failed=true")).toEqual([2]);
  expect(await numbers("after=1&kind=mutation")).toEqual([2]);
  expect(await numbers("atLeastMs=3600000")).toEqual([]);
  expect(await numbers("atLeastMs=nothing&after=")).toEqual([3, 2, 1]);
});

it("refuses callers who are no administrators", async () => {
  const { body } = await stack.kernel.http({ method: "GET", url: "/admin/requests/log", headers: {}, body: new Uint8Array() });
  expect(String(body)).toContain("ErrorUnauthorized");
});

/** A log whose kernel is the last observer that it was given. */
function observed() {
  const observers = new Set<KernelObserver>();
  const log = new RequestLog({
    observe: (observer) => {
      observers.add(observer);
      return () => void observers.delete(observer);
    },
  });
  const end = (of: Partial<EndedOperation>) => {
    for (const observer of observers) observer.ended?.({ ...ended, ...of });
  };
  return { log, observers, end };
}

const ended: EndedOperation = {
  requestID: "r",
  kind: "query",
  outcome: "ok",
  code: undefined,
  durationMs: 1,
  touched: 0,
  name: undefined,
  document: "{ a }",
  documentHash: "",
  prepared: undefined,
  caller: undefined,
  steps: undefined,
  plan: undefined,
};

it("listens to nothing before it is read and half a minute after, keeps a thousand requests, and answers with two hundred", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { log, observers, end } = observed();
  expect(observers.size).toBe(0);
  log.read({});
  for (let i = 0; i < 1_200; i++) end({ name: `n${i}`, prepared: ended });
  expect(log.read({}).requests).toHaveLength(200);
  expect(log.read({ operation: "n200 " }).requests.map(({ number }) => number)).toEqual([201]);
  expect(log.read({ operation: "n199 " }).requests).toEqual([]);
  vi.advanceTimersByTime(29_999);
  expect(log.read({}).last).toBe(1_200);
  vi.advanceTimersByTime(29_999);
  expect(observers.size).toBe(1);
  vi.advanceTimersByTime(1);
  expect(observers.size).toBe(0);
  expect(log.read({}).requests).toEqual([]);
});

it("prints a document once for all its runs, and at most two hundred new ones in a second", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { log, end } = observed();
  log.read({});
  for (let i = 0; i < 5; i++) end({ prepared: ended, document: `{ a${i} }` });
  expect(new Set(log.read({}).requests.map(({ document }) => document))).toEqual(new Set(["{ a0 }"]));
  for (let i = 0; i < 250; i++) end({ document: `{ b${i} }` });
  expect(log.read({ operation: "not kept" }).requests).toHaveLength(51);
});
