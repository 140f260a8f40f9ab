// `@range`, `@length`, `@pattern`, `@format`: what the values of a field must be like, on every write.

import type { DirectivePlugin } from "../../core/plugin.ts";
import { judge } from "./judge.ts";
import { countBroken } from "./survey.ts";
import { allDefinitions, definitionsFor } from "./validation-definitions.ts";
import { readRules } from "./value-rules.ts";

/** `@range`, `@length`, `@pattern` and `@format`: which values a field takes. */
export function validationPlugin(): DirectivePlugin {
  return {
    name: "validation",
    definitions: allDefinitions,
    definitionsFor,
    model(context) {
      const rules = readRules(context);
      if (rules.length === 0) return undefined;
      const { former } = context;
      return { check: judge(rules), survey: ({ snapshot }) => countBroken(rules, { former: former?.model, snapshot }) };
    },
  };
}
