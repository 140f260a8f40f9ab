// The error catalogue. Codes are part of the API: they are stable. `docs/errors.md` is made of it; a spec compares both.

/** What there is to know of a code. */
export interface CatalogueEntry {
  /** What has happened. */
  readonly meaning: string;
  /** What the reader can do. */
  readonly action: string;
  /** Nothing was done, and the same request may succeed when it is sent again. After all other codes a client must not repeat it as it is. */
  readonly retryable?: true;
  /** The status of HTTP answers that consist of this error. Default: as the protocol has it for any error. */
  readonly status?: number;
}

/** All codes. */
export const errorCatalogue = {
  SCHEMA_INVALID: {
    meaning: "The schema has mistakes; each is an entry of its own, with its place.",
    action: "Mend what the entries name, and deploy again. `quern validate` shows them without a server.",
  },
  PLUGIN_MISSING: {
    meaning: "The schema uses a directive whose plugin is not installed, or a plugin requires another one that is not installed.",
    action: "Install the plugin that the message names, or leave the directive out.",
  },
  PLUGIN_CLASH: {
    meaning: "Two plugins claim the same name.",
    action: "Leave one of them out, or rename one.",
  },
  PLUGIN_FAILED: {
    meaning: "A plugin threw an unexpected error while a schema was deployed or validated; the message names its hook.",
    action: "Report it to the plugin's author; the log has it whole.",
  },
  PLUGIN_TIMEOUT: {
    meaning: "A plugin did not do in time what it was called for.",
    action: "Operators: the log names the plugin and its hook. A write of this request was not committed.",
  },
  CONFIG_INVALID: {
    meaning: "An option is unknown, missing, or has an invalid value.",
    action: "Correct the option that the message names.",
  },
  REQUEST_INVALID: {
    meaning: "The request is malformed, or no valid document of this schema.",
    action: "Correct the request. Nothing was executed.",
  },
  REQUEST_REFUSED: {
    meaning: "The request is well formed and not allowed here.",
    action: "Read the message: it says what is allowed.",
  },
  UNAUTHENTICATED: {
    meaning: "The caller could not be identified: the token or key is missing, expired or wrong.",
    action: "Sign in again, and send the new token.",
  },
  FORBIDDEN: {
    meaning: "The access rules do not allow this to the caller.",
    action: "Do not repeat it as this caller. `quern explain` and the console show administrators which rule refuses.",
  },
  PERSISTED_QUERY_NOT_FOUND: {
    meaning: "The server has no document with this hash or id.",
    action: "Send its text together with the hash; Apollo's and urql's links do so by themselves.",
  },
  DOCUMENT_NOT_TRUSTED: {
    meaning: "The server only executes trusted documents, and this is not one of them.",
    action: "Register the document, then deploy the client.",
  },
  LIMIT_REACHED: {
    meaning: "The request exceeds a limit; the message names the limit and its setting.",
    action: "Ask for less, in several requests, or raise the limit.",
  },
  OVERLOADED: {
    meaning: "The server is busy and did not execute the request.",
    action: "Send it again after `Retry-After`, at growing intervals.",
    retryable: true,
    status: 503,
  },
  DRAINING: {
    meaning: "The server takes no new requests, because it is about to stop.",
    action: "Send it again in a moment, or to another server.",
    retryable: true,
  },
  TOO_MANY_REQUESTS: {
    meaning: "The caller has taken its share of the server.",
    action: "Send it again when `Retry-After` says.",
    retryable: true,
    status: 429,
  },
  CANCELLED: {
    meaning: "The client has disconnected, or the server is closing.",
    action: "Ask again if the answer is still wanted. A mutation may have been committed: look first.",
  },
  NO_SCHEMA: {
    meaning: "No schema is deployed yet.",
    action: "Deploy one: `quern deploy schema.graphql`.",
  },
  OPERATION_FAILED: {
    meaning: "A root field failed; the message says why.",
    action: "Read the message.",
  },
  NOT_EXECUTED: {
    meaning: "The mutation before this one failed, so this one was not executed.",
    action: "Mend the first one, then send both.",
  },
  FIELD_FAILED: {
    meaning: "A field of the answer has no value that its type allows; it is null, or the object around it is.",
    action: "Make the field nullable, or write values that fit; `quern check` finds stored ones that do not.",
  },
  NOT_FOUND: {
    meaning: "The object that the request names does not exist, or the caller may not see it.",
    action: "Read the objects again: it may have been deleted.",
  },
  VALUE_INVALID: {
    meaning: "A value does not fit the type of its field.",
    action: "Show it at the field that `extensions.input` names.",
  },
  VALUE_MISSING: {
    meaning: "A required field has no value.",
    action: "Show it at the field that `extensions.input` names.",
  },
  OUT_OF_RANGE: {
    meaning: "A number, or the length of a text or list, is outside the range that the schema allows.",
    action: "Show it at the field; `extensions.rule` has the bounds.",
  },
  BAD_FORMAT: {
    meaning: "A text does not have the form that the schema demands.",
    action: "Show it at the field; `extensions.rule` has the form.",
  },
  NOT_UNIQUE: {
    meaning: "Another object has the values that must be unique together.",
    action: "Let the user choose other values; `extensions.rule` names the fields.",
  },
  KEY_TAKEN: {
    meaning: "Another object has this value of a unique key.",
    action: "Let the user choose another value, or add with `upsert: true`.",
  },
  END_TAKEN: {
    meaning: "The object already has a link where only one is possible.",
    action: "Remove that link first. For storages; clients get `CONFLICT`.",
  },
  RESTRICTED: {
    meaning: "Something still leads to the object, and the schema keeps both.",
    action: "Delete or unlink what leads to it first.",
  },
  COUNT_MISMATCH: {
    meaning: "An update or a delete is about more or fewer objects than the request says it must be. Nothing was written.",
    action: "Read the objects again, and decide anew: somebody else was first.",
  },
  CONFLICT: {
    meaning: "The transaction lost against other writers too often. Nothing was written.",
    action: "Send it again.",
    retryable: true,
  },
  STALE_LAYOUT: {
    meaning: "Another schema was deployed during the write. Nothing was written.",
    action: "Send it again.",
    retryable: true,
  },
  SUBSCRIPTION_EXPIRED: {
    meaning: "A subscription has reached the end of its token or of `limits.maxSubscriptionMs`.",
    action: "Subscribe again, with a new token if the old one has expired.",
    retryable: true,
  },
  VIEW_EXPIRED: {
    meaning: "The requested view is no longer, or not yet, available.",
    action: "Read the newest data.",
  },
  TOO_LARGE: {
    meaning: "A transaction, a node or a query is larger than the store allows.",
    action: "Split it.",
  },
  MIGRATION_REFUSED: {
    meaning: "Existing data violate the new schema; the message names up to ten of them.",
    action: "Mend the data or the schema, and deploy again.",
  },
  OUTCOME_UNKNOWN: {
    meaning: "The connection broke during the commit.",
    action: "Never repeat it blindly: read whether the write happened.",
  },
  COMMITTED: {
    meaning: "The mutation was committed, but its payload could not be read.",
    action: "Do not repeat it; read the objects.",
  },
  STORE_CLOSED: {
    meaning: "The store is not open, or not open any more.",
    action: "Send it again in a moment. In process: call `open` first.",
    retryable: true,
  },
  STORE_LOCKED: {
    meaning: "Another process has opened the store.",
    action: "Stop that process, or use another folder.",
  },
  STORE_UNAVAILABLE: {
    meaning: "The store cannot be reached, read or written.",
    action: "Send it again after `Retry-After`. Operators: see the cause in the log.",
    retryable: true,
    status: 503,
  },
  STORE_CORRUPT: {
    meaning: "Files or contents of the store are damaged or missing.",
    action: "Operators: run `quern check`, then restore a backup or repair.",
  },
  ADDRESS_IN_USE: {
    meaning: "Another process listens on this port.",
    action: "Choose another port, or stop that process.",
  },
  ADDRESS_UNAVAILABLE: {
    meaning: "The server cannot listen on this host or port.",
    action: "Choose an address of this machine, and a port that this user may use.",
  },
  INTERNAL: {
    meaning: "An error of the server itself.",
    action: "Operators: the log has it whole, under the request's id. Please report it.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** The code of an error. */
export type ErrorCode = keyof typeof errorCatalogue;

/** Whether a request that failed with this code may succeed when it is sent again, unchanged. */
export function isRetryable(code: ErrorCode): boolean {
  return "retryable" in errorCatalogue[code];
}
