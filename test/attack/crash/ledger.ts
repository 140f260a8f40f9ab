// What a killed writer said, and what must therefore be in the store.

import assert from "node:assert/strict";

interface Said {
  readonly intent: string;
  /** Undefined: it died before the answer. */
  outcome: "ok" | "no" | undefined;
}

export interface Boat {
  readonly batch: number;
  readonly part: number;
  readonly mark: number;
  readonly near: readonly { readonly part: number; readonly batch: number }[];
}

export class Ledger {
  readonly #byBatch = new Map<number, Said[]>();

  /** A line of the writer. */
  hear(line: string): void {
    const [word, ...rest] = line.split(" ");
    if (word === "ok" || word === "no") {
      const said = this.#said(Number(rest[1])).find((each) => each.intent === rest.join(" "));
      if (said) said.outcome = word;
    } else if (word === "+" || word === "~" || word === "-") {
      this.#said(Number(rest[0])).push({ intent: line, outcome: undefined });
    }
  }

  get acknowledged(): number {
    return [...this.#byBatch.values()].flat().filter(({ outcome }) => outcome === "ok").length;
  }

  get nextBatch(): number {
    return Math.max(-1, ...this.#byBatch.keys()) + 1;
  }

  #said(batch: number): Said[] {
    const said = this.#byBatch.get(batch) ?? [];
    this.#byBatch.set(batch, said);
    return said;
  }

  /** Every acknowledged write is there, none is there in part, and nothing else is. What was unanswered is settled by what is found. */
  check(boats: readonly Boat[], size: number): void {
    const there = new Map<number, Boat[]>();
    for (const boat of boats) there.set(boat.batch, [...(there.get(boat.batch) ?? []), boat]);
    for (const batch of there.keys()) assert.ok(this.#byBatch.has(batch), `nobody wrote batch ${batch}`);
    for (const [batch, said] of this.#byBatch) this.#checkBatch(batch, said, there.get(batch) ?? [], size);
  }

  #checkBatch(batch: number, said: Said[], boats: readonly Boat[], size: number): void {
    const [added, change] = said;
    const what = `batch ${batch}: ${said.map(({ intent, outcome }) => `${intent} ${outcome ?? "unanswered"}`).join(", ")}`;
    const mayBeGone = added?.outcome !== "ok" || change?.intent.startsWith("-") === true;
    const mustBeGone = added?.outcome === "no" || (change?.intent.startsWith("-") === true && change.outcome === "ok");
    assert.ok(boats.length === 0 || boats.length === size + 1, `${what}: ${boats.length} of ${size + 1} parts`);
    if (boats.length === 0) assert.ok(mayBeGone, `${what}: gone`);
    else assert.ok(!mustBeGone, `${what}: still there`);
    this.#checkParts(boats, { what, change, size });
    // From now on it must stay as it was found.
    if (added) added.outcome = boats.length > 0 || change?.outcome === "ok" ? "ok" : "no";
    if (change) change.outcome = this.#tookPlace(boats, change) ? "ok" : "no";
  }

  #tookPlace(boats: readonly Boat[], change: Said): boolean {
    return change.intent.startsWith("-") ? boats.length === 0 : boats.some(({ mark }) => mark > 0);
  }

  #checkParts(
    boats: readonly Boat[],
    { what, change, size }: { readonly what: string; readonly change: Said | undefined; readonly size: number },
  ): void {
    const [first] = boats;
    if (!first) return;
    assert.equal(new Set(boats.map(({ mark }) => mark)).size, 1, `${what}: changed in part`);
    if (change?.intent.startsWith("~") && change.outcome === "ok") assert.ok(first.mark > 0, `${what}: the change is lost`);
    if (change?.outcome === "no") assert.equal(first.mark, 0, `${what}: a refused change`);
    const linked = boats.find(({ part }) => part === 0);
    assert.deepEqual(linked?.near, [{ part: size, batch: first.batch }], `${what}: its link`);
  }
}
