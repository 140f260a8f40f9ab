// `@id` (a field is a unique key of its type) and `@hasInverse` (two fields are the two sides of one edge).

import type { DirectivePlugin, Model } from "../../core/plugin.ts";
import { readInverses } from "./inverses.ts";
import { keyFilters, keyIndexes } from "./key-filters.ts";
import { readKeys } from "./read-keys.ts";

/** `@id` and `@hasInverse`: keys of nodes, and the two sides of an edge. */
export function identityPlugin(): DirectivePlugin {
  return {
    name: "identity",
    // Dgraph's error texts, which clients may parse.
    validatesArguments: true,
    definitions: `
      "A key: no two objects of the type have the same value. With interface: true, no two objects of all types of the interface."
      directive @id(interface: Boolean) on FIELD_DEFINITION
      "The field and the other one are two sides of one link: a change of the one is a change of the other."
      directive @hasInverse(field: String!) on FIELD_DEFINITION
    `,
    model(context) {
      const keys = readKeys(context);
      readInverses(context);
      if (keys.length === 0) return undefined;
      return {
        layout: () => ({ indexes: keyIndexes(keys, context.model) }),
        api: () => ({ filters: keyFilters(keys), deprecated: deprecatedGets(context.model) }),
      };
    },
  };
}

// Deprecates the `get` queries of interfaces whose key is not unique across the implementing types.

const reason =
  "@id argument for get query on interface is being deprecated. Only those @id fields which have interface argument set to true will be " +
  "available in getQuery argument on interface post v21.11.0, please update your schema accordingly.";

/** Deprecation reasons by name of the query. */
function deprecatedGets(model: Model): Readonly<Record<string, string>> {
  const ambiguous = [...model.nodeTypes.values()].filter((type) => type.kind === "interface" && type.keys.some((key) => key.across === undefined));
  return Object.fromEntries(ambiguous.map((type) => [`get${type.name}`, reason]));
}
