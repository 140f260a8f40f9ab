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
      const judgeBefore = judge(rules, ({ field }) => field.transformed);
      return {
        // What a plugin after this one will store otherwise than it is shown, such as encrypted.
        changes: (asked) => (rules.some(({ field }) => field.transformed) ? judgeBefore(asked).then(() => undefined) : undefined),
        check: judge(rules, ({ field }) => !field.transformed),
        survey: ({ snapshot }) =>
          countBroken(
            rules.filter(({ field }) => !field.transformed),
            { former: former?.model, snapshot },
          ),
      };
    },
  };
}
