// Applies changes one by one, each kind by its own function, within the bound of a transaction.

import type { Change, Create, Link, Remove, Set as SetChange, Unlink } from "../../core/storage.ts";
import type { ChangeLog } from "./change-log.ts";
import { tooManyChanges } from "./refusals.ts";

/** One function for each kind of change. */
export interface ChangeHandlers {
  create(change: Create): void;
  set(change: SetChange): void;
  link(change: Link): void;
  unlink(change: Unlink): void;
  remove(change: Remove): void;
}

/** What a dispatch writes with. */
export interface ChangeDispatchOptions {
  readonly handlers: ChangeHandlers;
  /** The log that the handlers write to. */
  readonly log: ChangeLog;
  /** Nodes that one transaction may change. */
  readonly maxChanges: number;
}

/** Calls the handler of each change of a transaction, and counts the nodes that they change. */
export class ChangeDispatch {
  readonly #options: ChangeDispatchOptions;

  constructor(options: ChangeDispatchOptions) {
    this.#options = options;
  }

  /** @throws QuernError `TOO_LARGE` when the transaction has changed more nodes than it may; what a handler throws */
  apply(change: Change): void {
    const { handlers, log, maxChanges } = this.#options;
    switch (change.kind) {
      case "create":
        handlers.create(change);
        break;
      case "set":
        handlers.set(change);
        break;
      case "link":
        handlers.link(change);
        break;
      case "unlink":
        handlers.unlink(change);
        break;
      case "remove":
        handlers.remove(change);
        break;
    }
    if (log.changedNodes > maxChanges) throw tooManyChanges(maxChanges);
  }
}
