// The budget that several kernels of one process share.

import { describe, expect, it } from "vitest";
import { defaultLimits } from "../../core/ground/limits.ts";
import { Admission } from "../../core/request/budget/admission.ts";
import { longWorkWithin } from "../../core/request/budget/long-work.ts";
import { processBudget } from "../../core/request/budget/process-budget.ts";

const limits = { ...defaultLimits, maxConcurrentRequests: 1, maxWaitingRequests: 3, maxLongRequests: 1, maxUnsentBytes: 100 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("kernels that share a budget", () => {
  it("run as many requests together as one may, and those that wait take turns, one kernel after the other", async () => {
    const { requests } = processBudget(limits);
    const [one, other] = [new Admission(limits, requests), new Admission(limits, requests)];
    const begun: string[] = [];
    expect(one.enter()).toBe(true);
    expect(other.enter()).toBe(false);
    for (const name of ["one 1", "one 2", "one 3"]) void one.wait("a").then(() => begun.push(name));
    void other.wait("b").then(() => begun.push("other 1"));
    expect([one.running, other.running, one.waiting, other.waiting]).toEqual([1, 0, 3, 1]);
    one.leave();
    await turn();
    one.leave();
    await turn();
    expect(begun).toEqual(["one 1", "other 1"]);
    other.leave();
    await other.idle();
    await turn();
    expect(begun).toEqual(["one 1", "other 1", "one 2"]);
    one.leave();
    await turn();
    one.leave();
    await one.idle();
    expect([requests.count, begun.length]).toEqual([0, 4]);
  });

  it("refuse a request for which a room is full, while the room of another one is not", async () => {
    const { requests } = processBudget(limits);
    const [one, other] = [new Admission(limits, requests), new Admission(limits, requests)];
    one.enter();
    const waiting = ["a", "a", "a"].map((caller) => one.wait(caller));
    await expect(one.wait("a")).rejects.toThrow("As many requests run as may");
    waiting.push(other.wait("b"));
    expect([one.waiting, other.waiting]).toEqual([3, 1]);
    for (let left = waiting.length; left >= 0; left--) {
      (one.running > 0 ? one : other).leave();
      await turn();
    }
    await Promise.all(waiting);
    expect(requests.count).toBe(0);
  });

  it("do long work one after the other, and none while clients have not taken what any of them has answered", async () => {
    const { longWork, unsent } = processBudget(limits);
    const [one, other] = [longWorkWithin(limits, longWork), longWorkWithin(limits, longWork)];
    const request = { caller: "", deadline: performance.now() + 60_000, tooLate: () => new Error("too late") as never, onGone: () => {} };
    expect([one.enterAtOnce(), other.enterAtOnce()]).toEqual([true, false]);
    let hasBegun = false;
    const entered = other.enter(request).then(() => (hasBegun = true));
    const held = unsent.open(() => {});
    held.update(60);
    one.leave();
    await turn();
    expect(hasBegun).toBe(false);
    held.update(0);
    await entered;
    expect([one.running, other.running, longWork.running]).toEqual([0, 1, 1]);
    other.leave();
    expect(longWork.running).toBe(0);
  });
});
