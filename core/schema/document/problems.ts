// Collects the problems of one stage, without duplicates, and throws them together in source order.

import type { ASTNode } from "graphql";
import { type Location, QuernError } from "../../ground/errors.ts";
import { locationOf } from "./locations.ts";

/** The nodes or locations of a problem. */
export type ProblemLocation = ASTNode | Location | readonly (ASTNode | Location)[];

/** Collects the problems of a stage, which calls `assertNone` at its end. */
export class Problems {
  readonly #found = new Map<string, QuernError>();

  /** Ignores a repeated message at the same location: an inherited field occurs in every type that inherits it. */
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

/** Details of an error without a location: clients expect its message without the prefix `input:`. */
export const withoutLocation = Object.freeze({ standsAlone: true });

/** The error of a refused deploy; its message contains one line for each error: `input:<line>: <message>`. */
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

/** Problems without a location come first, in the order of their reports. */
function byLocation(a: QuernError, b: QuernError): number {
  const [left, right] = [a.locations?.[0], b.locations?.[0]];
  if (!left || !right) return (left ? 1 : 0) - (right ? 1 : 0);
  return left.line - right.line || left.column - right.column;
}
