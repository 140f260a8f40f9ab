// Which namespaces there are. A store of its own keeps it: whatever happens to the data of a namespace, a number is never given away twice.

import { isObject, type Json, QuernError } from "../../core/plugin.ts";
import type { Snapshot, Storage, Transaction } from "../../core/storage.ts";

/** A namespace that is being made. */
interface Beginning {
  readonly namespace: number;
  /** In milliseconds since 1970. */
  readonly at: number;
}

interface Stored {
  /** The number of the next namespace. */
  readonly next: number;
  /** Those that are there, ascending. */
  readonly here: readonly number[];
  readonly beginning: readonly Beginning[];
  /** What is left of them is to be removed. */
  readonly ending: readonly number[];
}

const nothing: Stored = { next: 1, here: [], beginning: [], ending: [] };
const entryName = "namespaces";
/** Nothing is laid out. */
const version = 0;
/** Another server that makes a namespace has so long; then its try counts as given up. */
const patienceMs = 900_000;

export interface RegistryEvents {
  /** Namespaces are gone, by this server or another one. */
  readonly gone: (namespaces: readonly number[]) => void;
  readonly failed: (thrown: unknown) => void;
}

export class Registry {
  readonly #storage: Storage;
  readonly #events: RegistryEvents;
  #stored: Stored = nothing;
  #here: ReadonlySet<number> = new Set();
  #stopListening: () => void = () => {};

  constructor(storage: Storage, events: RegistryEvents) {
    this.#storage = storage;
    this.#events = events;
  }

  async open(): Promise<void> {
    await this.#storage.open();
    try {
      await this.refresh();
      this.#stopListening = this.#storage.changes(() => void this.refresh().catch((thrown) => this.#events.failed(thrown)));
    } catch (thrown) {
      await this.#storage.close();
      throw thrown;
    }
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#storage.close();
  }

  has(namespace: number): boolean {
    return this.#here.has(namespace);
  }

  /** Ascending. */
  get all(): readonly number[] {
    return this.#stored.here;
  }

  /** What crashes have left: to be removed, and then to be forgotten. */
  get leftOvers(): readonly number[] {
    const { beginning, ending } = this.#stored;
    // No other process has a store that is not shared open, so whoever began has ended.
    const isOver = ({ at }: Beginning) => !this.#storage.supports.shared || Date.now() - at > patienceMs;
    return [...ending, ...beginning.filter(isOver).map(({ namespace }) => namespace)];
  }

  /** Reads again what other servers may have changed. */
  async refresh(): Promise<void> {
    const snapshot = this.#storage.snapshot({ version });
    try {
      this.#know(await readStored(snapshot));
    } finally {
      snapshot.close();
    }
  }

  /** A number that no namespace has had. It is there for others after `finish`. */
  async begin(): Promise<number> {
    const { next } = await this.#change((stored) => ({
      ...stored,
      next: stored.next + 1,
      beginning: [...stored.beginning, { namespace: stored.next, at: Date.now() }],
    }));
    return next - 1;
  }

  /** @throws QuernError `CANCELLED` when another server has given it up meanwhile */
  async finish(namespace: number): Promise<void> {
    await this.#change((stored) => {
      if (!stored.beginning.some((each) => each.namespace === namespace)) throw givenUp(namespace);
      return { ...without(stored, namespace), here: [...stored.here, namespace].sort((a, b) => a - b) };
    });
  }

  /** From now on the namespace is not there, and what is left of it is removed after a crash. False: it was not there. */
  async end(namespace: number): Promise<boolean> {
    let had = false;
    await this.#change((stored) => {
      had = stored.here.includes(namespace);
      if (!had) return stored;
      const { ending, ...rest } = without(stored, namespace);
      return { ...rest, ending: [...ending, namespace] };
    });
    return had;
  }

  /** Nothing is left of the namespace. */
  async forget(namespace: number): Promise<void> {
    await this.#change((stored) => without(stored, namespace));
  }

  async #change(next: (stored: Stored) => Stored): Promise<Stored> {
    const { result } = await this.#storage.transact(
      async (transaction: Transaction) => {
        const changed = next(await readStored(transaction));
        await transaction.setMeta(entryName, jsonOf(changed));
        return changed;
      },
      { version },
    );
    this.#know(result);
    return result;
  }

  #know(stored: Stored): void {
    const gone = this.#stored.here.filter((namespace) => !stored.here.includes(namespace));
    this.#stored = stored;
    this.#here = new Set(stored.here);
    if (gone.length > 0) this.#events.gone(gone);
  }
}

function without({ here, beginning, ending, ...rest }: Stored, namespace: number): Stored {
  return {
    ...rest,
    here: here.filter((each) => each !== namespace),
    beginning: beginning.filter((each) => each.namespace !== namespace),
    ending: ending.filter((each) => each !== namespace),
  };
}

function givenUp(namespace: number): QuernError {
  return new QuernError("CANCELLED", `Namespace ${namespace} was not made: it took longer than ${patienceMs / 60_000} minutes. Try again.`);
}

async function readStored(view: Pick<Snapshot, "meta">): Promise<Stored> {
  const stored = await view.meta(entryName);
  if (!isObject(stored)) return nothing;
  const { next, here, beginning, ending } = stored;
  return { next: Number(next), here: numbersIn(here), beginning: beginningsIn(beginning), ending: numbersIn(ending) };
}

function jsonOf({ next, here, beginning, ending }: Stored): Json {
  return { next, here, beginning: beginning.map(({ namespace, at }) => ({ namespace, at })), ending };
}

function numbersIn(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}

function beginningsIn(value: unknown): readonly Beginning[] {
  return Array.isArray(value) ? value.filter(isObject).map(({ namespace, at }) => ({ namespace: Number(namespace), at: Number(at) })) : [];
}
