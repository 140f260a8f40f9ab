// The contract between the kernel and a log. The kernel decides what is logged and at which level; a logger writes.

import type { Json, MaybePromise } from "../ground/values/value.ts";

/** The severity of an entry, ascending. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * Writes log entries. One that writes lines of JSON:
 *
 *     const logger: Logger = {
 *       write: ({ level, event, message, facts }) => console.log(JSON.stringify({ level, event, message, ...facts })),
 *     };
 */
export interface Logger {
  /** Called for each entry of the configured level and above, in order. Must return at once and must not throw. */
  write(entry: LogEntry): void;
  /** Writes buffered entries. Called after a server has stopped. */
  flush?(): MaybePromise<void>;
}

/**
 * One log entry. It contains no headers, no tokens, no variables and no literals of documents. The exception are internal errors: their
 * message and stack are logged unchanged.
 */
export interface LogEntry {
  readonly level: LogLevel;
  /** What happened, as a stable word for programs: `request`, `deploy`, `fault`. The list is in core/telemetry/README.md. */
  readonly event: string;
  /** What happened, as one line for people. */
  readonly message: string;
  /** Data for programs. */
  readonly facts: LogFacts;
}

/** The structured data of an entry: plain JSON. A logger omits members that are undefined. */
export type LogFacts = Readonly<Record<string, Json | undefined>>;
