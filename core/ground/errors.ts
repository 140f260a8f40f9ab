// Every code a QuernError can carry, what it means and what to do about it. Codes are API; messages may improve.

/** The catalogue. The documentation in `core/README.md` lists the same codes; a test compares both. */
export const errorCodes = {
  SCHEMA_INVALID: "The schema document is refused; `errors` lists what, each with locations.",
  PLUGIN_MISSING: "A directive is used whose plugin is not installed, or a plugin needs another that is not there.",
  PLUGIN_CLASH: "Two plugins claim the same name.",
  CONFIG_INVALID: "An option is unknown, missing, or has a value that does not fit.",
  REQUEST_INVALID: "The request is malformed and was not run.",
  REQUEST_REFUSED: "The request is well formed and not allowed.",
  PERSISTED_QUERY_NOT_FOUND: "No document is known by this hash or id; send its text with the hash.",
  DOCUMENT_NOT_TRUSTED: "The server runs trusted documents alone, and this one is not among them.",
  LIMIT_REACHED: "A limit of the server ends the request; the message names it and its setting.",
  OVERLOADED: "The server has as much to do as it takes on at once; nothing was run, try again in a moment.",
  CANCELLED: "The client is gone, or the server is closing.",
  NO_SCHEMA: "Nothing is deployed yet.",
  OPERATION_FAILED: "A root field could not be answered; the message says why.",
  VALUE_INVALID: "A value cannot be stored or compared as what it should be.",
  CONFLICT: "Other writers won too often; try again.",
  KEY_TAKEN: "Another node has this key value; `details` names it.",
  END_TAKEN: "The single end is in use; `details` names the partner.",
  STALE_LAYOUT: "Another schema was deployed while the write ran; try again.",
  SUBSCRIPTION_EXPIRED: "A live query has lasted as long as its token or `limits.maxSubscriptionMs` allows; subscribe again.",
  VIEW_EXPIRED: "The view asked for is no longer, or not yet, to be had.",
  TOO_LARGE: "One transaction changes more nodes, or a node or query holds more, than the store takes at once.",
  MIGRATION_REFUSED: "Existing data forbid the new schema; the message names up to ten offenders.",
  OUTCOME_UNKNOWN: "The connection broke while committing; look before trying again.",
  STORE_CLOSED: "The store is not open.",
  STORE_LOCKED: "Another process has the store open.",
  STORE_UNAVAILABLE: "The store cannot be reached, read or written; the cause says more.",
  STORE_CORRUPT: "Files or contents of the store are damaged or missing; `quern check` names them.",
  ADDRESS_IN_USE: "Another process listens on this port.",
  ADDRESS_UNAVAILABLE: "This host or port cannot be listened on.",
  INTERNAL: "A fault of the server; its log says more.",
} as const;

export type ErrorCode = keyof typeof errorCodes;

export interface Location {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
}

export interface QuernErrorOptions extends ErrorOptions {
  /** What to do next. Shown on the command line and in development, never compared. */
  readonly hint?: string;
  readonly locations?: readonly Location[];
  readonly path?: readonly (string | number)[];
  /** The caller must not learn of it: the answer is as if nothing were there. */
  readonly hidden?: boolean;
  /** Facts for code, such as the holder of a key. Never shown. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The single errors of a list. */
  readonly errors?: readonly QuernError[];
}

/** An error that people may see: `message` says where, what was found and what fits; never a stack, a path of the machine or a secret. */
export class QuernError extends Error {
  override readonly name = "QuernError";
  readonly code: ErrorCode;
  readonly hint?: string;
  readonly locations?: readonly Location[];
  readonly path?: readonly (string | number)[];
  readonly hidden: boolean;
  readonly details: Readonly<Record<string, unknown>>;
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
