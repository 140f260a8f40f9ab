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
      "Queries of a type. What is left out is on."
      input GenerateQueryParams {
        "get<Type>: one object by its ID or key."
        get: Boolean
        "query<Type>: a list."
        query: Boolean
        "check<Type>Password."
        password: Boolean
        "aggregate<Type>: counts, sums and the like."
        aggregate: Boolean
      }
      "Mutations of a type. What is left out is on."
      input GenerateMutationParams {
        "add<Type>."
        add: Boolean
        "update<Type>."
        update: Boolean
        "delete<Type>."
        delete: Boolean
      }
      "Which operations the type gets. Everything but subscriptions is on unless it is switched off."
      directive @generate(query: GenerateQueryParams, mutation: GenerateMutationParams, subscription: Boolean) on OBJECT | INTERFACE
    `,
    model(context) {
      for (const use of context.uses("generate")) readSwitches(use, context);
      return undefined;
    },
  };
}
