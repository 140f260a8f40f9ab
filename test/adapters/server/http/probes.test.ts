// The probes of orchestrators.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasRoom, liveEndpoint, readyEndpoint } from "../../../../adapters/server/health/probes.ts";
import type { StoreTrouble } from "../../../../core/storage.ts";
import { temporaryKernel } from "../../../support/kernel.ts";
import { ask, json } from "./ask.ts";

async function kernel() {
  const stack = await temporaryKernel({});
  onTestFinished(() => stack.remove());
  return stack.kernel;
}

describe("probes", () => {
  it("answer anybody before the first deploy", async () => {
    const stack = await kernel();
    for (const [path, status] of [
      ["/health/live", "live"],
      ["/health/ready", "ready"],
    ] as const) {
      const answer = await ask(stack, { method: "GET", path, from: "203.0.113.7" });
      expect([answer.status, json(answer)]).toEqual([200, { status }]);
    }
  });

  it("are unready while the server drains, and live all the time", async () => {
    const stack = await kernel();
    stack.setDraining(true);
    const answer = await ask(stack, { method: "GET", path: "/health/ready" });
    expect([answer.status, json(answer)]).toEqual([503, { status: "unready", reasons: ["the server is draining"] }]);
    expect((await ask(stack, { method: "GET", path: "/health/live" })).status).toBe(200);
    stack.setDraining(false);
    expect((await ask(stack, { method: "GET", path: "/health/ready?now" })).status).toBe(200);
  });

  it("are unready when the store is closed", async () => {
    const stack = await kernel();
    await stack.close();
    const answer = await ask(stack, { method: "GET", path: "/health/ready" });
    expect(answer.status).toBe(503);
    expect(json(answer)).toMatchObject({ reasons: expect.arrayContaining(["the store is not open"]) });
  });

  const get = { method: "GET" };
  const kinds: readonly (readonly [StoreTrouble["kind"], string, number])[] = [
    ["lost", "the store is not open: the disk is full", 503],
    ["damaged", "the store neither reads nor writes: the disk is full", 503],
    ["read-only", "the store takes no writes: the disk is full", 200],
    ["unreachable", "the database does not answer: the disk is full", 200],
  ];

  it.each(kinds)(
    "with a store that is %s are unready at once, and after a minute fail where a new process may do better",
    async (kind, reason, later) => {
      const stack = await kernel();
      const { storage } = stack;
      const since = performance.now();
      const seen = (agoMs: number) => ({
        kernel: { ready: true, draining: false, storage, trouble: { kind, reason: "the disk is full", since: since - agoMs } },
      });
      const ready = await readyEndpoint(seen(0), get);
      expect([ready.status, json(ready)]).toEqual([503, { status: "unready", reasons: [reason] }]);
      expect(liveEndpoint(seen(0), get).status).toBe(200);
      const live = liveEndpoint(seen(60_001), get);
      expect([live.status, json(live)]).toEqual([later, later === 200 ? { status: "live" } : { status: "failed", reasons: [reason] }]);
    },
  );

  it("refuse other methods, and say nothing of other paths below /health", async () => {
    const stack = await kernel();
    for (const path of ["/health/live", "/health/ready"]) expect((await ask(stack, { method: "POST", path })).status).toBe(405);
    for (const path of ["/health/", "/health/readyz", "/health/ready/"]) expect((await ask(stack, { method: "GET", path })).status).toBe(404);
  });

  it("compare the free room of the store's disk; a store without files always has room, a lost folder never", async () => {
    const folder = mkdtempSync(join(tmpdir(), "quern-probe-"));
    expect(await hasRoom(folder, 1)).toBe(true);
    expect(await hasRoom(folder, Number.MAX_SAFE_INTEGER)).toBe(false);
    expect(await hasRoom(undefined, Number.MAX_SAFE_INTEGER)).toBe(true);
    rmSync(folder, { recursive: true });
    expect(await hasRoom(folder, 1)).toBe(false);
  });
});
