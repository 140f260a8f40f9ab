// The search that the arguments of a query ask for.

import { type Nearest, QuernError, type Vector, vectorOf } from "../../core/plugin.ts";
import type { EmbeddedType, Embedding } from "./embeddings.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** The embedding that `by` names. */
export function embeddingOf({ type, embeddings }: EmbeddedType, { by }: Arguments): Embedding {
  const embedding = embeddings.get(String(by));
  if (embedding) return embedding;
  throw new QuernError("VALUE_INVALID", `${type.name} has no embedding ${String(by)}`);
}

/**
 * The search for `vector` with `topK`, `ef` and `distance_threshold`.
 *
 * @throws `VALUE_INVALID` for an argument out of range
 */
export function nearestOf({ field, search }: Embedding, vector: Vector, { topK, ef, distance_threshold: threshold }: Arguments): Nearest {
  if (typeof ef === "number" && ef < 1) throw new QuernError("VALUE_INVALID", `Value for 'ef' must be positive, got: ${ef}`);
  if (typeof threshold === "number" && threshold < 0)
    throw new QuernError("VALUE_INVALID", `Value for 'distance_threshold' must be non-negative, got: ${threshold}`);
  // Dgraph ignores the threshold of dot products, which have no smallest distance.
  const within = typeof threshold === "number" && search.metric !== "dotproduct" ? threshold : undefined;
  const breadth = typeof ef === "number" ? ef : undefined;
  return { field: field().stored, metric: search.metric, vector, count: typeof topK === "number" ? topK : 0, within, breadth };
}

/**
 * The vector of an argument.
 *
 * @throws `VALUE_INVALID` when it has no elements, or one beyond the range of 32-bit floats
 */
export function vectorArgument(given: unknown): Vector {
  const numbers = Array.isArray(given) ? given.filter((each) => typeof each === "number") : [];
  if (numbers.length === 0) throw new QuernError("VALUE_INVALID", "the vector to search for is empty");
  const vector = vectorOf(numbers);
  if (vector) return vector;
  throw new QuernError("VALUE_INVALID", "the vector to search for has an element beyond the range of 32-bit floats");
}
