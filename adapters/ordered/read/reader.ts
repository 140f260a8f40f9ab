// One view of the data under one layout, with what all reads need: records, types, the budget, pauses.

import { type Budget, type Turns, type TypeName, turnsOf, type Uid, type Work } from "../../../core/storage.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import type { FieldRuntime, LayoutRuntime } from "../layout/layout-runtime.ts";
import type { NodeStructures } from "../structures/node-structures.ts";
import type { NodeRecord } from "../structures/records.ts";

export const blockRows = 256;
/** This many uncached records or more are read off the event loop. */
const coldBatch = 64;

export class Reader {
  readonly view: EntryView;
  readonly schema: LayoutRuntime;
  readonly nodes: NodeStructures;
  readonly #budget: Budget | undefined;
  readonly #chosen: ((way: string) => void) | undefined;
  /** One for all parts of a read: many short ones are long together. */
  readonly turns: Turns;

  constructor(options: {
    readonly view: EntryView;
    readonly schema: LayoutRuntime;
    readonly budget: Budget | undefined;
    readonly chosen?: ((way: string) => void) | undefined;
  }) {
    this.view = options.view;
    this.schema = options.schema;
    this.nodes = options.schema.nodes;
    this.#budget = options.budget;
    this.#chosen = options.chosen;
    this.turns = turnsOf(options.budget);
  }

  record(uid: Uid): NodeRecord | undefined {
    return this.nodes.records.keyspace.read(uid, this.view);
  }

  typeOf(uid: Uid): TypeName | undefined {
    return this.schema.typeNames.get(this.nodes.types.of(uid, this.view));
  }

  field(name: string): FieldRuntime {
    const field = this.schema.fields.get(name);
    if (field === undefined) throw new TypeError(`no field ${name} in the layout`);
    return field;
  }

  /** Reports which way is taken, to whom the request is explained. */
  chose(way: () => string): void {
    this.#chosen?.(way());
  }

  /** For work that cannot pause: throws after the deadline. */
  check(): void {
    this.#budget?.spend(0);
  }

  /** Counts rows that are read at once. */
  count(rows: number): void {
    this.#budget?.spend(rows);
  }

  /** Whether the turn of this read is over: what comes next must be able to pause. */
  get mustPause(): boolean {
    return this.turns.isTurnOver;
  }

  /** Counts rows and pauses when it is time. */
  *spend(rows: number): Work<void> {
    this.#budget?.spend(rows);
    if (this.turns.isTurnOver) yield this.turns.turn();
  }

  /** Reads many uncached records at once; for a few, single reads are faster. */
  *prefetch(uids: readonly Uid[]): Work<void> {
    const { keyspace } = this.nodes.records;
    let cold: Uid[] | undefined;
    for (const uid of uids) {
      if (keyspace.peek(uid, this.view)) continue;
      cold ??= [];
      cold.push(uid);
    }
    if (cold !== undefined && cold.length >= coldBatch) yield keyspace.prefetch(cold, this.view);
  }
}
