// Refusals of requests: the message for the client and the HTTP status.

import { type ErrorCode, type ErrorStyle, type Kernel, QuernError, type ResponseError } from "../../../core/index.ts";
import { worded } from "../../../core/server.ts";
import type { StoreTrouble } from "../../../core/storage.ts";
import type { BodyLimit } from "./body-limits.ts";

/**
 * Thrown while a request is decoded. `status` is that of the GraphQL-over-HTTP specification; a client that did not ask for
 * `application/graphql-response+json` gets 200.
 */
export class HttpRefusal extends QuernError {
  readonly status: number;

  constructor(message: string, status = 400, code: ErrorCode = "REQUEST_INVALID", compatible?: string) {
    super(code, message, compatible === undefined ? {} : { compatible });
    this.status = status;
  }
}

/** Codes that the answer has beside Dgraph's text, because clients act on them. */
const shownCodes: ReadonlySet<ErrorCode> = new Set(["PERSISTED_QUERY_NOT_FOUND", "DOCUMENT_NOT_TRUSTED", "OVERLOADED", "STORE_UNAVAILABLE"]);

/** The entries of `errors` for a refusal. */
export function refusalErrors({ message, code, compatible }: HttpRefusal, style: ErrorStyle): readonly ResponseError[] {
  const shown = style === "compatible" && shownCodes.has(code) && { extensions: { code } };
  return worded([{ code, message, ...(compatible !== undefined && { compatible }), ...shown }], style);
}

/** How the kernel words errors. */
export function styleOf({ config }: Pick<Kernel, "config">): ErrorStyle {
  return config.errors ?? "plain";
}

export function tooLarge(limit: BodyLimit): HttpRefusal {
  return new HttpRefusal(`The request body is larger than ${limit.most} bytes (${limit.setting}). ${sendLess(limit, "bytes")}`, 413, "LIMIT_REACHED");
}

/** For a request that waited in vain for memory for its body. */
export function noRoom(): HttpRefusal {
  return new HttpRefusal(
    "The bodies of other requests take all memory that there is for bodies (limits.maxBufferedBytes). Try again in a moment.",
    503,
    "OVERLOADED",
  );
}

/** While the store opens, or is closed: which schema there is, is not known. */
export function notReady(trouble?: StoreTrouble): HttpRefusal {
  if (trouble !== undefined) return new HttpRefusal(`${notOpen(trouble)} Try again in a moment.`, 503, "STORE_UNAVAILABLE");
  return new HttpRefusal("The store is not open. Try again in a moment.", 503, "OVERLOADED");
}

/** Why a client that stays connected is not let in. */
export function notOpen(trouble: StoreTrouble | undefined): string {
  return trouble === undefined
    ? "The store is not open. Try again in a moment."
    : `The store is not open: ${trouble.reason}. It is opened again as soon as that is possible.`;
}

export function inflatesTooLarge(limit: BodyLimit): HttpRefusal {
  return new HttpRefusal(
    `The request body unpacks to more than ${limit.most} bytes (${limit.setting}). ${sendLess(limit, "bytes")}`,
    413,
    "LIMIT_REACHED",
  );
}

/** For a JSON body that would become too much. */
export function holdsTooMany(limit: BodyLimit): HttpRefusal {
  return new HttpRefusal(
    `The request body holds more than ${limit.most} values (${limit.setting}). ${sendLess(limit, "values")}`,
    413,
    "LIMIT_REACHED",
  );
}

function sendLess({ administrators }: BodyLimit, what: "bytes" | "values"): string {
  const more = administrators === undefined ? "" : ` With the admin token it may have ${administrators.most} ${what} (${administrators.setting}).`;
  return `Send it in smaller parts.${more}`;
}
