// The default logger of an embedded kernel: readable lines on stderr.

import type { LogEntry, Logger } from "../contracts/logger.ts";

export const consoleLogger: Logger = { write: (entry) => console.error(lineOf(entry)) };

function lineOf({ level, event, message, facts }: LogEntry): string {
  const { error, ...others } = facts;
  const shown = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${JSON.stringify(value)}`]));
  const stack = typeof error === "object" && error !== null && "stack" in error ? [`\n${error.stack}`] : [];
  return [`${level.toUpperCase()} ${event}: ${message}`, ...shown].join(" ") + stack.join("");
}
