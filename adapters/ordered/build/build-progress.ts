// Keeps the progress of a build where the next start finds it, from the first portion on whose loss would cost time.

import type { Uid } from "../../../core/storage.ts";
import type { Database } from "../database/database.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import { type BegunBuild, structuresOf } from "../layout/catalog.ts";
import type { BuildLog, Changed } from "../structures/build-log.ts";
import { type Notes, noteAsJson, parseNote } from "./progress-notes.ts";

export class BuildProgress {
  readonly #database: Database;
  readonly #build: BegunBuild;
  readonly #log: BuildLog;
  #isKept: boolean;
  #hasChanges = false;

  constructor(database: Database, build: BegunBuild) {
    this.#database = database;
    this.#build = build;
    this.#log = database.registry.buildLog(build.log);
    this.#isKept = database.catalog.build?.log === build.log;
  }

  /** The build goes on after a kill. Until then its structures are swept. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** The structures that only the build needs. */
  get garbage(): readonly number[] {
    return this.#isKept || this.#hasChanges ? [this.#build.log] : [];
  }

  note<Name extends keyof Notes>(name: Name): Notes[Name] | undefined {
    return this.#isKept ? parseNote(name, this.#log.note(name, this.#database.writerView)) : undefined;
  }

  /** Call it in the writer's turn: the note is part of the commit that it describes. */
  put<Name extends keyof Notes>(name: Name, note: Notes[Name]): void {
    if (this.#isKept) this.#log.putNote(name, noteAsJson(note));
  }

  /** Keeps the progress from here on, in a commit of its own. */
  async keep(notes: Partial<Notes>): Promise<void> {
    const database = this.#database;
    await database.write(() => {
      for (const note of namedNotes(notes)) this.#log.putNote(...note);
      if (this.#isKept) return { result: undefined, wrote: true };
      const catalog = database.stagedCatalog;
      const kept = new Set(structuresOf(this.#build));
      return database.catalogChange({ ...catalog, build: this.#build, unfinished: catalog.unfinished.filter((id) => !kept.has(id)) });
    });
    this.#isKept = true;
  }

  /** A writer changed a node and its entries. */
  changed(uid: Uid): void {
    this.#hasChanges = true;
    this.#log.followed(uid, this.#database.writerView);
  }

  /** The nodes that changed since the build began, up to the commit of the view. */
  changes(view: EntryView): AsyncIterable<readonly [uid: Uid, what: Changed]> {
    return this.#log.all(view);
  }

  get log(): BuildLog {
    return this.#log;
  }
}

function namedNotes(notes: Partial<Notes>): [keyof Notes, ReturnType<typeof noteAsJson>][] {
  const names: readonly (keyof Notes)[] = ["read", "written", "placed"];
  return names.flatMap((name) => {
    const note = notes[name];
    return note === undefined ? [] : [[name, noteAsJson(note)]];
  });
}
