// Whether a field stores a list of values, or one value.

import type { ValueField } from "../../contracts/model.ts";

/** A list in the API that is stored as one vector is no list of values: its order and repeats count, and it is set and removed as a whole. */
export function holdsList({ type, kind }: Pick<ValueField, "type" | "kind">): boolean {
  return type.list && kind !== "vector";
}
