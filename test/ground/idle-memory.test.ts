// When a thread collects its garbage by itself: once after it has grown, when it waits.

import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { collectWhenIdle, IdleRule, type IdleWindow } from "../../core/ground/idle-memory.ts";

const MiB = 2 ** 20;
const waiting = (held: number, used = held): IdleWindow => ({ share: 0.01, heldBytes: held * MiB, usedBytes: used * MiB });
const working = (held: number): IdleWindow => ({ ...waiting(held), share: 0.3 });

/** For each window, whether a collection is due. */
function decisions(...windows: readonly IdleWindow[]): readonly boolean[] {
  const rule = new IdleRule();
  return windows.map((each) => rule.isDue(each));
}

it("collects once when a thread that has grown waits for two windows", () => {
  expect(decisions(waiting(40), working(200), waiting(200), waiting(200), waiting(60), waiting(60), waiting(60))).toEqual([
    false,
    false,
    false,
    true,
    false,
    false,
    false,
  ]);
});

it("never collects while the thread works, however much it holds", () => {
  expect(decisions(working(40), working(400), working(800), working(800), working(800))).not.toContain(true);
});

it("collects not again what a collection could not give back, until the thread has grown again", () => {
  const first = [waiting(40), working(200), waiting(200), waiting(200), waiting(190), waiting(190), waiting(190)];
  expect(decisions(...first, working(300), waiting(300), waiting(300), waiting(190), waiting(190)).map(Number)).toEqual([
    0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0,
  ]);
});

it("collects a second time, and no third, when the first leaves much of the heap empty", () => {
  expect(
    decisions(waiting(40), working(400), waiting(400), waiting(400), waiting(300, 100), waiting(290, 100), waiting(290, 100)).map(Number),
  ).toEqual([0, 0, 0, 1, 1, 0, 0]);
});

it("leaves a thread alone that has grown little, or little for its size", () => {
  expect(decisions(waiting(40), waiting(50), waiting(55))).not.toContain(true);
  expect(decisions(waiting(1_000), waiting(1_100), waiting(1_200))).not.toContain(true);
});

let stop: (() => void) | undefined;
afterEach(() => stop?.());

/** @returns a reference to 300 MiB that nothing else refers to */
function burst(): WeakRef<object> {
  return new WeakRef(Array.from({ length: 300 }, () => new Uint8Array(MiB)));
}

it("a thread that waits after a burst loses the garbage of the burst, and the next context has no function of the flag", async () => {
  let isCollected = false;
  stop = collectWhenIdle(() => (isCollected = true));
  // The first window is the floor.
  await pause(1_500);
  let garbage = burst();
  while (!isCollected) {
    // V8 may have been in the middle of a collection of its own.
    if (garbage.deref() === undefined) garbage = burst();
    await pause(20);
  }
  expect(garbage.deref()).toBeUndefined();
  const { runInNewContext } = await import("node:vm");
  expect(runInNewContext("typeof gc")).toBe("undefined");
}, 60_000);
