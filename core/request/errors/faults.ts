// Turns errors into what a client may see. A `QuernError` keeps its message; any other error is a fault: the log gets it whole, the client one
// fixed text.

import type { ErrorStyle } from "../../ground/error-style.ts";
import { type ErrorCode, QuernError } from "../../ground/errors.ts";
import { PluginFault, PluginTimeout } from "../../ground/plugin-fault.ts";
import { isStackOverflow, isTooLong, tooDeep, tooLong } from "../../ground/too-deep.ts";
import type { FailedField } from "../../query/operation-context.ts";
import { failedField } from "../../query/write/failed-field.ts";

/** What clients are shown of an internal error. */
export const faultText = "Internal error of the server. Its log has the details.";

/** The same as Dgraph says it. */
export const panicText =
  "Internal Server Error - a panic was trapped.  This indicates a bug in the GraphQL server.  A stack trace was logged.  Please let us know by filing an issue with the stack trace.";

/** An internal error, as it is worded for clients. */
export const internalError: FailedField = { code: "INTERNAL", message: faultText, compatible: panicText };

/** Gets every fault whole, with its stack. */
export type FaultLog = (fault: unknown) => void;
export interface ErrorView {
  /** Development: hints are shown. */
  readonly debug: boolean;
  readonly style: ErrorStyle;
  readonly log: FaultLog;
  /** Called with everything that was thrown, before it becomes a message. */
  readonly note?: (thrown: unknown) => void;
  /** Gets the messages that access rules keep from callers. */
  readonly logHidden?: (message: string) => void;
}

/** What failed where something was thrown; `path` where the error itself has none. */
export function failureOf(thrown: unknown, view: ErrorView, path?: readonly (string | number)[]): FailedField {
  view.note?.(thrown);
  if (isStackOverflow(thrown)) return failureOf(tooDeep(), view, path);
  if (isTooLong(thrown)) return failureOf(tooLong(), view, path);
  if (thrown instanceof PluginTimeout) return timedOut(thrown, view, path);
  if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") {
    view.log(thrown);
    return view.debug ? { ...internalError, extensions: { code: "INTERNAL", hint: faultHint(thrown) } } : internalError;
  }
  // The client cannot repair the store, and must not learn which file is damaged.
  if (thrown.code === "STORE_CORRUPT") view.log(thrown);
  return { ...failedField(thrown, path), ...extensionsOf(thrown, view) };
}

/** What clients are shown when a plugin has not done its part in time. */
export const timeoutText = "The server did not finish this in time. Its log says why.";

function timedOut(thrown: PluginTimeout, view: ErrorView, path: readonly (string | number)[] | undefined): FailedField {
  view.log(thrown);
  const { code } = thrown;
  return { code, message: timeoutText, ...(path && { path }), extensions: view.debug ? { code, hint: faultHint(thrown) } : { code } };
}

/** The fixed text blames the server; a developer needs to know that a plugin failed, and where to read more. */
function faultHint(thrown: unknown): string {
  const failed = thrown instanceof PluginFault ? `The plugin "${thrown.plugin}" failed in its hook ${thrown.hook}.` : "The server failed.";
  return `${failed} The server's log holds the error with its stack.`;
}

/** A client that may try again needs a code to decide, not a sentence. */
function extensionsOf({ code, hint }: QuernError, { debug, style }: ErrorView): Pick<FailedField, "extensions"> {
  if (debug && hint !== undefined) return { extensions: { code, hint } };
  if (style === "plain") return {};
  return codesToActOn.has(code) ? { extensions: { code } } : {};
}

const codesToActOn: ReadonlySet<ErrorCode> = new Set(["COUNT_MISMATCH", "OVERLOADED", "STORE_CLOSED", "STORE_UNAVAILABLE", "TOO_MANY_REQUESTS"]);

/** Whether a request that was refused with this error succeeds in a moment, as it is. Nothing of it has run. */
export function mayRunLater(thrown: unknown): boolean {
  return thrown instanceof QuernError && (thrown.code === "OVERLOADED" || thrown.code === "STORE_UNAVAILABLE");
}
