// What storage has read for requests is counted for all of them together. Those that read on while it is too much wait as long requests.

import { describe, expect, it } from "vitest";
import { defaultLimits } from "../../core/ground/limits.ts";
import { RequestBudget } from "../../core/request/budget/budget.ts";
import { LongWork } from "../../core/request/budget/long-work.ts";

const maxKeptBytes = 1_000;

/** One request may work for long at a time. */
function requests() {
  const longWork = new LongWork({ maxRunning: 1, maxWaiting: 10, maxUnsentBytes: 1, maxKeptBytes });
  return { longWork, request: () => new RequestBudget({ limits: defaultLimits, longWork }) };
}

describe("bytes that storage keeps for requests", () => {
  it("stop nobody up to the bound", async () => {
    const { longWork, request } = requests();
    const [first, second] = [request(), request()];
    expect([first.keep(600), second.keep(400)]).toEqual([false, false]);
    await Promise.all([first.turn(), second.turn()]);
    expect([longWork.keptBytes, longWork.running, longWork.waiting]).toEqual([1_000, 0, 0]);
  });

  it("make a request a long one beyond it, whose bytes count no more", () => {
    const { longWork, request } = requests();
    expect(request().keep(maxKeptBytes + 1)).toBe(false);
    expect([longWork.keptBytes, longWork.running]).toEqual([0, 1]);
  });

  it("make the next request wait at its turn, though it has dropped its own, until the long one is answered", async () => {
    const { longWork, request } = requests();
    const [long, second] = [request(), request()];
    long.keep(maxKeptBytes + 1);
    expect(second.keep(maxKeptBytes + 1)).toBe(true);
    expect(second.keep(-maxKeptBytes - 1)).toBe(false);
    expect(longWork.keptBytes).toBe(0);
    let hasTurn = false;
    const turn = second.turn().then(() => {
      hasTurn = true;
    });
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect([hasTurn, longWork.waiting]).toEqual([false, 1]);
    long.close();
    await turn;
    expect([longWork.running, longWork.waiting]).toEqual([1, 0]);
    expect(second.keep(5 * maxKeptBytes)).toBe(false);
    second.close();
    expect(longWork.keptBytes).toBe(0);
  });

  it("count no more when their request is answered", () => {
    const { longWork, request } = requests();
    const short = request();
    short.keep(700);
    short.close();
    expect([short.keep(9_000), longWork.keptBytes]).toEqual([false, 0]);
  });
});
