// The problems of one stage: collected, told apart, put in the order of the text, thrown together.

import type { ASTNode } from "graphql";
import { type Location, QuernError } from "../../ground/errors.ts";
import { locationOf } from "./locations.ts";

export type ProblemLocation = ASTNode | Location | readonly (ASTNode | Location)[];

/** Collects what is wrong. A stage reports into it and asks once, at its end, whether the deploy goes on. */
export class Problems {
  readonly #found = new Map<string, QuernError>();

  /** The same message at the same place counts once: an inherited field is met in every type that has it. */
  report(message: string, at: ProblemLocation = [], hint?: string, details: Readonly<Record<string, unknown>> = {}): void {
    const locations = locationsOf(at);
    const key = JSON.stringify([message, locations]);
    if (this.#found.has(key)) return;
    this.#found.set(key, new QuernError("SCHEMA_INVALID", message, hint === undefined ? { locations, details } : { locations, hint, details }));
  }

  get none(): boolean {
    return this.#found.size === 0;
  }

  /** @throws QuernError `SCHEMA_INVALID` with all problems in `errors`, in the order of the text */
  assertNone(): void {
    if (!this.none) throw refusal([...this.#found.values()].sort(byLocation));
  }
}

/** Of an error without a place: clients know its text without the word `input` before it. */
export const withoutLocation = Object.freeze({ standsAlone: true });

/** The refusal of a deploy; its message shows each error as `input:<line>: <message>`. */
export function refusal(errors: readonly QuernError[]): QuernError {
  return new QuernError("SCHEMA_INVALID", errors.map(asText).join("\n"), { errors });
}

function asText(error: QuernError): string {
  const line = error.locations?.[0]?.line;
  return line === undefined ? `input: ${error.message}` : `input:${line}: ${error.message}`;
}

function locationsOf(at: ProblemLocation): readonly Location[] {
  return [at].flat().flatMap((each) => {
    const location = "kind" in each ? locationOf(each) : each;
    return location ? [location] : [];
  });
}

/** Stable: problems without a place stay where they were reported, in front. */
function byLocation(a: QuernError, b: QuernError): number {
  const [left, right] = [a.locations?.[0], b.locations?.[0]];
  if (!left || !right) return (left ? 1 : 0) - (right ? 1 : 0);
  return left.line - right.line || left.column - right.column;
}
