// How a layout is deployed, and how much of it is done.

import type { FieldName, Json } from "../../ground/values/value.ts";
import type { Link } from "../change.ts";

/** The result of a dry run of `migrate`. */
export interface LayoutComparison {
  /**
   * What refuses the migration. Each is a sentence that names the place and up to ten offending nodes or pairs. Empty: the migration
   * succeeds, unless concurrent writes add an obstacle.
   */
  readonly obstacles: readonly string[];
  /** What the migration builds, one readable line each: `build index Package.section/hash over 63,436 nodes`. Empty: nothing. */
  readonly work: readonly string[];
}

/** How to migrate. */
export interface MigrateOptions {
  /** Called repeatedly while something is built. */
  readonly progress?: (step: MigrationStep) => void;
  /**
   * Set when `document` is the deployed schema, not a new one. The migration then fails with `STALE_LAYOUT` when another document has been
   * deployed meanwhile. Nothing deployed counts as the document `""`: under it the kernel lays out what plugins store before the first schema is deployed.
   *
   * - `start`: this server starts. Builds what its plugins lay out differently from the deployed layout.
   * - `follow`: another server has deployed, or this one starts beside others. Builds nothing, and fails with `MIGRATION_REFUSED` when this
   *   server's layout differs; the message names what differs. Two servers with different plugins would otherwise undo each other's work.
   */
  readonly takeOver?: "start" | "follow";
  /**
   * For a load. True: an index that is not built yet, or whose types have no nodes, may stay unbuilt until `migrate` is called again without it, also at the
   * next start. Writes do not maintain it, change records do not name its entries, and reads scan instead. Only with `Powers.deferredIndexes`; other storages
   * ignore it.
   */
  readonly deferIndexes?: boolean;
  /** Called with what the migration has done beyond the layout, one sentence each: data of others that it has taken in. */
  readonly report?: (sentence: string) => void;
  /** What the schema says of stored fields beyond their layout. A storage that takes in data of others checks them by it. */
  readonly declared?: ReadonlyMap<FieldName, DeclaredField>;
}

/** What the schema says of a stored field beyond its layout. */
export interface DeclaredField {
  /** A node without a value breaks the schema. */
  readonly required: boolean;
  /** The values of its enum; undefined: any value of its kind. */
  readonly values: ReadonlySet<string> | undefined;
}

/** The progress of a migration, an upgrade or a check. */
export interface MigrationStep {
  /** What is being built or checked: `index Package.section/hash`. */
  readonly what: string;
  /** Units of work that are done, usually nodes; bytes of files and upgrades. */
  readonly done: number;
  /** All units of work, perhaps an estimate. 0: unknown. */
  readonly total: number;
}

/** Links to write at once. Subscribers to changes get a `Gap`. */
export interface LinkLoad {
  /** The layout version that the links were made for. */
  readonly version: number;
  /**
   * In any order; a link may come twice. Both nodes exist, since before the load began or found by a read after that. It is read once, to its end, unless
   * the load fails or is refused.
   */
  readonly links: AsyncIterable<readonly Link[]>;
  /** Asked for when all links are read: metadata to store in the same commit. */
  readonly meta?: () => { readonly name: string; readonly value: Json } | undefined;
  /** Called now and then while links are written. */
  readonly progress?: ((step: MigrationStep) => void) | undefined;
}
