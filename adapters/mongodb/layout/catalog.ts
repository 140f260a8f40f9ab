// What the database remembers about the layouts it had, and where links and keys lie. One document; every change of it carries the
// next revision.

import type { FieldName } from "../../../core/index.ts";
import { emptyHistory, type LayoutHistory } from "../../storage-kit/index.ts";

export const formatVersion = 1;

export interface Catalog extends LayoutHistory {
  readonly format: number;
  /** 0: nothing was ever deployed. */
  readonly version: number;
  readonly document: string | undefined;
  /** Where the pairs of each link store lie. */
  readonly places: Readonly<Record<number, LinkPlacement>>;
  readonly keyPlaces: Readonly<Record<number, KeyPlacement>>;
  /** Lists that held one value once: it may lie there bare. */
  readonly onceSingle: readonly FieldName[];
  /** Stores of links and keys that nothing reads any more. */
  readonly left: readonly Left[];
  /** What a deploy builds, or built when it was interrupted: nothing reads it, and no later deploy goes on with it. */
  readonly unfinished: readonly Left[];
}

/**
 * `field`: in the documents of one side, whose nodes lead to one partner each. `pairs`: a document for each pair in a collection of its
 * own, two if the edge is its own inverse.
 */
export type LinkPlacement =
  | { readonly shape: "field"; readonly side: 0 | 1; readonly field: FieldName; readonly number?: number }
  | { readonly shape: "pairs"; readonly collection: string };

/** `native`: a unique index on the fields of one collection; else a collection of its own holds who has what. */
export type KeyPlacement = "native" | "collection";

export type Left =
  | { readonly kind: "field"; readonly types: readonly string[]; readonly property: readonly string[] }
  | { readonly kind: "tokens"; readonly types: readonly string[]; readonly ids: readonly number[] }
  | { readonly kind: "collection"; readonly name: string };

export const emptyCatalog: Catalog = {
  ...emptyHistory,
  format: formatVersion,
  version: 0,
  document: undefined,
  places: {},
  keyPlaces: {},
  onceSingle: [],
  left: [],
  unfinished: [],
};
