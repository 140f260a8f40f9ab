// `mutation @transaction`: all root fields of a mutation are committed, or none.

import type { DirectivePlugin } from "../../core/plugin.ts";

/** `mutation @transaction`: all root fields are committed, or none. */
export function transactionPlugin(): DirectivePlugin {
  return {
    name: "transaction",
    definitions: `
      "All root fields of the mutation are committed, or none. Each sees what those before it have written."
      directive @transaction on MUTATION
    `,
    model: () => ({ api: () => ({ atomic: ["transaction"] }) }),
  };
}
