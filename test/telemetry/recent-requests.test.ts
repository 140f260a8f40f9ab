// What the kernel remembers of requests: enough to see what is slow and what fails, and never more than a few lists of fixed length.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { EndedOperation } from "../../core/index.ts";
import { RecentRequests } from "../../core/telemetry/recent-requests.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ended = (document: string, durationMs: number): EndedOperation => ({
  requestID: document,
  kind: "query",
  outcome: "ok",
  durationMs,
  touched: 1,
  name: undefined,
  document,
  documentHash: document,
  plan: `plan of ${document}`,
});

it("keeps the slowest run of each document, and of more than fifty documents the slowest", () => {
  const requests = new RecentRequests();
  expect(requests.isSlow(4.9)).toBe(false);
  for (let i = 0; i < 80; i++) requests.slow(ended(`d${i}`, 10 + i));
  requests.slow(ended("d79", 20));
  requests.slow(ended("d78", 500));
  const { slow } = requests.report();
  expect(slow.map(({ document }) => document).slice(0, 3)).toEqual(["d78", "d79", "d77"]);
  expect(slow).toHaveLength(50);
  expect(slow.at(-1)).toMatchObject({ document: "d30", durationMs: 40, plan: "plan of d30" });
  expect([requests.isSlow(39), requests.isSlow(41)]).toEqual([false, true]);
});

it("does not hash a document again while a slower run of the same prepared operation is known", () => {
  const requests = new RecentRequests();
  const prepared = {};
  const sameText = {};
  expect(requests.isSlow(100, prepared)).toBe(true);
  requests.slow(ended("d", 100), prepared);
  expect([requests.isSlow(99, prepared), requests.isSlow(101, prepared), requests.isSlow(99, sameText)]).toEqual([false, true, true]);
  requests.slow(ended("d", 90), sameText);
  expect([requests.isSlow(99, sameText), requests.isSlow(99, {})]).toEqual([false, true]);
  expect(requests.report().slow).toMatchObject([{ document: "d", durationMs: 100 }]);
  vi.advanceTimersByTime(3_600_001);
  expect(requests.isSlow(50, prepared)).toBe(true);
});

it("forgets after an hour what was slow, so that something faster is slow again", () => {
  const requests = new RecentRequests();
  for (let i = 0; i < 50; i++) requests.slow(ended(`d${i}`, 1_000));
  expect(requests.isSlow(100)).toBe(false);
  vi.advanceTimersByTime(3_600_001);
  expect(requests.report().slow).toEqual([]);
  expect(requests.isSlow(100)).toBe(true);
});

it("counts each duration in the bucket up to whose bound it reaches", () => {
  const requests = new RecentRequests();
  for (const ms of [0, 0.25, 0.26, 0.5, 0.51, 1e9]) requests.count("query", "ok", ms);
  const { kinds, boundsMs } = requests.report();
  expect(boundsMs.slice(0, 3)).toEqual([0.25, 0.5, 1]);
  const buckets = kinds[0]?.buckets ?? [];
  expect([buckets.slice(0, 4), buckets.at(-1)]).toEqual([[2, 2, 1, 0], 1]);
  expect(buckets).toHaveLength(boundsMs.length + 1);
});

it("keeps the last fifty failures, the newest first, and counts all by code", () => {
  const requests = new RecentRequests();
  for (let i = 0; i < 60; i++)
    requests.failed({ requestID: `r${i}`, kind: "query", name: undefined, code: i % 3 === 0 ? "fault" : "REQUEST_REFUSED", durationMs: 1 });
  const { failures, recentFailures } = requests.report();
  expect(failures).toEqual([
    { code: "REQUEST_REFUSED", count: 40 },
    { code: "fault", count: 20 },
  ]);
  expect(recentFailures.map(({ requestID }) => requestID)).toEqual(Array.from({ length: 50 }, (_, i) => `r${59 - i}`));
});
