// The log of the kernel. Entries below the level are not created.

import type { LogEntry, LogFacts, Logger, LogLevel } from "../contracts/logger.ts";
import type { Json } from "../ground/values/value.ts";

/** Level and destination of the log. */
export interface LogConfig {
  /**
   * Entries below this level are not written. The environment variable `QUERN_LOG` overrides it. Default: `info` if there is a logger
   * (`quern start` provides one), else `warn`.
   */
  readonly level?: LogLevel | "silent";
  /** The level of the line that each request writes when it ends. Default: `debug`. */
  readonly requests?: LogLevel;
  /** Operations that take at least this many milliseconds are logged with their plan, at level `warn`. Default: 1,000. */
  readonly slowQueryMs?: number;
  /** The logger that writes the entries, such as `pinoLogger()`. Default: lines on stderr. */
  readonly to?: Logger;
}

/** Log levels, from the most verbose to the least. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

export function isLogLevel(value: unknown): value is LogLevel | "silent" {
  return logLevels.some((level) => level === value);
}

/** Writes entries at or above a level to a logger. */
export class Log {
  readonly #logger: Logger;
  readonly #minimum: number;

  constructor(logger: Logger, level: LogLevel | "silent") {
    this.#logger = logger;
    this.#minimum = logLevels.indexOf(level);
  }

  /** Whether entries of this level are written. */
  isEnabled(level: LogLevel): boolean {
    return logLevels.indexOf(level) >= this.#minimum;
  }

  /** @param facts of the entry, as flat JSON */
  write(level: LogLevel, event: string, message: string, facts: LogFacts = {}): void {
    if (this.isEnabled(level)) this.#logger.write({ level, event, message, facts });
  }

  debug(event: string, message: string, facts?: LogFacts): void {
    this.write("debug", event, message, facts);
  }

  info(event: string, message: string, facts?: LogFacts): void {
    this.write("info", event, message, facts);
  }

  warn(event: string, message: string, facts?: LogFacts): void {
    this.write("warn", event, message, facts);
  }

  /** Logs an unexpected error with its message, stack and causes, at level `error`. */
  fault(thrown: unknown, facts: LogFacts = {}): void {
    if (!this.isEnabled("error")) return;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    this.write("error", "fault", message.split("\n", 1)[0] ?? "", { ...facts, error: faultFacts(thrown) });
  }

  /** Resolves when the logger has written all entries. */
  async flush(): Promise<void> {
    await this.#logger.flush?.();
  }
}

/** Creates the log of a configuration. `QUERN_LOG`, which `checkConfig` validates, overrides `level`. */
export function openLog({ level, to }: LogConfig = {}, fromEnvironment = process.env.QUERN_LOG): Log {
  const chosen = isLogLevel(fromEnvironment) ? fromEnvironment : (level ?? (to === undefined ? "warn" : "info"));
  return new Log(to ?? consoleLogger, chosen);
}

// The default logger of an embedded kernel: readable lines on stderr.

const consoleLogger: Logger = { write: (entry) => console.error(lineOf(entry)) };

function lineOf({ level, event, message, facts }: LogEntry): string {
  const { error, ...others } = facts;
  const shown = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${JSON.stringify(value)}`]));
  const stack = typeof error === "object" && error !== null && "stack" in error ? [`\n${error.stack}`] : [];
  return [`${level.toUpperCase()} ${event}: ${message}`, ...shown].join(" ") + stack.join("");
}

// Converts a thrown value to log facts: type, message, stack and causes. Other properties are omitted: drivers attach
// documents and connection strings to their errors.

const maxStack = 8_000;
const maxMessage = 2_000;
const maxCauses = 5;

function faultFacts(thrown: unknown, causes = maxCauses): Json {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: cut(String(thrown), maxMessage) };
  const { name, message, stack, cause } = thrown;
  const code: unknown = "code" in thrown ? thrown.code : undefined;
  return {
    type: name,
    message: cut(message, maxMessage),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(stack === undefined ? {} : { stack: cut(stack, maxStack) }),
    ...(cause === undefined || causes === 0 ? {} : { cause: faultFacts(cause, causes - 1) }),
  };
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}
