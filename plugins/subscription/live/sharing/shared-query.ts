// One live query and the clients that share it.

import type { CommitToken, LiveCaller, LiveClient, LiveMessage, LiveOperation, Wake } from "../../../../core/plugin.ts";
import type { Registration } from "../dependencies/registration.ts";
import { FactTracker } from "./fact-tracker.ts";

/** An answer, serialized once for all its clients. */
export interface Result extends LiveMessage {
  /** Of the data. */
  readonly hash: string;
}

/** A client with its caller. */
export interface Member {
  readonly client: LiveClient;
  readonly caller: LiveCaller;
  /** Undefined: it is queued to join a query. */
  query: SharedQuery | undefined;
  hasLeft: boolean;
}

export class SharedQuery {
  readonly operation: LiveOperation;
  readonly operationKey: string;
  readonly caller: LiveCaller;
  /** The facts and headers that its plan has read. */
  readonly reads = new FactTracker();
  /** Their callers agree in all facts and headers that the plan has read. */
  readonly members = new Set<Member>();
  registrations: readonly Registration<SharedQuery>[] = [];
  /** The commit that the newest answer reflects. */
  at: CommitToken = "";
  /** Of the newest data. */
  hash: string | undefined;
  /** The newest answer, kept for a moment for new members. */
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
    this.caller = operation.caller;
  }
}
