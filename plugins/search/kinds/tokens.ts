// Shared by the text kinds: token indexes, and lookups of what a query says.

import { none, type Predicate, runAtOnce, type Work } from "../../../core/plugin.ts";
import type { Operator, SearchTarget, TokenSearch } from "../ground/kind.ts";
import { text } from "../ground/operand.ts";
import type { Parts } from "../text/analyzer.ts";

/**
 * An inverted index of texts.
 *
 * @param id name and version of the tokenizer, and all options that its tokens depend on
 * @param partsOf the tokens of one text, repeats allowed
 */
export function textIndex(id: string, partsOf: (text: string) => Parts): TokenSearch {
  return { by: "tokens", id, tokens: (value) => (typeof value === "string" ? distinctOf(partsOf(value)) : []) };
}

/** Those of a short text at once. */
function distinctOf(parts: Parts): Iterable<string> {
  if (!Array.isArray(parts)) return inTurn(parts);
  const [only] = parts;
  return [...new Set<string>(parts.length === 1 ? only : parts.flat())];
}

/** Whoever draws them may stop at each. A part without new tokens repeats some: a text that says the same over and over is long work too. */
function* inTurn(parts: Parts): Generator<string> {
  const before = new Set<string>();
  for (const part of parts) {
    let drawn = 0;
    for (const token of part) {
      if (before.has(token)) continue;
      before.add(token);
      drawn++;
      yield token;
    }
    for (; drawn < leastOfPart && drawn < part.length; drawn++) yield part[drawn] ?? "";
  }
}

/** A storage stops every hundred tokens or so. */
const leastOfPart = 16;

/** Matches nodes with any, or all, of `tokens`; on a list field they may come from different values. Without tokens it matches nothing. */
export function lookup({ index }: SearchTarget, match: "any" | "all", tokens: Iterable<string>): Predicate {
  const distinct = [...new Set(tokens)].sort();
  return distinct.length === 0 ? none : { kind: "lookup", index, match, tokens: distinct };
}

/** An operator that looks up the tokens of a text. */
export function tokensOperator(target: SearchTarget, match: "any" | "all", partsOf: (text: string) => Parts): Operator {
  const steps = (operand: unknown) => lookupInSteps(target, match, partsOf(text(operand)));
  const isNothing = (operand: unknown) => operand === null || operand === undefined;
  return {
    takes: "String",
    predicate: (operand) => (isNothing(operand) ? undefined : runAtOnce(steps(operand))),
    steps: (operand) => (isNothing(operand) ? nothing() : steps(operand)),
  };
}

// biome-ignore lint/correctness/useYield: there is nothing to do
function* nothing(): Work<undefined> {
  return undefined;
}

function* lookupInSteps(target: SearchTarget, match: "any" | "all", parts: Parts): Work<Predicate> {
  const distinct = new Set<string>();
  for (const part of parts) {
    for (const token of part) distinct.add(token);
    yield;
  }
  return distinct.size > fewTokens ? { kind: "lookup", index: target.index, match, tokens: [...distinct] } : lookup(target, match, distinct);
}

/** Sorting more takes long, and hardly two queries have the same ones in another order. */
const fewTokens = 1_000;
