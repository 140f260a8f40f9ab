// Expected errors, and what they say to whom. Their codes are in `error-catalogue.ts`.

import type { ErrorCode } from "./error-catalogue.ts";

export type { ErrorCode } from "./error-catalogue.ts";

/** What an error says. */
export interface ErrorText {
  /** One of the catalogue. */
  readonly code: ErrorCode;
  readonly message: string;
  /** What Dgraph says in its place, for clients that match on its texts. Default: the same. */
  readonly compatible?: string;
}

/** The rule of the schema that a value breaks: `{ name: "range", min: 0 }`. */
export interface BrokenRule {
  /** The directive, without `@`. */
  readonly name: string;
  readonly [argument: string]: unknown;
}

/** Steps from a root field's arguments to a value: `["input", 0, "price"]`. */
export type InputPath = readonly (string | number)[];

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
  /** What Dgraph says in the place of the message. Clients get it with `errors: "compatible"`. */
  readonly compatible?: string;
  /** The place in the arguments of the root field that is at fault. Clients get it as `extensions.input`. */
  readonly input?: InputPath;
  /** The rule that a value breaks. Clients get it as `extensions.rule`; it holds no stored value. */
  readonly rule?: BrokenRule;
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
  /** What Dgraph says in the place of the message. */
  readonly compatible?: string;
  /** The place in the arguments of the root field that is at fault. */
  readonly input?: InputPath;
  /** The rule that a value breaks. */
  readonly rule?: BrokenRule;
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
    if (options.compatible !== undefined) this.compatible = options.compatible;
    if (options.input !== undefined) this.input = options.input;
    if (options.rule !== undefined) this.rule = options.rule;
    this.hidden = options.hidden ?? false;
    this.details = options.details ?? {};
    this.errors = options.errors ?? [];
  }
}
