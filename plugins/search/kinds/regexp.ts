// `regexp`, also called `trigram`: texts in which a regular expression is found. The empty text never matches.

import type { Predicate } from "../../../core/index.ts";
import { expression } from "../text/expression.ts";
import type { IndexKind, SearchTarget } from "./kind.ts";
import { operator, text, texts } from "./operand.ts";

export const regexp = patterns("regexp");
export const trigram = patterns("trigram");

function patterns(name: string): IndexKind {
  return {
    name,
    fits: ["String", "enum"],
    search: (target) => ({
      input: "StringRegExpFilter",
      builtIn: true,
      operators: { regexp: operator("String", text, (written) => found(target, written)) },
    }),
  };
}

function found({ field }: SearchTarget, written: string): Predicate {
  const { test } = expression(written);
  return {
    kind: "check",
    field: field.stored,
    test: { id: `regexp@1 ${JSON.stringify(written)}`, holds: (values) => texts(values).some((value) => value !== "" && test(value)) },
  };
}
