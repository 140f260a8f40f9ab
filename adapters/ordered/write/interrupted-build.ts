// Notes what changes while a build waits to go on: nobody can maintain its structures, since their layout is not there.

import type { Uid } from "../../../core/storage.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import type { BuildLog } from "../structures/build-log.ts";
import type { NodeRecord } from "../structures/records.ts";
import type { BuildObserver } from "./maintenance.ts";

export class InterruptedBuild implements BuildObserver {
  readonly #log: BuildLog;
  readonly #view: EntryView;

  constructor(log: BuildLog, view: EntryView) {
    this.#log = log;
    this.#view = view;
  }

  changed(uid: Uid, before: NodeRecord): void {
    this.#log.missed(uid, before, this.#view);
  }

  created(uid: Uid): void {
    this.#log.missed(uid, undefined, this.#view);
  }

  /** Links and keys over them are built from the start. */
  duplicate(): void {}
}
