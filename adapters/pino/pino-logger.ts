// The log by pino: one JSON object a line, or readable lines on a terminal.

import { createRequire } from "node:module";
import { type DestinationStream, destination, type Logger as Pino, pino, stdTimeFunctions } from "pino";
import type { LogEntry, Logger } from "../../core/index.ts";

/** Format and destination of the log. */
export interface PinoLoggerOptions {
  /** Readable lines instead of JSON. Default: when stderr is a terminal. */
  readonly pretty?: boolean;
  /** Where lines go: a file, or 1 for stdout. Default: stderr. */
  readonly to?: string | 1 | 2;
  /** An existing pino logger, which then decides format and destination. Its level must include `log.level`. */
  readonly pino?: Pick<Pino, "debug" | "info" | "warn" | "error" | "flush">;
}

/** A logger for `log.to` of the configuration. */
export function pinoLogger({ pretty: isPretty = process.stderr.isTTY === true, to = 2, pino: own }: PinoLoggerOptions = {}): Logger {
  const logger = own ?? pino(options, isPretty && typeof to === "number" ? prettyLines(to) : jsonLines(to));
  return {
    write: ({ level, event, message, facts }: LogEntry) => logger[level]({ event, ...facts }, message),
    flush: () => new Promise((resolve) => logger.flush(() => resolve())),
  };
}

/** The kernel filters by level. */
const options = {
  level: "debug",
  base: null,
  timestamp: stdTimeFunctions.isoTime,
  formatters: { level: (label: string) => ({ level: label }) },
};

/** Buffered: pino writes lines together, and the rest when the process exits. */
function jsonLines(dest: string | number): DestinationStream {
  return destination({ dest, sync: false, mkdir: true });
}

const require = createRequire(import.meta.url);

/** Its package is loaded for a terminal alone. */
function prettyLines(fd: number): DestinationStream {
  const pretty: typeof import("pino-pretty") = require("pino-pretty");
  return pretty({ destination: fd, sync: true, translateTime: "HH:MM:ss.l", singleLine: true, errorLikeObjectKeys: ["error"], ignore: "event,pid" });
}
