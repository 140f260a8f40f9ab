// The catalog of a store: ids of types and structures, where links are stored, the kinds of fields.

import type { FieldName } from "../../../core/storage.ts";
import { emptyHistory, type LayoutHistory } from "../../storage-kit/index.ts";

export interface Catalog extends LayoutHistory {
  /** 0: nothing was ever deployed. */
  readonly version: number;
  readonly document: string | undefined;
  /** The structure that holds types and records. */
  readonly nodes: number;
  /** Structures that a running migration builds. After an interrupted migration they become garbage. */
  readonly unfinished: readonly number[];
}

export const emptyCatalog: Catalog = {
  ...emptyHistory,
  version: 0,
  document: undefined,
  nextId: 2,
  nodes: 1,
  unfinished: [],
};

/** The property of a record that holds a field. A derivation with another id is another property, so that both can be there during a build. */
export function propertyOf(field: { readonly name: FieldName; readonly derived?: { readonly id: string } | undefined }): string {
  return field.derived === undefined ? plainProperty(field.name) : `${derivedMark}${field.name}=${field.derived.id}`;
}

/** Names of `Object.prototype` get a mark: a lookup would find them in every record. */
function plainProperty(name: FieldName): string {
  return name in Object.prototype || name.startsWith(plainMark) ? `${plainMark}${name}` : name;
}

/** The field whose values, not derived ones, `property` holds. */
export function fieldOfProperty(property: string): FieldName {
  return property.startsWith(plainMark) ? property.slice(plainMark.length) : property;
}

const plainMark = ":";

export const derivedMark = "=";
