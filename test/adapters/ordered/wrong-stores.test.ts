// The storage kit before stores with one fault each: a named check fails, and passes on the store without the fault.

import { describe, expect, it } from "vitest";
import {
  type KeyRange,
  type OrderedStore,
  orderedStorage,
  type StoreCursor,
  type StoreOperation,
  type StoreView,
} from "../../../adapters/ordered/index.ts";
import { MemoryStore } from "../../../examples/memory-store/memory-store.ts";
import { type Runner, storageConformance } from "../../conformance/index.ts";

class LosesTheEndOfFullPages extends MemoryStore {
  override cursor(range: KeyRange, view?: StoreView): StoreCursor {
    const cursor = super.cursor(range, view);
    return {
      next: async (count) => {
        const page = await cursor.next(count);
        return page.length === count ? page.slice(0, -1) : page;
      },
      close: () => cursor.close(),
    };
  }
}

class AnswersInKeyOrder extends MemoryStore {
  override async getMany(keys: readonly string[], view?: StoreView): Promise<(Uint8Array | undefined)[]> {
    return await super.getMany([...keys].sort(), view);
  }
}

class AnswersBackwards extends MemoryStore {
  override async getMany(keys: readonly string[], view?: StoreView): Promise<(Uint8Array | undefined)[]> {
    return (await super.getMany(keys, view)).reverse();
  }
}

class ResolvesAtOnce extends MemoryStore {
  override batch(operations: readonly StoreOperation[]): Promise<void> {
    void super.batch(operations);
    return Promise.resolve();
  }
}

/** Of a batch with many removals one is lost. */
class LosesARemoval extends MemoryStore {
  override async batch(operations: readonly StoreOperation[]): Promise<void> {
    const removals = operations.filter(({ type }) => type === "del");
    const lost = removals.length > 20 ? removals[Math.floor(removals.length / 2)] : undefined;
    await super.batch(operations.filter((each) => each !== lost));
  }
}

/** Removals that come behind the hundredth operation are lost. */
class LosesLateRemovals extends MemoryStore {
  override async batch(operations: readonly StoreOperation[]): Promise<void> {
    await super.batch(operations.filter(({ type }, i) => type === "put" || i < 100));
  }
}

class ReadsTheNewest extends MemoryStore {
  override getSync(key: string): Uint8Array | undefined {
    return super.getSync(key);
  }

  override async getMany(keys: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    return await super.getMany(keys);
  }
}

class ForgetsTheLastBatch extends MemoryStore {
  #last: readonly StoreOperation[] = [];
  #before: StoreOperation[] = [];

  override async batch(operations: readonly StoreOperation[]): Promise<void> {
    this.#before = operations.map(({ key }) => {
      const value = this.getSync(key);
      return value === undefined ? { type: "del", key } : { type: "put", key, value };
    });
    this.#last = operations;
    await super.batch(operations);
  }

  override async close(): Promise<void> {
    if (this.#last.length > 0) await super.batch(this.#before);
    this.#last = [];
  }
}

class CutsValues extends MemoryStore {
  override async batch(operations: readonly StoreOperation[]): Promise<void> {
    await super.batch(operations.map((each) => (each.type === "put" ? { ...each, value: each.value.slice(0, 1 << 20) } : each)));
  }
}

/** As LMDB with its readers: those that are not given back are used up. */
class KeepsViewsOpen extends MemoryStore {
  #open = 0;

  override view(): StoreView {
    if (++this.#open > 126) throw new Error("MDB_READERS_FULL");
    return super.view();
  }
}

/** As a statement of SQLite that is not finished. */
class KeepsCursorsOpen extends MemoryStore {
  #open = 0;

  override cursor(range: KeyRange, view?: StoreView): StoreCursor {
    if (++this.#open > 500) throw new Error("too many cursors");
    return super.cursor(range, view);
  }
}

const wrong: readonly (readonly [what: string, check: string, create: () => OrderedStore])[] = [
  ["a cursor that drops the last entry of each full page", "store.pages", () => new LosesTheEndOfFullPages()],
  ["getMany that answers in the order of keys", "store.cold-reads", () => new AnswersInKeyOrder()],
  ["getMany that answers backwards", "store.cold-reads", () => new AnswersBackwards()],
  ["a batch that resolves in the same turn", "store.turns", () => new ResolvesAtOnce()],
  ["a batch that loses one removal of many", "store.removals", () => new LosesARemoval()],
  ["a batch that loses removals behind the hundredth operation", "store.removals", () => new LosesLateRemovals()],
  ["reads of keys that show later batches", "tx.snapshot", () => new ReadsTheNewest()],
  ["a close that forgets the last batch", "life.reopen", () => new ForgetsTheLastBatch()],
  ["values that are cut at 1 MiB", "size.value", () => new CutsValues()],
  ["views that stay open", "store.views", () => new KeepsViewsOpen()],
  ["cursors that stay open", "store.views", () => new KeepsCursorsOpen()],
];

/** The check that `id` names, over stores that `create` makes. */
function checkOf(id: string, create: () => OrderedStore): () => Promise<void> {
  const found: (() => Promise<void>)[] = [];
  const test: Runner = (name, run) => {
    if (name.startsWith(`${id} `)) found.push(run);
  };
  storageConformance({ test, create: async () => orderedStorage(create()) });
  const [check] = found;
  if (check === undefined || found.length > 1) throw new Error(`${found.length} checks have the id ${id}`);
  return check;
}

describe.each(wrong)("%s", (_what, id, create) => {
  it(`fails ${id}, which a correct store passes`, async () => {
    await expect(checkOf(id, create)()).rejects.toThrow(`${id} MUST: expected that`);
    await checkOf(id, () => new MemoryStore())();
  });
});

describe("what is left out", () => {
  const ids = ["crash.acknowledged", "fault.slow", "fault.fail", "servers."];

  it("does not pass: the runner skips it, or does not get it", () => {
    const ran: string[] = [];
    const skipped: string[] = [];
    const run: Runner = (name) => void ran.push(name);
    const create = async () => orderedStorage(new MemoryStore());
    storageConformance({ test: run, create });
    expect(ran.filter((name) => ids.some((id) => name.startsWith(id)))).toEqual([]);
    storageConformance({ test: Object.assign((name: string) => void ran.push(name), { skip: (name: string) => void skipped.push(name) }), create });
    for (const id of ids) expect(skipped.filter((name) => name.startsWith(id) && name.includes("NOT JUDGED"))).not.toEqual([]);
  });
});
