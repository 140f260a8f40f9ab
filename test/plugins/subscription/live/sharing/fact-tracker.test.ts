// Two callers share a live query only where what it read of them is equal.

import { describe, expect, it } from "vitest";
import { FactTracker } from "../../../../../plugins/subscription/live/sharing/fact-tracker.ts";

describe("the key of a caller", () => {
  const reads = new FactTracker();
  const caller = (claims: string) => ({ facts: { claims: JSON.parse(claims) }, headers: {} });
  const seen: unknown = reads.track(caller("{}")).facts.claims;
  if (typeof seen === "object" && seen !== null) Reflect.get(seen, "level");
  const keyOf = (claims: string) => reads.paths().keyOf(caller(claims));

  it("is equal for equal values at the recorded paths", () => {
    expect(keyOf('{"level": 7, "name": "ann"}')).toBe(keyOf('{"name": "bob", "level": 7.0}'));
  });

  it("differs for different values, including missing, null and infinite numbers", () => {
    const values = ["null", "0", '""', '"0"', "false", "[]", "{}", "[0]", "[null]", "1e400", "-1e400", '"Infinity"', "1.7976931348623157e308"];
    const keys = [keyOf("{}"), ...values.map((value) => keyOf(`{"level": ${value}}`))];
    expect(new Set(keys).size).toBe(values.length + 1);
  });
});
