// Turns errors into what a client may see. A `QuernError` keeps its message; any other error is a fault: the log gets it whole, the client one
// fixed text.

import { type ErrorCode, QuernError } from "../ground/errors.ts";
import { PluginFault } from "../ground/plugin-fault.ts";
import { isStackOverflow, isTooLong, tooDeep, tooLong } from "../ground/too-deep.ts";
import type { ResponseError } from "../query/operation-context.ts";

/** What clients are shown of an internal error. */
export const panicText =
  "Internal Server Error - a panic was trapped.  This indicates a bug in the GraphQL server.  A stack trace was logged.  Please let us know by filing an issue with the stack trace.";

/** Gets every fault whole, with its stack. */
export type FaultLog = (fault: unknown) => void;
export interface ErrorView {
  /** Development: hints are shown. */
  readonly debug: boolean;
  readonly log: FaultLog;
  /** Called with everything that was thrown, before it becomes a message. */
  readonly note?: (thrown: unknown) => void;
  /** Gets the messages that access rules keep from callers. */
  readonly logHidden?: (message: string) => void;
}

/** The entry of `errors` for something thrown; `path` where the error itself has none. */
export function toResponseError(thrown: unknown, view: ErrorView, path?: readonly (string | number)[]): ResponseError {
  view.note?.(thrown);
  if (isStackOverflow(thrown)) return toResponseError(tooDeep(), view, path);
  if (isTooLong(thrown)) return toResponseError(tooLong(), view, path);
  if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") {
    view.log(thrown);
    return { message: panicText, ...(view.debug && { extensions: { code: "INTERNAL", hint: faultHint(thrown) } }) };
  }
  // The client cannot repair the store, and must not learn which file is damaged.
  if (thrown.code === "STORE_CORRUPT") view.log(thrown);
  const place = thrown.path ?? path;
  return {
    message: thrown.message,
    ...(thrown.locations ? { locations: thrown.locations } : {}),
    ...(place ? { path: place } : {}),
    ...extensionsOf(thrown, view),
  };
}

/** The fixed text blames the server; a developer needs to know that a plugin failed, and where to read more. */
function faultHint(thrown: unknown): string {
  const failed = thrown instanceof PluginFault ? `The plugin "${thrown.plugin}" failed in its hook ${thrown.hook}.` : "The server failed.";
  return `${failed} The server's log holds the error with its stack.`;
}

/** A client that may try again needs a code to decide, not a sentence. */
function extensionsOf({ code, hint }: QuernError, { debug }: ErrorView): Pick<ResponseError, "extensions"> {
  if (debug && hint !== undefined) return { extensions: { code, hint } };
  return codesToActOn.has(code) ? { extensions: { code } } : {};
}

const codesToActOn: ReadonlySet<ErrorCode> = new Set(["COUNT_MISMATCH", "OVERLOADED", "STORE_UNAVAILABLE", "TOO_MANY_REQUESTS"]);

/** Whether a request that was refused with this error succeeds in a moment, as it is. Nothing of it has run. */
export function mayRunLater(thrown: unknown): boolean {
  return thrown instanceof QuernError && (thrown.code === "OVERLOADED" || thrown.code === "STORE_UNAVAILABLE");
}
