// One live query and all who share it.

import type { CommitToken } from "../ground/values/value.ts";
import type { LiveOperation } from "../request/live-operation.ts";
import type { Registration } from "./dependency-registry.ts";
import { type Asker, FactTracker } from "./fact-reads.ts";
import type { Result, Subscriber } from "./subscriber.ts";

export class SharedQuery {
  readonly operation: LiveOperation;
  readonly family: string;
  readonly asker: Asker;
  readonly reads = new FactTracker();
  /** Each with who asks: members agree in everything that was read of them. */
  readonly members = new Map<Subscriber, Asker>();
  entries: readonly Registration<SharedQuery>[] = [];
  /** The commit that the newest answer shows. */
  at: CommitToken = "";
  hash: string | undefined;
  /** The newest answer, as long as somebody may soon ask for it. */
  newest: Result | undefined;
  /** Under which others find it, and where its plan has looked: undefined before its first answer. */
  name: string | undefined;
  signature: string | undefined;
  state: "idle" | "queued" | "running" = "idle";
  /** Touched since the answer it has, or is about to have. */
  woken = false;
  /** The first answer must show this commit: a client has seen it. */
  after: CommitToken | undefined;
  /** Set while it rests before its next run. */
  rest: NodeJS.Timeout | undefined;
  /** Not before, in milliseconds of `performance.now()`. */
  restsUntil = 0;
  failures = 0;
  isOver = false;

  constructor(operation: LiveOperation, family: string) {
    this.operation = operation;
    this.family = family;
    const { facts, headers } = operation.view;
    this.asker = { facts, headers };
  }
}
