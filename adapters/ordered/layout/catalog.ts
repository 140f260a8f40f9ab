// The catalog of a store: ids of types and structures, where links are stored, the kinds of fields.

import type { FieldName, IndexName, KeyName } from "../../../core/storage.ts";
import { emptyHistory, type LayoutHistory } from "../../storage-kit/index.ts";
import { damagedNotes } from "../keyspaces/format.ts";

export interface Catalog extends LayoutHistory {
  /** 0: nothing was ever deployed. */
  readonly version: number;
  readonly document: string | undefined;
  /** The structure that holds types and records. */
  readonly nodes: number;
  /** Structures that a running migration builds. After an interrupted migration they become garbage. */
  readonly unfinished: readonly number[];
  /** A build that goes on after an interruption. */
  readonly build?: BegunBuild | undefined;
}

/** What a migration has noted of its build, so that the next one goes on with it. */
export interface BegunBuild {
  /** The structure in which the build keeps its progress. */
  readonly log: number;
  /** What is built, as a text: a migration that needs the same goes on. */
  readonly needs: string;
  /** Ids of the indexes and keys that are built, by name. */
  readonly indexes: Readonly<Record<IndexName, number>>;
  readonly keys: Readonly<Record<KeyName, number>>;
}

export const emptyCatalog: Catalog = {
  ...emptyHistory,
  version: 0,
  document: undefined,
  nextId: 2,
  nodes: 1,
  unfinished: [],
};

/**
 * The catalog in the store's note. The structures of an interrupted migration become garbage.
 *
 * @throws QuernError `STORE_CORRUPT`: the note is no catalog
 */
export function catalogIn(note: unknown): Catalog {
  if (!isCatalog(note)) throw damagedNotes();
  return { ...note, garbage: [...note.garbage, ...note.unfinished], unfinished: [] };
}

/** The checksum of the note answers for what lies deeper. */
function isCatalog(note: unknown): note is Catalog {
  if (!isRecord(note)) return false;
  const { version, nodes, nextId, layout, types, fields, indexes, keys, ends, links, garbage, unfinished } = note;
  return (
    [version, nodes, nextId].every(Number.isSafeInteger) &&
    typeof layout === "string" &&
    [types, fields, indexes, keys, ends, links].every(isRecord) &&
    [garbage, unfinished].every(Array.isArray)
  );
}

/** The catalog when nobody goes on with its build. */
export function withoutBuild({ build, ...catalog }: Catalog): Catalog {
  return build === undefined ? catalog : { ...catalog, garbage: [...catalog.garbage, ...structuresOf(build)] };
}

export function structuresOf({ log, indexes, keys }: BegunBuild): readonly number[] {
  return [log, ...Object.values(indexes), ...Object.values(keys)];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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
