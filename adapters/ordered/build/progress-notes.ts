// How far a build of indexes and keys is, as its log keeps it.

import type { Json, TypeName, Uid } from "../../../core/storage.ts";

/** Changes when a program must not go on with what an earlier one began. */
export const notesFormat = 2;

/** Nodes are visited type by type, by ascending uid. */
export interface NodePlace {
  readonly type: TypeName;
  /** The last uid that was visited. */
  readonly after: Uid;
}

/** Nodes up to `place` were read, and their entries lie in runs. */
export interface ReadNote {
  /** Null: all nodes. */
  readonly place: NodePlace | null;
  /** How many nodes were read. */
  readonly nodes: number;
  /** For each index in the order of the layout. */
  readonly parts: readonly PartNote[];
}

export interface PartNote {
  /** In all runs. */
  readonly entries: number;
  readonly runs: readonly RunNote[];
}

export interface RunNote {
  /** The number of the file. */
  readonly file: number;
  readonly bytes: number;
  readonly checksum: number;
}

/** Merged entries that were written to an index. */
export interface WrittenNote {
  /** Indexes that are written. */
  readonly parts: number;
  /** Entries of the next one that are written. */
  readonly entries: number;
}

/** Vectors that were placed in a graph. */
export interface PlacedNote {
  /** Graphs that are complete. */
  readonly graphs: number;
  readonly place: NodePlace;
  readonly nodes: number;
}

export interface Notes {
  readonly read: ReadNote;
  readonly written: WrittenNote;
  readonly placed: PlacedNote;
}

export function noteAsJson(note: Notes[keyof Notes]): Json {
  return JSON.parse(JSON.stringify(note));
}

/** What `noteAsJson` returned: the checksum of the entry answers for it. */
export function parseNote<Name extends keyof Notes>(_name: Name, json: Json | undefined): Notes[Name] | undefined {
  return json as Notes[Name] | undefined;
}
