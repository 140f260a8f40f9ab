// A queue that callers take in turns.

import { describe, expect, it } from "vitest";
import { FairQueue } from "../../core/index.ts";

/** Items are named after their caller: `a1`, `b1`. */
function queueOf(...names: readonly string[]) {
  const queue = new FairQueue<{ readonly name: string }>();
  const items = new Map(names.map((name) => [name, { name }]));
  for (const [name, item] of items) queue.push(name.slice(0, 1), item);
  return { queue, items };
}

function drained(queue: FairQueue<{ readonly name: string }>): readonly string[] {
  const names: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) names.push(item.name);
  return names;
}

describe("a fair queue", () => {
  it("takes one item of each caller in turn, and those of one caller in their order", () => {
    expect(drained(queueOf("a1", "a2", "a3", "b1", "c1", "c2").queue)).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
    expect(drained(queueOf("a1", "a2", "a3").queue)).toEqual(["a1", "a2", "a3"]);
  });

  it("takes a caller that comes later after one item of each other, not after all", () => {
    const { queue } = queueOf("a1", "a2", "a3");
    expect(queue.shift()?.name).toBe("a1");
    queue.push("b", { name: "b1" });
    expect(drained(queue)).toEqual(["a2", "b1", "a3"]);
  });

  it("forgets what is deleted, and says whether it was there", () => {
    const { queue, items } = queueOf("a1", "a2", "b1");
    const second = items.get("a2") ?? { name: "" };
    expect([queue.delete("a", second), queue.delete("a", second), queue.delete("b", second)]).toEqual([true, false, false]);
    expect([queue.length, queue.lengthOf("a"), drained(queue)]).toEqual([2, 1, ["a1", "b1"]]);
    expect([queue.length, queue.shift()]).toEqual([0, undefined]);
  });

  it("gives up the newest item of the caller with most, for one that would have less", () => {
    const { queue } = queueOf("a1", "a2", "a3", "b1");
    expect(queue.giveWay("c")?.name).toBe("a3");
    // Now a has two, and b would have two as well.
    expect([queue.giveWay("b"), queue.giveWay("a")]).toEqual([undefined, undefined]);
    expect(drained(queue)).toEqual(["a1", "b1", "a2"]);
  });
});
