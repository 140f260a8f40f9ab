// The catalog of a database: the history of its layouts, and where links and keys are stored. It is one document; every change increments its
// revision.

import type { FieldName } from "../../../core/storage.ts";
import { emptyHistory, type LayoutHistory } from "../../storage-kit/index.ts";

/**
 * How servers write. Those of one database write alike: 1 keeps linked nodes there by a count in the nodes, 2 by locks beside the change record, which the
 * servers of 1 do not know.
 */
export const formatVersion = 2;
/** Of the databases that this version reads: a deploy or `--take-over` brings them to `formatVersion`. */
export const oldestFormat = 1;

export interface Catalog extends LayoutHistory {
  readonly format: number;
  /** Laid out for a sharded cluster: no unique index lacks the shard key of its collection. Fixed when the database is made. */
  readonly sharded: boolean;
  /** 0: nothing was ever deployed. */
  readonly version: number;
  readonly document: string | undefined;
  /** Where the links of each store are. */
  readonly places: Readonly<Record<number, LinkPlacement>>;
  readonly keyPlaces: Readonly<Record<number, KeyPlacement>>;
  /** Lists that were single values once: stored values may be without an array. */
  readonly onceSingle: readonly FieldName[];
  /** Unused stores of links and keys. */
  readonly left: readonly Left[];
  /** What a running or interrupted deploy builds. Nothing reads it, and no later deploy continues it. */
  readonly unfinished: readonly Left[];
}

/**
 * `field`: in the documents of one side, whose nodes lead to one partner each. `pairs`: a document for each pair in a collection of its
 * own, two if the edge is its own inverse.
 */
export type LinkPlacement =
  | { readonly shape: "field"; readonly side: 0 | 1; readonly field: FieldName; readonly number?: number }
  | { readonly shape: "pairs"; readonly collection: string };

/**
 * `native`: a unique index on the fields of one collection. `collection`: a collection of its own maps values to nodes. `implied`: a link of the key
 * leads back to one node at most, so that no two nodes can hold the same.
 */
export type KeyPlacement = "native" | "collection" | "implied";

export type Left =
  | { readonly kind: "field"; readonly types: readonly string[]; readonly property: readonly string[] }
  | { readonly kind: "tokens"; readonly types: readonly string[]; readonly ids: readonly number[] }
  | { readonly kind: "collection"; readonly name: string };

export const emptyCatalog: Catalog = {
  ...emptyHistory,
  format: formatVersion,
  sharded: false,
  version: 0,
  document: undefined,
  places: {},
  keyPlaces: {},
  onceSingle: [],
  left: [],
  unfinished: [],
};
