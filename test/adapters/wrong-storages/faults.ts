// Wrong storages are good ones with some members replaced.

import { orderedStorage } from "../../../adapters/ordered/index.ts";
import type { Committed, MaybePromise, ReadOptions, Snapshot, Storage, Stored, Transaction } from "../../../core/storage.ts";
import { type Runner, type StorageConformanceOptions, storageConformance } from "../../conformance/index.ts";
import { MemoryStore } from "../ordered/memory-store.ts";

/** What is wrong, the check that finds it, and the wrong storage. */
export type WrongStorage = readonly [what: string, check: string, create: () => Storage];

export function goodStorage(): Storage {
  return orderedStorage(new MemoryStore());
}

/** `base` with other members. Methods that stay run on `base` itself. */
export function changed<T extends object>(base: T, members: Partial<T>): T {
  return new Proxy(base, {
    get(target, name) {
      const isOther = Object.hasOwn(members, name);
      const value: unknown = Reflect.get(isOther ? members : target, name);
      return typeof value === "function" && !isOther ? value.bind(target) : value;
    },
  });
}

/** A storage with a fault, over a good one of its own. */
export function storage(fault: (good: Storage) => Partial<Storage>): () => Storage {
  return () => {
    const good = goodStorage();
    return changed(good, fault(good));
  };
}

/** Every view has the fault: snapshots, transactions, what a commit left. */
export function views(fault: (view: Snapshot) => Partial<Snapshot>): () => Storage {
  const wrong = <T extends Snapshot>(view: T): T => changed<Snapshot>(view, fault(view)) as T;
  return storage((good) => ({
    snapshot: (options) => wrong(good.snapshot(options)),
    transact: async (work, options) => {
      const committed = await good.transact((transaction) => work(wrong(transaction)), options);
      const { snapshot } = committed;
      return snapshot ? changed(committed, { snapshot: (of: ReadOptions) => wrong(snapshot(of)) }) : committed;
    },
  }));
}

type Transact = <T>(work: (transaction: Transaction) => MaybePromise<T>, options: ReadOptions) => Promise<Committed<T>>;

/** Shows at each read what is the newest then. */
export function movingView(good: Storage, options: ReadOptions): Snapshot {
  const now = async <T>(read: (view: Snapshot) => MaybePromise<T>): Promise<T> => {
    const view = good.snapshot(options);
    try {
      return await read(view);
    } finally {
      view.close();
    }
  };
  return {
    at: good.latest(),
    find: (request) => now((view) => view.find(request)),
    follow: (request) => now((view) => view.follow(request)),
    load: (request) => now((view) => view.load(request)),
    aggregate: (request) => now((view) => view.aggregate(request)),
    meta: (name) => now((view) => view.meta(name)),
    close: () => undefined,
  };
}

/** Every transaction has the fault. */
export function transactions(fault: (transaction: Transaction, good: Storage) => Partial<Transaction>): () => Storage {
  return storage((good) => {
    const transact: Transact = (work, options) => good.transact((transaction) => work(changed(transaction, fault(transaction, good))), options);
    return { transact };
  });
}

/** Values are stored as `keep` makes them; undefined: not at all. */
export function values(keep: (value: Stored) => Stored | undefined): () => Storage {
  const kept = (fields: Readonly<Record<string, Stored | null>>) =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => {
        const stored = value === null ? null : keep(value);
        return stored === undefined ? [] : [[name, stored] as const];
      }),
    ) as Record<string, Stored>;
  return transactions((transaction) => ({
    write: (changes) =>
      transaction.write(
        changes.map((change) => (change.kind === "create" || change.kind === "set" ? { ...change, fields: kept(change.fields) } : change)),
      ),
  }));
}

/** The check that `id` names, over what `options` make. */
export function checkOf(id: string, options: Partial<StorageConformanceOptions>): () => Promise<void> {
  const found: (() => Promise<void>)[] = [];
  const test: Runner = (name, run) => {
    if (name.startsWith(`${id} `)) found.push(run);
  };
  storageConformance({ create: async () => goodStorage(), ...options, test });
  const [check] = found;
  if (check === undefined || found.length > 1) throw new Error(`${found.length} checks have the id ${id}`);
  return check;
}
