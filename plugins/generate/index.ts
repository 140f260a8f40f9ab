// `@generate`: enables and disables the generated operations of a type.

import type { DirectivePlugin } from "../../core/plugin.ts";
import { readSwitches } from "./switches.ts";

/** `@generate`: which operations of a type exist. */
export function generatePlugin(): DirectivePlugin {
  return {
    name: "generate",
    // Dgraph's error texts, which clients may parse.
    validatesArguments: true,
    definitions: `
      input GenerateQueryParams { get: Boolean query: Boolean password: Boolean aggregate: Boolean }
      input GenerateMutationParams { add: Boolean update: Boolean delete: Boolean }
      "Which operations the type gets. Everything but subscriptions is on unless it is switched off."
      directive @generate(query: GenerateQueryParams, mutation: GenerateMutationParams, subscription: Boolean) on OBJECT | INTERFACE
    `,
    model(context) {
      for (const use of context.uses("generate")) readSwitches(use, context);
      return undefined;
    },
  };
}
