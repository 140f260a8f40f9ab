// What a root field of the administration is: a function of its arguments and of the server.

import { type MaybePromise, QuernError } from "../../../core/index.ts";
import type { HttpContext } from "../context.ts";

/** Arguments as the `graphql` package has checked and coerced them. */
export type AdminArguments = Readonly<Record<string, unknown>>;

/**
 * Gives the field's value for the `graphql` package to complete. A QuernError is told as the reason why resolving the field failed;
 * one with a path stands as it is.
 */
export type AdminField = (args: AdminArguments, context: HttpContext) => MaybePromise<unknown>;

export type AdminFields = Readonly<Record<string, AdminField>>;

/** The argument, or a member inside it; undefined where one is missing on the way. */
export function argumentAt(args: AdminArguments, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Object.entries(inner).find(([name]) => name === key)?.[1] : undefined),
    args,
  );
}

/** Why a field fails, in words that follow "because". */
export function failed(reason: string): QuernError {
  return new QuernError("OPERATION_FAILED", reason);
}

/** The payload of fields that only say that they did their work. */
export function succeeded(message: string) {
  return { response: { code: "Success", message } };
}
