// Predicates on the words of a field. On a list field the words may be spread over its values.

import { none, type Predicate, type Value } from "../../../core/index.ts";
import type { Analyzer } from "../text/analyzer.ts";
import type { SearchTarget } from "./kind.ts";
import { texts } from "./operand.ts";

export interface WordsQuestion {
  /** The operator, as printed in plans. */
  readonly name: string;
  /** How many of `tokens` must be found. */
  readonly match: "any" | "all";
  /** In any order. None: nothing is found. */
  readonly tokens: readonly string[];
}

/**
 * Holds where the values of the field are found by any, or all, tokens.
 *
 * @param findable the tokens that one text is found by
 */
export function wordsCheck(target: SearchTarget, question: WordsQuestion, analyzer: Pick<Analyzer, "id" | "findable">): Predicate {
  const wanted: ReadonlySet<string> = new Set(question.tokens);
  if (wanted.size === 0) return none;
  const id = `${question.name}@1 ${analyzer.id} ${JSON.stringify([...wanted].sort())}`;
  const holds = question.match === "any" ? anyOf(wanted, analyzer) : allOf(wanted, analyzer);
  return { kind: "check", field: target.field.stored, test: { id, holds } };
}

function anyOf(wanted: ReadonlySet<string>, { findable }: Pick<Analyzer, "findable">): (values: readonly Value[]) => boolean {
  return (values) => texts(values).some((text) => findable(text).some((token) => wanted.has(token)));
}

function allOf(wanted: ReadonlySet<string>, { findable }: Pick<Analyzer, "findable">): (values: readonly Value[]) => boolean {
  return (values) => {
    const missing = new Set(wanted);
    for (const text of texts(values)) {
      for (const token of findable(text)) if (missing.delete(token) && missing.size === 0) return true;
    }
    return false;
  };
}
