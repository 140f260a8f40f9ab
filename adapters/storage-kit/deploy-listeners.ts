// The listeners of `Storage.deploys`.

import type { Deployed } from "../../core/storage.ts";

type Listener = (deployed: Deployed) => void;

/** Calls each listener when a deploy of another server, or one whose outcome was unknown, comes into force. */
export class DeployListeners {
  readonly #listeners = new Set<Listener>();

  /** Adds a listener. @returns a function that removes it; further calls do nothing */
  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls the listeners that are there now, in the order in which they were added. */
  notify(deployed: Deployed): void {
    for (const listener of [...this.#listeners]) listener(deployed);
  }
}
