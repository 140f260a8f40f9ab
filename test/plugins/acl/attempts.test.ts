import { describe, expect, it } from "vitest";
import { Attempts } from "../../../plugins/acl/attempts.ts";

function attempts() {
  let now = 1_000;
  const bucket = new Attempts({ burst: 2, refillMs: 1_000 }, () => now);
  return { bucket, pass: (ms: number) => (now += ms) };
}

describe("attempts", () => {
  it("are allowed until as many have failed as may in a row", () => {
    const { bucket } = attempts();
    expect(bucket.waitMs("a")).toBe(0);
    bucket.failed("a");
    expect(bucket.waitMs("a")).toBe(0);
    bucket.failed("a");
    expect(bucket.waitMs("a")).toBe(1_000);
    expect(bucket.waitMs("b")).toBe(0);
  });

  it("come back one by one as time passes, and never more than at first", () => {
    const { bucket, pass } = attempts();
    bucket.failed("a");
    bucket.failed("a");
    pass(400);
    expect(bucket.waitMs("a")).toBe(600);
    pass(600);
    expect(bucket.waitMs("a")).toBe(0);
    bucket.failed("a");
    expect(bucket.waitMs("a")).toBe(1_000);
    pass(1_000_000);
    bucket.failed("a");
    bucket.failed("a");
    expect(bucket.waitMs("a")).toBe(1_000);
  });

  it("are given back after a success", () => {
    const { bucket } = attempts();
    bucket.failed("a");
    bucket.failed("a");
    bucket.forgive("a");
    expect(bucket.waitMs("a")).toBe(0);
    bucket.failed("a");
    bucket.forgiveAll("a");
    bucket.failed("a");
    expect(bucket.waitMs("a")).toBe(0);
  });
});
