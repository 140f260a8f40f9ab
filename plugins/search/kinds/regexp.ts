// `regexp`, also called `trigram`: texts that contain a match of a regular expression. The empty text never matches. The trigrams that a match
// must contain narrow the candidates.

import { and, or, type Predicate } from "../../../core/plugin.ts";
import type { IndexKind, SearchTarget } from "../ground/kind.ts";
import { invalid, operator, text, texts } from "../ground/operand.ts";
import { expression } from "../text/expression.ts";
import { trigrams } from "../text/trigrams.ts";
import { lookup, textIndex } from "./tokens.ts";

export interface PatternOptions {
  /** For expressions that require no trigram, such as `/.*x/`: test every text within the request's limits, or refuse them. */
  readonly withoutTrigrams: "scan" | "refuse";
}

export function patternKind(name: "regexp" | "trigram", options: PatternOptions): IndexKind {
  return {
    name,
    fits: ["String", "enum"],
    search: (target) => ({
      input: "StringRegExpFilter",
      builtIn: true,
      operators: { regexp: operator("String", text, (written) => found(target, written, options)) },
      index: textIndex("trigram@1", trigrams),
    }),
  };
}

function found(target: SearchTarget, written: string, { withoutTrigrams }: PatternOptions): Predicate {
  const { test, required } = expression(written);
  if (required === undefined && withoutTrigrams === "refuse")
    throw invalid(`the regular expression ${written} needs no three characters in a row, so it would be tried on every text: make it more specific`);
  const within = required && or(...required.map((alternative) => and(...alternative.map((trigrams) => lookup(target, "any", trigrams)))));
  return {
    kind: "check",
    field: target.field.stored,
    test: { id: `regexp@1 ${JSON.stringify(written)}`, holds: (values) => texts(values).some((value) => value !== "" && test(value)) },
    ...(within && { within }),
  };
}
