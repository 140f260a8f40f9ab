// Transactions of this server that fight over one node or one key value take turns, in the order they come, one at a time for each
// such thing; all others go on beside them.

export class KeyedMutex {
  /** Things that somebody has the turn for, with those who wait. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Whether anything at all is fought over. */
  get isQuiet(): boolean {
    return this.#waiting.size === 0;
  }

  isTaken(thing: string): boolean {
    return this.#waiting.has(thing);
  }

  /** Runs when it has the turn for all of `things`. */
  async enter<T>(things: ReadonlySet<string>, run: () => Promise<T>): Promise<T> {
    // In one order for all: nobody waits in a circle.
    const taken = [...things].sort();
    for (const thing of taken) await this.#take(thing);
    try {
      return await run();
    } finally {
      for (const thing of taken) this.#pass(thing);
    }
  }

  async #take(thing: string): Promise<void> {
    const waiting = this.#waiting.get(thing);
    if (waiting === undefined) this.#waiting.set(thing, []);
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  #pass(thing: string): void {
    const next = this.#waiting.get(thing)?.shift();
    if (next === undefined) this.#waiting.delete(thing);
    else next();
  }
}

/** What one run may touch: what it has the turn for, and what nobody has. */
export interface Turn {
  /** Those of `things` that another has the turn for; empty in the usual case, where nothing is fought over. */
  takenByOthers(things: () => readonly string[]): readonly string[];
}

export function turnOf(turns: KeyedMutex, own: ReadonlySet<string>): Turn {
  return { takenByOthers: (things) => (turns.isQuiet ? [] : things().filter((thing) => turns.isTaken(thing) && !own.has(thing))) };
}

/** The transaction is to run again when it has the turn for these. */
export class Contended extends Error {
  readonly things: readonly string[];

  constructor(things: readonly string[], options?: ErrorOptions) {
    super("other writers want the same nodes or keys", options);
    this.things = things;
  }
}
