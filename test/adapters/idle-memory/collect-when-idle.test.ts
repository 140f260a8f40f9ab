// When a thread collects its garbage by itself: once after it has grown, when it waits.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { IdleRule, type IdleWindow } from "../../../adapters/idle-memory/collect-when-idle.ts";
import { builtProgram } from "../../support/built-program.ts";
import type { AfterCollection } from "./idle-thread.ts";

const MiB = 2 ** 20;
const waiting = (held: number, used = held, inUse = 0): IdleWindow => ({
  share: 0.01,
  heldBytes: held * MiB,
  usedBytes: used * MiB,
  inUseBytes: inUse * MiB,
});
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

it("does not collect again what a collection could not give back, until the thread has grown again", () => {
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

it("collects nothing for what is in use, and collects when that is dropped", () => {
  const held = [waiting(100), waiting(350, 350, 250), waiting(350, 350, 250), waiting(350, 350, 250)];
  expect(decisions(...held, waiting(350), waiting(100), waiting(100)).map(Number)).toEqual([0, 0, 0, 0, 1, 0, 0]);
});

it("collects what a collection found in use, when it is dropped: V8 does not count it as less before", () => {
  const collected = [waiting(100), working(450), waiting(450, 450, 250), waiting(450, 450, 250)];
  const held = [waiting(350, 350, 250), waiting(350, 350, 250)];
  expect(decisions(...collected, ...held, waiting(350), waiting(100), waiting(100)).map(Number)).toEqual([0, 0, 0, 1, 0, 0, 1, 0, 0]);
});

it("does not collect again and again for bytes in use that V8 counts once and others many times", () => {
  const fans = Array.from({ length: 10 }, (_, i) => waiting(100, 100, i % 2 === 0 ? 0 : 900));
  expect(decisions(waiting(100), ...fans)).not.toContain(true);
});

it("leaves a thread alone that has grown little, or little for its size", () => {
  expect(decisions(waiting(40), waiting(50), waiting(55))).not.toContain(true);
  expect(decisions(waiting(1_000), waiting(1_100), waiting(1_200))).not.toContain(true);
});

// A thread of its own: what other specs have left in this one would be collected in the burst, and the heap would not grow.
it("a thread that waits after a burst loses the garbage of the burst, and the next context has no function of the flag", async () => {
  const thread = new Worker(builtProgram(new URL("./idle-thread.ts", import.meta.url)));
  onTestFinished(async () => void (await thread.terminate()));
  const [left]: readonly AfterCollection[] = await once(thread, "message");
  expect(left).toEqual({ hasGarbage: false, type: "undefined" });
}, 60_000);
