// A mutex for each contended node or key value: transactions of this server that conflict over it run one at a time, in the order of arrival.
// Others run concurrently.

export class KeyedMutex {
  /** Held keys, each with its waiting callers. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Whether no key is held. */
  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  isHeld(lockKey: string): boolean {
    return this.#waiting.has(lockKey);
  }

  /** Calls `run` while it holds all of `lockKeys`. */
  async enter<T>(lockKeys: ReadonlySet<string>, run: () => Promise<T>): Promise<T> {
    // Always in the same order, so that no deadlock is possible.
    const taken = [...lockKeys].sort();
    for (const lockKey of taken) await this.#take(lockKey);
    try {
      return await run();
    } finally {
      for (const lockKey of taken) this.#pass(lockKey);
    }
  }

  async #take(lockKey: string): Promise<void> {
    const waiting = this.#waiting.get(lockKey);
    if (waiting === undefined) this.#waiting.set(lockKey, []);
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  #pass(lockKey: string): void {
    const next = this.#waiting.get(lockKey)?.shift();
    if (next === undefined) this.#waiting.delete(lockKey);
    else next();
  }
}

/** The locks as one transaction sees them. */
export interface LockView {
  /** The keys that other transactions hold; empty, without calling `lockKeys`, when none is held. */
  heldByOthers(lockKeys: () => readonly string[]): readonly string[];
}

export function lockViewOf(locks: KeyedMutex, own: ReadonlySet<string>): LockView {
  return { heldByOthers: (lockKeys) => (locks.isIdle ? [] : lockKeys().filter((lockKey) => locks.isHeld(lockKey) && !own.has(lockKey))) };
}

/** The transaction must run again while it holds these keys. */
export class Contended extends Error {
  readonly lockKeys: readonly string[];

  constructor(lockKeys: readonly string[], options?: ErrorOptions) {
    super("other writers want the same nodes or keys", options);
    this.lockKeys = lockKeys;
  }
}
