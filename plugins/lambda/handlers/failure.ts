// A call that failed, in the words that clients of Dgraph know.

import type { AnswerError } from "../../../core/plugin.ts";

/** The middle of the message, with the blank at its end. */
export class Failure extends Error {}

/** Errors that a lambda server reports: clients get them as they are. */
export class PassedErrors extends Error {
  readonly errors: readonly AnswerError[];

  constructor(errors: readonly AnswerError[]) {
    super("the lambda server reports errors");
    this.errors = errors;
  }
}

export interface FailedField {
  readonly field: string;
  readonly type: string;
}

export function failureErrors(thrown: unknown, { field, type }: FailedField): readonly AnswerError[] {
  if (thrown instanceof PassedErrors) return thrown.errors;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const middle = thrown instanceof Failure ? reason : `external request returned an error: ${reason} `;
  return [{ message: `Evaluation of custom field failed because ${middle}for field: ${field} within type: ${type}.` }];
}
