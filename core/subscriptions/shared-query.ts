// One live query and the subscribers that share it.

import type { CommitToken } from "../ground/values/value.ts";
import type { LiveOperation } from "../request/live-operation.ts";
import { type Caller, FactTracker } from "./fact-tracker.ts";
import type { Registration } from "./registration.ts";
import type { Result, Subscriber } from "./subscriber.ts";
import type { Wake } from "./wake.ts";

export class SharedQuery {
  readonly operation: LiveOperation;
  readonly operationKey: string;
  readonly caller: Caller;
  /** The facts and headers that its plan has read. */
  readonly reads = new FactTracker();
  /** Each with its caller. Callers agree in all facts and headers that the plan has read. */
  readonly subscribers = new Map<Subscriber, Caller>();
  registrations: readonly Registration<SharedQuery>[] = [];
  /** The commit that the newest answer reflects. */
  at: CommitToken = "";
  /** Of the newest data. */
  hash: string | undefined;
  /** The newest answer, kept for a moment for new subscribers. */
  recentAnswer: Result | undefined;
  /** Its key in the sharing index; undefined before its first answer. */
  sharingKey: string | undefined;
  /** Of the paths that its plan has read; undefined before its first answer. */
  signature: string | undefined;
  state: "idle" | "queued" | "running" = "idle";
  /** A commit since the newest answer, or since the current run began, may have changed the data. */
  isStale = false;
  /** The first answer must reflect this commit, because a client has seen it. */
  after: CommitToken | undefined;
  /** Set while its next run is delayed. */
  throttleTimer: NodeJS.Timeout | undefined;
  /** The earliest time of the next run, in milliseconds of `performance.now()`. */
  throttledUntil = 0;
  /** Consecutive runs that failed because the store was unavailable. */
  failures = 0;
  isOver = false;
  /** Milliseconds since 1970. */
  readonly begunAt = Date.now();
  runs = 0;
  /** Runs after a commit that found the same data. */
  runsInVain = 0;
  lastRunMs: number | undefined;
  /** How often commits woke it. */
  wakes = 0;
  lastWake: Wake | undefined;

  constructor(operation: LiveOperation, operationKey: string) {
    this.operation = operation;
    this.operationKey = operationKey;
    const { facts, headers } = operation.view;
    this.caller = { facts, headers };
  }
}
