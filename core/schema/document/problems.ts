// Collects the problems of one stage, without duplicates, and throws them together in source order.

import type { ASTNode } from "graphql";
import { type Location, QuernError } from "../../ground/errors.ts";
import { locationOf } from "./locations.ts";

/** The nodes or locations of a problem. */
export type ProblemLocation = ASTNode | Location | readonly (ASTNode | Location)[];

/** How much of what is wrong a check reports: the first problem of each part, as Dgraph does, or all that do not follow from one another. */
export type Thoroughness = "first" | "all";

/** Collects the problems of a stage, which calls `assertNone` at its end. */
export class Problems {
  readonly #found = new Map<string, QuernError>();

  /** Ignores a repeated message at the same location: an inherited field occurs in every type that inherits it. */
  report(message: string, at: ProblemLocation = [], hint?: string, details: Readonly<Record<string, unknown>> = {}): void {
    const locations = locationsOf(at);
    const key = problemKey({ message, locations });
    if (this.#found.has(key)) return;
    this.#found.set(key, new QuernError("SCHEMA_INVALID", message, hint === undefined ? { locations, details } : { locations, hint, details }));
  }

  /** Reports what a check has thrown. */
  add(thrown: QuernError): void {
    for (const each of thrown.errors.length > 0 ? thrown.errors : [thrown]) this.#found.set(problemKey(each), each);
  }

  /** A collection that begins with what this one has. */
  fork(): Problems {
    const fork = new Problems();
    fork.take(this);
    return fork;
  }

  get size(): number {
    return this.#found.size;
  }

  /** Reports what another check has found. */
  take(others: Problems): void {
    for (const [key, error] of others.#found) this.#found.set(key, error);
  }

  get none(): boolean {
    return this.#found.size === 0;
  }

  /** Where problems are, as of now. */
  places(): { has(node: ASTNode): boolean } {
    const places = new Set([...this.#found.values()].flatMap(({ locations = [] }) => locations.map(placeText)));
    return { has: (node) => places.size > 0 && locationsOf(node).some((each) => places.has(placeText(each))) };
  }

  /** @throws QuernError `SCHEMA_INVALID` with the problem that was reported first */
  assertNoFirst(): void {
    const [first] = this.#found.values();
    if (first) throw refusal([first]);
  }

  /** @throws QuernError `SCHEMA_INVALID` with all problems in `errors`, in the order of the text */
  assertNone(): void {
    if (!this.none) throw refusal(inTextOrder([...this.#found.values()]));
  }
}

/** Details of an error without a location: clients expect its message without the prefix `input:`. */
export const withoutLocation = Object.freeze({ standsAlone: true });

/** Errors that the message of a refusal names. */
const maxNamed = 50;

/** The error of a refused deploy; its message contains one line for each of up to 50 errors: `input:<line>: <message>`. */
export function refusal(errors: readonly QuernError[]): QuernError {
  const more = errors.length - maxNamed;
  const lines = [...errors.slice(0, maxNamed).map(asText), ...(more > 0 ? [`and ${more} more`] : [])];
  return new QuernError("SCHEMA_INVALID", lines.join("\n"), { errors });
}

/** Problems without a location come first, in the order of their reports. */
export function inTextOrder(errors: readonly QuernError[]): readonly QuernError[] {
  return [...errors].sort(byLocation);
}

/** The same for the same problem at the same place. */
export function problemKey({ message, locations = [] }: Pick<QuernError, "message" | "locations">): string {
  return JSON.stringify([message, locations]);
}

function placeText({ line, column }: Location): string {
  return `${line}:${column}`;
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

function byLocation(a: QuernError, b: QuernError): number {
  const [left, right] = [a.locations?.[0], b.locations?.[0]];
  if (!left || !right) return (left ? 1 : 0) - (right ? 1 : 0);
  return left.line - right.line || left.column - right.column;
}
