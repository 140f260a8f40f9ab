// What the kernel asks of a log. It decides what is worth an entry and at which level; a logger writes.

import type { Json, MaybePromise } from "../ground/values/value.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface Logger {
  /** Called for entries of the configured level and above, in order. Never throws, never makes the caller wait. */
  write(entry: LogEntry): void;
  /** Hands on what is held back. Called when a server has stopped. */
  flush?(): MaybePromise<void>;
}

/** Holds no header, no token, no variable, no literal of a document. Faults are the exception: their message and stack are whole. */
export interface LogEntry {
  readonly level: LogLevel;
  /** What happened, a stable word for machines: `request`, `deploy`, `fault`. The list is in core/telemetry/README.md. */
  readonly event: string;
  /** The same for people, one line. */
  readonly message: string;
  readonly facts: LogFacts;
}

/** Plain JSON; what is undefined is left out. */
export type LogFacts = Readonly<Record<string, Json | undefined>>;
