// How a store is checked, and what a check finds.

import type { MigrationStep } from "./migration.ts";

/** How to check a store. */
export interface VerifyOptions {
  /** Rebuilds derived structures (indexes, columns, keys, reverse links, counters) from the records of the nodes. By default: only reports. */
  readonly repair?: boolean;
  /** Called repeatedly during the check. */
  readonly progress?: (step: MigrationStep) => void;
}

/** The result of a check. */
export interface VerifyReport {
  /** How many nodes were checked. */
  readonly nodes: number;
  /** How many links were checked. */
  readonly links: number;
  /** How many index entries were checked. */
  readonly entries: number;
  /** The faults found, at most 1,000 of them. */
  readonly faults: readonly Fault[];
  /** The number of all faults, those not listed included. */
  readonly faultCount: number;
  /** How many faults were repaired. */
  readonly repaired: number;
}

/** An inconsistency in a store. */
export interface Fault {
  /**
   * Which structure is wrong. `value`: a field of a node holds a value of a kind that the field never had, so that reads of it fail. A repair leaves it as
   * it is, because nothing says what it should be: write the field anew.
   */
  readonly kind: "index" | "column" | "edge" | "key" | "counter" | "record" | "type" | "file" | "value";
  /** A readable sentence that names the place. */
  readonly message: string;
}

/** The size of one part of a store: `{ kind: "index", name: "Author.name/hash", bytes: 4096 }`. */
export interface PartSize {
  /** `nodes`: the nodes with their values. `edge`: links, from both sides. Several parts of a kind may have the same name. */
  readonly kind: "nodes" | "index" | "key" | "edge";
  /** The index, key or edge of the layout; of nodes their type, or empty where all types share the part. */
  readonly name: string;
  readonly bytes: number;
}
