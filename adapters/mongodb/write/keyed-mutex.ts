// Transactions of this server that fight over one node or one key value take turns, in the order they come, one at a time for each
// such thing; all others go on beside them.

export class KeyedMutex {
  /** Things that somebody has the turn for, with those who wait. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Whether anything at all is fought over. */
  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  isHeld(lockKey: string): boolean {
    return this.#waiting.has(lockKey);
  }

  /** Runs when it has the turn for all of `things`. */
  async enter<T>(lockKeys: ReadonlySet<string>, run: () => Promise<T>): Promise<T> {
    // In one order for all: nobody waits in a circle.
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

/** What one run may touch: what it has the turn for, and what nobody has. */
export interface LockView {
  /** Those of `things` that another has the turn for; empty in the usual case, where nothing is fought over. */
  heldByOthers(lockKeys: () => readonly string[]): readonly string[];
}

export function lockViewOf(locks: KeyedMutex, own: ReadonlySet<string>): LockView {
  return { heldByOthers: (lockKeys) => (locks.isIdle ? [] : lockKeys().filter((lockKey) => locks.isHeld(lockKey) && !own.has(lockKey))) };
}

/** The transaction is to run again when it has the turn for these. */
export class Contended extends Error {
  readonly lockKeys: readonly string[];

  constructor(lockKeys: readonly string[], options?: ErrorOptions) {
    super("other writers want the same nodes or keys", options);
    this.lockKeys = lockKeys;
  }
}
