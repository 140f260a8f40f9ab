// Some current values of a node. A value that was not loaded is unknown, which differs from absent.

import type { Batch, EndName, FieldName, Stored, TypeName, Uid, Value } from "../../../../core/plugin.ts";

export interface LoadedNode {
  readonly uid: Uid;
  readonly type: TypeName;
  /** Empty when there is no value; undefined: not loaded. */
  values(field: FieldName): readonly Value[] | undefined;
  /** Whether it is loaded. */
  has(property: FieldName | EndName): boolean;
  /** Undefined: absent, or not loaded; see `has`. */
  value(property: FieldName | EndName): Stored | undefined;
}

/** The rows of a batch by uid. `fields` are those that the batch was asked for. */
export function loadedNodes(batch: Batch, fields: readonly (FieldName | EndName)[]): ReadonlyMap<Uid, LoadedNode> {
  const columns = new Map(fields.map((field, column) => [field, column]));
  return new Map(batch.uids.map((uid, row) => [uid, new Row({ batch, columns, row, uid })]));
}

interface RowSource {
  readonly batch: Batch;
  readonly columns: ReadonlyMap<string, number>;
  readonly row: number;
  readonly uid: Uid;
}

class Row implements LoadedNode {
  readonly uid: Uid;
  readonly type: TypeName;
  readonly #batch: Batch;
  readonly #columns: ReadonlyMap<string, number>;
  readonly #row: number;

  constructor({ batch, columns, row, uid }: RowSource) {
    this.uid = uid;
    this.type = batch.types[row] ?? "";
    this.#batch = batch;
    this.#columns = columns;
    this.#row = row;
  }

  has(property: string): boolean {
    return this.#columns.has(property);
  }

  value(property: string): Stored | undefined {
    const column = this.#columns.get(property);
    return column === undefined ? undefined : this.#batch.columns[column]?.[this.#row];
  }

  values(field: FieldName): readonly Value[] | undefined {
    if (!this.has(field)) return undefined;
    const stored = this.value(field);
    if (stored === undefined) return none;
    return isList(stored) ? stored : [stored];
  }
}

const none: readonly Value[] = Object.freeze([]);

function isList(stored: Stored): stored is readonly Value[] {
  return Array.isArray(stored);
}
