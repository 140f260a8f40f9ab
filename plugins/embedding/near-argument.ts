// `query<T>(near: {by, vector, topK})`: the nearest among the objects that pass the filter and that the caller may see.

import type { NearestArgument } from "../../core/plugin.ts";
import { distanceName, type EmbeddedType } from "./embeddings.ts";
import { embeddingOf, nearestOf, vectorArgument } from "./nearest-of.ts";

export function nearArguments(embedded: EmbeddedType): readonly NearestArgument[] {
  const { type, nearName, distance } = embedded;
  if (!type.allows("query")) return [];
  return [
    {
      type,
      signature: `"Finds the objects nearest to a vector." near: ${nearName}`,
      nearest: (operand) => {
        const given = isRecord(operand) ? operand : {};
        return nearestOf(embeddingOf(embedded, given), vectorArgument(given.vector), given);
      },
      ...(distance && { distance: distanceName }),
    },
  ];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
