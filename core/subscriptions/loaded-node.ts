// Some values of a node as they are now. What was not asked for is not known, which is something else than absent.

import type { Batch } from "../contracts/storage.ts";
import type { EndName, FieldName, Stored, TypeName, Uid, Value } from "../ground/values/value.ts";

export interface LoadedNode {
  readonly uid: Uid;
  readonly type: TypeName;
  /** None when there is no value; undefined: not known. */
  values(field: FieldName): readonly Value[] | undefined;
  /** Whether it is known. */
  has(property: FieldName | EndName): boolean;
  value(property: FieldName | EndName): Stored | undefined;
}

/** The rows of a batch by uid. `fields` are those that the batch was asked for. */
export function loadedNodes(batch: Batch, fields: readonly (FieldName | EndName)[]): ReadonlyMap<Uid, LoadedNode> {
  const places = new Map(fields.map((field, place) => [field, place]));
  return new Map(batch.uids.map((uid, row) => [uid, new Row({ batch, places, row, uid })]));
}

interface RowPlace {
  readonly batch: Batch;
  readonly places: ReadonlyMap<string, number>;
  readonly row: number;
  readonly uid: Uid;
}

class Row implements LoadedNode {
  readonly uid: Uid;
  readonly type: TypeName;
  readonly #batch: Batch;
  readonly #places: ReadonlyMap<string, number>;
  readonly #row: number;

  constructor({ batch, places, row, uid }: RowPlace) {
    this.uid = uid;
    this.type = batch.types[row] ?? "";
    this.#batch = batch;
    this.#places = places;
    this.#row = row;
  }

  has(property: string): boolean {
    return this.#places.has(property);
  }

  value(property: string): Stored | undefined {
    const place = this.#places.get(property);
    return place === undefined ? undefined : this.#batch.columns[place]?.[this.#row];
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
