// `@id` (a field is a unique key of its type) and `@hasInverse` (two fields are the two sides of one edge).

import type { DirectivePlugin, Model } from "../../core/plugin.ts";
import { definitions, definitionsFor } from "./definitions.ts";
import { guardScopes } from "./guard-scopes.ts";
import { readInverses } from "./inverses.ts";
import { keyFilters, keyIndexes } from "./key-filters.ts";
import { readKeys } from "./read-keys.ts";

/** `@id` and `@hasInverse`: keys of nodes, and the two sides of an edge. */
export function identityPlugin(): DirectivePlugin {
  return {
    name: "identity",
    // Dgraph's error texts, which clients may parse.
    validatesArguments: true,
    definitions,
    definitionsFor,
    model(context) {
      const keys = readKeys(context);
      readInverses(context);
      if (keys.length === 0) return undefined;
      const guard = guardScopes(context.model);
      return {
        ...(guard && { changes: guard }),
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
  const ambiguous = [...model.nodeTypes.values()].filter(
    (type) => type.kind === "interface" && [...type.keys, ...type.scopedKeys].some((key) => key.across === undefined),
  );
  return Object.fromEntries(ambiguous.map((type) => [`get${type.name}`, reason]));
}
