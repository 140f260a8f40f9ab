// The name of a list of a compound index.

import type { Value } from "../../../core/storage.ts";
import { boundedText } from "../keyspaces/keys.ts";
import { equalityText } from "../structures/sort-keys.ts";
import type { CompoundIndexRuntime } from "./layout-runtime.ts";

/** The list of the nodes with these leading values; undefined: one is missing, or its field cannot hold it. */
export function compoundList({ within }: CompoundIndexRuntime, values: readonly (Value | undefined)[]): string | undefined {
  const texts: string[] = [];
  for (const [i, { kind }] of within.entries()) {
    const value = values[i];
    const text = value === undefined ? undefined : equalityText(kind, value);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return boundedText(texts.length === 1 ? (texts[0] ?? "") : JSON.stringify(texts));
}
