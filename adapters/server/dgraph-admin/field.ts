// The type of a root field of the admin API: a function of its arguments, the server and the HTTP request.

import type { AdminFieldCall } from "../../../core/plugin.ts";
import { type HttpRequest, type MaybePromise, QuernError } from "../../../core/transport.ts";
import type { ServerParts } from "../parts/server-parts.ts";

/** Arguments, validated and coerced by the `graphql` package. */
export type AdminArguments = Readonly<Record<string, unknown>>;

/**
 * Returns the field's value; the `graphql` package completes it. A QuernError becomes the reason in `resolving <field> failed because`;
 * one with a path is reported unchanged.
 */
export type AdminField = (
  args: AdminArguments,
  server: ServerParts,
  request: Omit<HttpRequest, "body">,
  describe: AdminFieldCall["describe"],
) => MaybePromise<unknown>;

export type AdminFields = Readonly<Record<string, AdminField>>;

/** The argument, or a member inside it; undefined: missing. */
export function argumentAt(args: AdminArguments, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Object.entries(inner).find(([name]) => name === key)?.[1] : undefined),
    args,
  );
}

interface Shown {
  readonly code?: QuernError["code"];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** The reason of a failed field: the words after "because". @param shown the code, and extensions of the error in the answer */
export function failed(reason: string, { code = "OPERATION_FAILED", extensions = {} }: Shown = {}): QuernError {
  return new QuernError(code, reason, { details: { extensions } });
}

/** The reason of a field that fails and has a value all the same. */
export class FailedWithData extends QuernError {
  readonly data: unknown;
  constructor(reason: string, data: unknown) {
    super("OPERATION_FAILED", reason);
    this.data = data;
  }
}

/** The payload of fields that return no data. */
export function succeeded(message: string) {
  return { response: { code: "Success", message } };
}
