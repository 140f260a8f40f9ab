// Suggestions for misspelled names of a schema: each name once, and a bounded number of them, because a schema may have as many mistakes as names.

import { nearestName } from "../../ground/near-name.ts";

/** Distinct names. */
const maxSuggestions = 1_000;

export class Suggestions {
  readonly #found = new Map<string, string | undefined>();

  /** @param kind of names: a type is not looked for among directives */
  nearest(name: string, kind: string, known: Iterable<string>): string | undefined {
    const key = `${kind} ${name}`;
    if (this.#found.has(key)) return this.#found.get(key);
    if (this.#found.size >= maxSuggestions) return undefined;
    const near = nearestName(name, known);
    this.#found.set(key, near);
    return near;
  }
}
