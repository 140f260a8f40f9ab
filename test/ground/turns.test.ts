import { setImmediate as iteration } from "node:timers/promises";
import { expect, it } from "vitest";
import { nextTurn, putOffTurns } from "../../core/ground/turns.ts";

it("gives each turn of the event loop to one of those that wait, in the order in which they asked", async () => {
  const taken: string[] = [];
  const work = async (name: string) => {
    for (let i = 0; i < 3; i++) {
      await nextTurn();
      taken.push(name);
    }
  };
  let isDone = false;
  const all = Promise.all(["a", "b", "c"].map(work)).then(() => (isDone = true));
  const perIteration: number[] = [];
  while (!isDone) {
    const before = taken.length;
    await iteration();
    perIteration.push(taken.length - before);
  }
  await all;
  expect(taken).toEqual(["a", "b", "c", "a", "b", "c", "a", "b", "c"]);
  expect(Math.max(...perIteration)).toBe(1);
});

it("lets the event loop iterate after a turn that took the time of several, before the next one", async () => {
  let iterations = 0;
  let isDone = false;
  const count = (async () => {
    while (!isDone) {
      await iteration();
      iterations++;
    }
  })();
  await nextTurn();
  const until = performance.now() + 50;
  while (performance.now() < until);
  const before = iterations;
  await nextTurn();
  expect(iterations - before).toBeGreaterThanOrEqual(9);
  isDone = true;
  await count;
});

it("a turn is put off by one iteration of the event loop for each connection, and by 128 at most", async () => {
  for (const [connections, most] of [
    [0, 3],
    [1_000, 136],
  ] as const) {
    await nextTurn();
    let iterations = 0;
    let hasTurn = false;
    const turn = nextTurn().then(() => {
      hasTurn = true;
    });
    while (!hasTurn) {
      if (iterations++ < connections) putOffTurns();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await turn;
    expect(iterations).toBeLessThanOrEqual(most);
    if (connections > 0) expect(iterations).toBeGreaterThan(100);
  }
});
