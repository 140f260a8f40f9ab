import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RecentAnswers } from "../../../../../plugins/subscription/live/sharing/recent-answers.ts";
import type { Result, SharedQuery } from "../../../../../plugins/subscription/live/sharing/shared-query.ts";

const answer: Result = { body: "{}", resume: "1", hash: "a" };
/** What the class reads of a query. */
const idleQuery = () => ({ state: "idle", recentAnswer: undefined }) as unknown as SharedQuery;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a recent answer", () => {
  it("is kept for a second at least, and for two at most, whenever others were kept", () => {
    const answers = new RecentAnswers();
    const [first, second] = [idleQuery(), idleQuery()];
    answers.keep(first, answer);
    vi.advanceTimersByTime(1_001);
    answers.keep(second, answer);
    vi.advanceTimersByTime(998);
    expect([first.recentAnswer, second.recentAnswer]).toEqual([answer, answer]);
    vi.advanceTimersByTime(2);
    expect([first.recentAnswer, second.recentAnswer]).toEqual([undefined, answer]);
    vi.advanceTimersByTime(1_000);
    expect(second.recentAnswer).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("stays while its query runs", () => {
    const answers = new RecentAnswers();
    const query = idleQuery();
    answers.keep(query, answer);
    query.state = "running";
    vi.advanceTimersByTime(5_000);
    expect(query.recentAnswer).toBe(answer);
    query.state = "idle";
    vi.advanceTimersByTime(2_000);
    expect(query.recentAnswer).toBeUndefined();
  });

  it("is forgotten with an answer that is an error", () => {
    const answers = new RecentAnswers();
    const query = idleQuery();
    answers.keep(query, answer);
    answers.keep(query, undefined);
    expect(query.recentAnswer).toBeUndefined();
    vi.advanceTimersByTime(1_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
