// The states of a storage: closed, opening, open, closing. Calls that overlap share one transition.

import { QuernError } from "../../core/storage.ts";

/** What a storage does at its two transitions. Each runs alone. */
export interface LifecycleTransitions<Resources> {
  /** Connects or opens files. What it throws rejects `StorageLifecycle.open`; it then has released what it had acquired. */
  open(): Promise<Resources>;
  /** Releases what `open` returned. New calls fail with `STORE_CLOSED` already. */
  close(resources: Resources): Promise<void>;
}

/**
 * The state of a storage, checked in one place. `Resources` are what exists only while the storage is open: a connection, caches, timers.
 *
 * Overlapping calls of `open` are one; `open` waits for a `close` that is running, and `close` for an `open`.
 */
export class StorageLifecycle<Resources> {
  readonly #transitions: LifecycleTransitions<Resources>;
  #current: Resources | undefined;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(transitions: LifecycleTransitions<Resources>) {
    this.#transitions = transitions;
  }

  /** The resources of an open storage; undefined in every other state. */
  get current(): Resources | undefined {
    return this.#current;
  }

  /**
   * The resources of an open storage.
   *
   * @throws QuernError `STORE_CLOSED` in every other state
   */
  get opened(): Resources {
    if (this.#current === undefined) throw storeClosed();
    return this.#current;
  }

  /** Resolves when the storage is open; does nothing when it is. */
  async open(): Promise<void> {
    await this.#closing;
    if (this.#current !== undefined) return;
    this.#opening ??= this.#doOpen().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #doOpen(): Promise<void> {
    this.#current = await this.#transitions.open();
  }

  /** Exchanges the resources of an open storage, for example after a repair opened its files again. */
  replace(resources: Resources): void {
    this.#current = resources;
  }

  /** Resolves when the storage is closed; does nothing when it is. */
  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    if (this.#current === undefined) return this.#closing;
    const resources = this.#current;
    this.#current = undefined;
    this.#closing = this.#transitions.close(resources).finally(() => {
      this.#closing = undefined;
    });
    await this.#closing;
  }
}

/** The error of every call on a storage that is not open: `STORE_CLOSED`. */
export function storeClosed(): QuernError {
  return new QuernError("STORE_CLOSED", "the store is not open");
}
