// `mutation @transaction`: all root fields of a mutation are committed, or none. `@affects`: how many objects one of them must be about.

import type { DirectivePlugin } from "../../core/plugin.ts";

/**
 * `mutation @transaction`: all root fields are committed, or none. `@affects`: an update or a delete that is about fewer or more objects is refused, and with
 * it the transaction.
 *
 *     mutation @transaction {
 *       updateItem(input: { filter: { sku: { eq: "lamp" }, stock: { ge: 1 } }, increment: { stock: -1 } }) @affects(atLeast: 1) { numUids }
 *       addOrder(input: [{ item: { sku: "lamp" } }]) { order { id } }
 *     }
 */
export function transactionPlugin(): DirectivePlugin {
  return {
    name: "transaction",
    definitions: `
      "All root fields of the mutation are committed, or none. Each sees what those before it have written."
      directive @transaction on MUTATION
      "How many objects an update or a delete must be about. Otherwise it is refused, and with it the transaction of which it is a part."
      directive @affects(
        "It is refused when its filter matches fewer."
        atLeast: Int
        "It is refused when its filter matches more."
        atMost: Int
      ) on FIELD
    `,
    model: () => ({ api: () => ({ atomic: ["transaction"], counting: ["affects"] }) }),
  };
}
