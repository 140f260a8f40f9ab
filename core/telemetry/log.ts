// The log as the kernel's parts use it: entries below the level are not even made.

import type { LogFacts, Logger, LogLevel } from "../contracts/logger.ts";
import { consoleLogger } from "./console-logger.ts";
import { faultFacts } from "./fault-facts.ts";

/** What is logged, and where to. */
export interface LogConfig {
  /**
   * Entries below it are not written. The environment variable `QUERN_LOG` goes before it. Default: `info` where there is a logger
   * (`quern start` brings one), else `warn`.
   */
  readonly level?: LogLevel | "silent";
  /** The level of the line with which each request ends. Default: `debug`. */
  readonly requests?: LogLevel;
  /** An operation that takes as many milliseconds or more is told with its plan, at the level `warn`. Default: 1,000. */
  readonly slowQueryMs?: number;
  /** Writes the entries, such as `pinoLogger()`. Default: lines on stderr. */
  readonly to?: Logger;
}

/** From the most to the least. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

export function isLogLevel(value: unknown): value is LogLevel | "silent" {
  return logLevels.some((level) => level === value);
}

export class Log {
  readonly #logger: Logger;
  readonly #minimum: number;

  constructor(logger: Logger, level: LogLevel | "silent") {
    this.#logger = logger;
    this.#minimum = logLevels.indexOf(level);
  }

  isEnabled(level: LogLevel): boolean {
    return logLevels.indexOf(level) >= this.#minimum;
  }

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

  /** Something that nobody foresaw, whole, with its stack. */
  fault(thrown: unknown, facts: LogFacts = {}): void {
    if (!this.isEnabled("error")) return;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    this.write("error", "fault", message.split("\n", 1)[0] ?? "", { ...facts, error: faultFacts(thrown) });
  }

  async flush(): Promise<void> {
    await this.#logger.flush?.();
  }
}

/** The log of a configuration. `level`: what `QUERN_LOG` says, checked before. */
export function openLog({ level, to }: LogConfig = {}, fromEnvironment = process.env.QUERN_LOG): Log {
  const chosen = isLogLevel(fromEnvironment) ? fromEnvironment : (level ?? (to === undefined ? "warn" : "info"));
  return new Log(to ?? consoleLogger, chosen);
}
