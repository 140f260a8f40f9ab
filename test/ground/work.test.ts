// Work that may have to wait: what is there at once, what waits, and who runs between.

import { describe, expect, it } from "vitest";
import { isPromise } from "../../core/ground/maybe-promise.ts";
import { run, runAtOnce, type Turns, together, type Work, wait } from "../../core/ground/work.ts";

function* sum(values: readonly (number | Promise<number>)[]): Work<number> {
  let total = 0;
  for (const value of values) total += yield* wait(value);
  return total;
}

function* steps(count: number, done: number[] = []): Work<number> {
  for (let i = 0; i < count; i++) {
    done.push(i);
    yield;
  }
  return count;
}

/** Each look at the clock ends the turn. */
function shortTurns(): Turns & { turns: number } {
  return {
    turns: 0,
    isTurnOver: true,
    async turn() {
      this.turns++;
    },
  };
}

describe("work", () => {
  it("has its value at once when it waits for nothing", () => {
    expect(run(sum([1, 2, 3]))).toBe(6);
    expect(run(sum([]))).toBe(0);
  });

  it("has a promise of its value when it waits for one promise among values", async () => {
    const result = run(sum([1, Promise.resolve(2), 3]));
    expect(isPromise(result)).toBe(true);
    expect(await result).toBe(6);
  });

  it("throws at once what it throws before it waits, and rejects afterwards", async () => {
    const failing = function* (waits: boolean): Work<void> {
      if (waits) yield* wait(Promise.resolve());
      throw new RangeError("too far");
    };
    expect(() => run(failing(false))).toThrow("too far");
    await expect(run(failing(true))).rejects.toThrow("too far");
  });

  it("gets a rejection thrown where it waits, may catch it, and goes on", async () => {
    const rescued = function* (): Work<string> {
      try {
        yield* wait(Promise.reject(new Error("gone")));
        return "not reached";
      } catch (thrown) {
        return `${(thrown as Error).message} ${yield* wait(Promise.resolve("again"))}`;
      }
    };
    expect(await run(rescued())).toBe("gone again");
  });

  it("is not interrupted while its turn lasts", () => {
    const turns = { isTurnOver: false, turn: () => Promise.reject(new Error("no turn was due")) };
    expect(run(steps(10_000), turns)).toBe(10_000);
  });

  it("waits for the next turn at each pause after its turn is over", async () => {
    const turns = shortTurns();
    expect(await run(steps(3), turns)).toBe(3);
    expect(turns.turns).toBe(3);
  });

  it("lets timers run when it computes for long", async () => {
    let ticks = 0;
    const timer = setInterval(() => void ticks++, 1);
    const busy = function* (): Work<void> {
      while (ticks < 3) yield;
    };
    await run(busy());
    clearInterval(timer);
    expect(ticks).toBeGreaterThanOrEqual(3);
  });

  it("ends with what spend throws, after its finally blocks", async () => {
    const events: string[] = [];
    const cleaning = function* (): Work<void> {
      try {
        yield* steps(5);
      } finally {
        events.push("cleaned");
      }
    };
    const turns: Turns = {
      ...shortTurns(),
      spend() {
        throw new Error("the client has gone");
      },
    };
    await expect(run(cleaning(), turns)).rejects.toThrow("the client has gone");
    expect(events).toEqual(["cleaned"]);
  });

  it("runs at once to its end in one turn, and refuses to wait for a promise", () => {
    expect(runAtOnce(steps(3))).toBe(3);
    expect(() => runAtOnce(sum([Promise.resolve(1)]))).toThrow("cannot run at once");
  });
});

describe("works side by side", () => {
  it("have their values at once when none waits", () => {
    expect(run(together([sum([1]), sum([2, 3])]))).toEqual([1, 5]);
    expect(run(together([]))).toEqual([]);
  });

  it("wait at the same time, and give their values in order", async () => {
    const events: string[] = [];
    const named = function* (name: string, waits: Promise<void>): Work<string> {
      events.push(`${name} begins`);
      yield* wait(waits);
      events.push(`${name} ends`);
      return name;
    };
    let release = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    const result = run(
      together([
        named("a", late),
        named(
          "b",
          Promise.resolve().then(() => release()),
        ),
      ]),
    );
    expect(events).toEqual(["a begins", "b begins"]);
    expect(await result).toEqual(["a", "b"]);
  });

  it("throw the first error when all that began are over", async () => {
    const events: string[] = [];
    const slow = function* (): Work<void> {
      yield* wait(new Promise((resolve) => setImmediate(resolve)));
      events.push("slow ended");
    };
    const failing = function* (): Work<void> {
      yield* sum([]);
      throw new Error("failed at once");
    };
    await expect(run(together([slow(), failing()]))).rejects.toThrow("failed at once");
    expect(events).toEqual(["slow ended"]);
  });

  it("begin none after one that throws at once, when nothing waits yet", () => {
    const begun: number[] = [];
    const failing = function* (): Work<number> {
      yield* sum([]);
      throw new Error("first");
    };
    expect(() => run(together([failing(), steps(1, begun)]))).toThrow("first");
    expect(begun).toEqual([]);
  });
});
