// Deprecates the `get` queries of interfaces whose key is not unique across the implementing types.

import type { Model } from "../../core/plugin.ts";

const reason =
  "@id argument for get query on interface is being deprecated. Only those @id fields which have interface argument set to true will be " +
  "available in getQuery argument on interface post v21.11.0, please update your schema accordingly.";

/** Deprecation reasons by name of the query. */
export function deprecatedGets(model: Model): Readonly<Record<string, string>> {
  const ambiguous = [...model.nodeTypes.values()].filter((type) => type.kind === "interface" && type.keys.some((key) => key.across === undefined));
  return Object.fromEntries(ambiguous.map((type) => [`get${type.name}`, reason]));
}
