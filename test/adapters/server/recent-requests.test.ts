// What the server remembers of requests: enough to see what is slow and what fails, and never more than a few lists of fixed length.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RecentRequests } from "../../../adapters/server/parts/recent-requests.ts";
import type { EndedOperation } from "../../../core/index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ended = (document: string, durationMs: number, more: Partial<EndedOperation> = {}): EndedOperation => ({
  requestID: document,
  kind: "query",
  outcome: "ok",
  code: undefined,
  durationMs,
  touched: 1,
  name: undefined,
  document,
  documentHash: document,
  prepared: undefined,
  caller: undefined,
  steps: undefined,
  plan: `plan of ${document}`,
  ...more,
});

it("keeps the slowest run of each document, and of more than fifty documents the slowest", () => {
  const requests = new RecentRequests();
  requests.add(ended("fast", 4.9));
  expect(requests.report().slow).toEqual([]);
  for (let i = 0; i < 80; i++) requests.add(ended(`d${i}`, 10 + i));
  requests.add(ended("d79", 20));
  requests.add(ended("d78", 500));
  const { slow } = requests.report();
  expect(slow.map(({ document }) => document).slice(0, 3)).toEqual(["d78", "d79", "d77"]);
  expect(slow).toHaveLength(50);
  expect(slow.at(-1)).toMatchObject({ document: "d30", durationMs: 40, plan: "plan of d30" });
  requests.add(ended("below", 39));
  requests.add(ended("above", 41));
  expect(
    requests
      .report()
      .slow.map(({ document }) => document)
      .slice(-2),
  ).toEqual(["d31", "above"]);
});

/** A run whose document is hashed when its hash is read. */
function hashed(document: string, durationMs: number, prepared: object): { readonly run: EndedOperation; readonly isHashed: () => boolean } {
  let isHashed = false;
  const run = Object.defineProperty({ ...ended(document, durationMs, { prepared }) }, "documentHash", {
    get: () => {
      isHashed = true;
      return document;
    },
  });
  return { run, isHashed: () => isHashed };
}

it("does not hash a document again while a slower run of the same prepared operation is known", () => {
  const requests = new RecentRequests();
  const [prepared, sameText] = [{}, {}];
  const hashes = (durationMs: number, of: object) => {
    const { run, isHashed } = hashed("d", durationMs, of);
    requests.add(run);
    return isHashed();
  };
  expect([hashes(100, prepared), hashes(99, prepared), hashes(90, sameText), hashes(99, sameText), hashes(99, {})]).toEqual([
    true,
    false,
    true,
    false,
    true,
  ]);
  expect(requests.report().slow).toMatchObject([{ document: "d", durationMs: 100 }]);
  expect(hashes(101, prepared)).toBe(true);
  vi.advanceTimersByTime(3_600_001);
  expect(hashes(50, prepared)).toBe(true);
});

it("forgets after an hour what was slow, so that something faster is slow again", () => {
  const requests = new RecentRequests();
  for (let i = 0; i < 50; i++) requests.add(ended(`d${i}`, 1_000));
  requests.add(ended("early", 100));
  expect(requests.report().slow.map(({ document }) => document)).not.toContain("early");
  vi.advanceTimersByTime(3_600_001);
  expect(requests.report().slow).toEqual([]);
  requests.add(ended("late", 100));
  expect(requests.report().slow.map(({ document }) => document)).toEqual(["late"]);
});

it("counts each duration in the bucket up to whose bound it reaches", () => {
  const requests = new RecentRequests();
  for (const ms of [0, 0.25, 0.26, 0.5, 0.51, 1e9]) requests.add(ended("d", ms));
  const { kinds, boundsMs } = requests.report();
  expect(boundsMs.slice(0, 3)).toEqual([0.25, 0.5, 1]);
  const buckets = kinds[0]?.buckets ?? [];
  expect([buckets.slice(0, 4), buckets.at(-1)]).toEqual([[2, 2, 1, 0], 1]);
  expect(buckets).toHaveLength(boundsMs.length + 1);
});

it("groups failures by code, kind and name with their first and last time, of two hundred groups the last ones", () => {
  const requests = new RecentRequests();
  const fail = (name: string, code = "VALUE_INVALID") => requests.add(ended(`of ${name}`, 1, { outcome: "failed", code, name }));
  const begun = Date.now();
  fail("first");
  fail("second");
  vi.advanceTimersByTime(5_000);
  fail("first");
  fail("first", "OVERLOADED");
  requests.add(ended("fine", 1, { name: "first" }));
  expect(requests.report().groups).toEqual([
    { code: "OVERLOADED", kind: "query", name: "first", requestID: "of first", count: 1, first: begun + 5_000, last: begun + 5_000 },
    { code: "VALUE_INVALID", kind: "query", name: "first", requestID: "of first", count: 2, first: begun, last: begun + 5_000 },
    { code: "VALUE_INVALID", kind: "query", name: "second", requestID: "of second", count: 1, first: begun, last: begun },
  ]);
  for (let i = 0; i < 199; i++) fail(`n${i}`);
  const names = requests.report().groups.map(({ name, code }) => `${code} ${name}`);
  expect([names.length, names.at(-1)]).toEqual([200, "OVERLOADED first"]);
});

it("keeps the last fifty failures, the newest first, and counts all by code, by outcome where there is none", () => {
  const requests = new RecentRequests();
  for (let i = 0; i < 60; i++) {
    const failure = i % 3 === 0 ? ({ outcome: "fault", code: undefined } as const) : ({ outcome: "refused", code: "REQUEST_REFUSED" } as const);
    requests.add(ended(`r${i}`, 1, failure));
  }
  const { failures, recentFailures } = requests.report();
  expect(failures).toEqual([
    { code: "REQUEST_REFUSED", count: 40 },
    { code: "fault", count: 20 },
  ]);
  expect(recentFailures.map(({ requestID }) => requestID)).toEqual(Array.from({ length: 50 }, (_, i) => `r${59 - i}`));
});
