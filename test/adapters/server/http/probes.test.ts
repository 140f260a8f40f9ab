// The probes of orchestrators.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasRoom } from "../../../../adapters/server/health/probes.ts";
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
