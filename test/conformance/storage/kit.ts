// How a check is written and handed to whatever runner there is.

import type { Create, Layout, MaybePromise, ReadOptions, Snapshot, Storage, Stored, Transaction, Uid } from "../../../core/index.ts";

/** Anything like `test` of vitest, node:test or mocha. */
export type Runner = (name: string, run: () => Promise<void>) => void;

export interface StorageConformanceOptions {
  readonly test: Runner;
  /** A new, empty storage that is not open yet. After `close` it can be opened again with its data. */
  readonly create: () => Promise<Storage>;
}

export interface Check {
  /** Stays the same for good. */
  readonly id: string;
  /** MUST: the kernel relies on it. SHOULD: worse without it, not wrong. */
  readonly level: "MUST" | "SHOULD";
  readonly title: string;
  readonly run: (bench: Bench) => Promise<void>;
}

/** One open storage with what checks do to it again and again. */
export class Bench {
  readonly storage: Storage;
  version = 0;

  constructor(storage: Storage) {
    this.storage = storage;
  }

  async deploy(layout: Layout, document = "document"): Promise<void> {
    this.version = (await this.storage.migrate(layout, document)).version;
  }

  /** Runs `work` in a transaction and hands out its result. */
  async write<T>(work: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    return (await this.storage.transact(async (transaction) => await work(transaction), { version: this.version })).result;
  }

  /** Creates nodes of one type with uids of the storage's choice. */
  create(type: string, rows: readonly Readonly<Record<string, Stored>>[]): Promise<readonly Uid[]> {
    return this.write(async (transaction) => {
      const uids = await transaction.uids(rows.length);
      await transaction.write(rows.map((fields, i) => createOf(uids[i] ?? 0, type, fields)));
      return uids;
    });
  }

  /** Reads through a snapshot of its own. */
  async read<T>(work: (snapshot: Snapshot) => MaybePromise<T>, options: Partial<ReadOptions> = {}): Promise<T> {
    const snapshot = this.storage.snapshot({ version: this.version, ...options });
    try {
      return await work(snapshot);
    } finally {
      snapshot.close();
    }
  }
}

export function createOf(uid: Uid, type: string, fields: Readonly<Record<string, Stored>>): Create {
  return { kind: "create", uid, type, fields };
}

/** Runs every check on a storage of its own. */
export function runChecks(checks: readonly Check[], { test, create }: StorageConformanceOptions): void {
  for (const check of checks) {
    test(`${check.id} ${check.level} ${check.title}`, async () => {
      const storage = await create();
      await storage.open();
      try {
        await check.run(new Bench(storage));
      } finally {
        await storage.close();
      }
    });
  }
}
