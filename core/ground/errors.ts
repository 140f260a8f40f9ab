// The error catalogue: each code of a `QuernError` and its meaning. Codes are part of the API; messages may change.

/** The meaning of each code. `core/README.md` lists the same; a test compares both. */
export const errorCodes = {
  SCHEMA_INVALID: "The schema is invalid; `errors` lists each error with its locations.",
  PLUGIN_MISSING: "The schema uses a directive whose plugin is not installed, or a plugin requires another one that is not installed.",
  PLUGIN_CLASH: "Two plugins claim the same name.",
  CONFIG_INVALID: "An option is unknown, missing, or has an invalid value.",
  REQUEST_INVALID: "The request is malformed and was not executed.",
  REQUEST_REFUSED: "The request is well formed and not allowed.",
  PERSISTED_QUERY_NOT_FOUND: "The server has no document with this hash or id; send its text with the hash.",
  DOCUMENT_NOT_TRUSTED: "The server only executes trusted documents, and this is not one of them.",
  LIMIT_REACHED: "The request exceeds a limit; the message names the limit and its setting.",
  OVERLOADED: "The server is busy and did not execute the request; try again in a moment.",
  TOO_MANY_REQUESTS: "The caller has taken its share of the server; try again when `Retry-After` says.",
  CANCELLED: "The client has disconnected, or the server is closing.",
  NO_SCHEMA: "No schema is deployed yet.",
  OPERATION_FAILED: "A root field failed; the message says why.",
  VALUE_INVALID: "A value does not fit the type of its field.",
  CONFLICT: "The transaction conflicted with other writers too often; try again.",
  COUNT_MISMATCH: "An update or a delete is about more or fewer nodes than the request says it must be; nothing was written.",
  KEY_TAKEN: "Another node has this value of a unique key; `details` names it.",
  END_TAKEN: "The node already has a link where only one is possible; `details` names the linked node.",
  STALE_LAYOUT: "Another schema was deployed during the write; try again.",
  SUBSCRIPTION_EXPIRED: "A subscription has reached the end of its token or `limits.maxSubscriptionMs`; subscribe again.",
  VIEW_EXPIRED: "The requested view is no longer, or not yet, available.",
  TOO_LARGE: "A transaction, a node or a query is larger than the store allows.",
  MIGRATION_REFUSED: "Existing data violate the new schema; the message names up to ten of them.",
  OUTCOME_UNKNOWN: "The connection broke during the commit; check whether the write happened before you repeat it.",
  COMMITTED: "The mutation was committed, but its payload could not be read; do not repeat it.",
  STORE_CLOSED: "The store is not open.",
  STORE_LOCKED: "Another process has opened the store.",
  STORE_UNAVAILABLE: "The store cannot be reached, read or written; see the cause.",
  STORE_CORRUPT: "Files or contents of the store are damaged or missing; `quern check` names them.",
  ADDRESS_IN_USE: "Another process listens on this port.",
  ADDRESS_UNAVAILABLE: "The server cannot listen on this host or port.",
  INTERNAL: "An internal error of the server; see its log.",
} as const;

/** The code of a `QuernError`. Codes are stable. */
export type ErrorCode = keyof typeof errorCodes;

/** A position in a source text. Line and column start at 1. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** The optional members of a `QuernError`, and `cause`. */
export interface QuernErrorOptions extends ErrorOptions {
  /** What the reader can do next. Shown on the command line and in debug mode. */
  readonly hint?: string;
  /** Where in the document or schema. */
  readonly locations?: readonly Location[];
  /** Where in the response. */
  readonly path?: readonly (string | number)[];
  /** True: clients must not see the error. The response is the one for absent data. */
  readonly hidden?: boolean;
  /** Data for programs, such as the uid of the node that holds a key. Never shown to clients. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The individual errors, when this error stands for several. */
  readonly errors?: readonly QuernError[];
}

/**
 * An expected error, which clients may see. `message` says where, what was found and what is valid. It contains no stack, no path of this machine
 * and no secret.
 *
 *     throw new QuernError("VALUE_INVALID", 'Type Author; Field born: "soon" is not a DateTime.', { hint: "Write 2031-04-09." });
 */
export class QuernError extends Error {
  override readonly name = "QuernError";
  /** One of the catalogue; stable. */
  readonly code: ErrorCode;
  /** What the reader can do next. */
  readonly hint?: string;
  /** Where in the document or schema. */
  readonly locations?: readonly Location[];
  /** Where in the response. */
  readonly path?: readonly (string | number)[];
  /** True: clients get the answer for absent data in its place. */
  readonly hidden: boolean;
  /** Data for programs, never shown to clients. Empty: there are none. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The individual errors, when this one stands for several; else empty. */
  readonly errors: readonly QuernError[];

  constructor(code: ErrorCode, message: string, options: QuernErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.locations !== undefined) this.locations = options.locations;
    if (options.path !== undefined) this.path = options.path;
    this.hidden = options.hidden ?? false;
    this.details = options.details ?? {};
    this.errors = options.errors ?? [];
  }
}
