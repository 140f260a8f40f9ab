// The storage kit before storages that write wrongly: a named check fails on each, and passes on the storage without the fault.

import { describe, expect, it } from "vitest";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { type Change, type ChangeRecord, type Json, type Layout, QuernError, type Snapshot, type Storage, type Uid } from "../../../core/storage.ts";
import type { FaultyStorage } from "../../conformance/index.ts";
import { FaultyStore } from "../../support/faulty-store.ts";
import { MemoryStore } from "../ordered/memory-store.ts";
import { changed, checkOf, movingView, storage, transactions, values, type WrongStorage } from "./faults.ts";
import { optimisticStorage } from "./optimistic-storage.ts";

/** Deploys other layouts than it is given. */
function deploying(other: (layout: Layout) => Layout): () => Storage {
  return storage((good) => ({
    migrate: (layout, document, options) => good.migrate(other(layout), document, options),
    compare: (layout, options) => good.compare(other(layout), options),
  }));
}

/** A code of each `Post` is looked up in what was committed before the transaction. */
function lookingUpKeys(): Storage {
  return storage((good) => ({
    migrate: (layout, document, options) => good.migrate({ ...layout, keys: [] }, document, options),
    transact: async (work, options) => {
      const before = good.snapshot(options);
      try {
        return await good.transact(
          (transaction) => work(changed(transaction, { write: (changes) => writeUnlessTaken(changes, before, transaction.write.bind(transaction)) })),
          options,
        );
      } finally {
        before.close();
      }
    },
  }))();
}

async function writeUnlessTaken(changes: readonly Change[], before: Snapshot, write: (changes: readonly Change[]) => unknown): Promise<void> {
  for (const change of changes) {
    if (change.kind !== "create" || change.fields["Post.code"] === undefined) continue;
    const where = { kind: "compare", field: "Post.code", op: "eq", operands: [String(change.fields["Post.code"])] } as const;
    const [holder] = (await before.find({ types: ["Post"], where, fields: [] })).uids;
    if (holder !== undefined) throw new QuernError("KEY_TAKEN", "taken", { details: { holder } });
  }
  await write(changes);
}

/** Transactions read what was committed before them. */
function readingBefore(): Storage {
  return storage((good) => ({
    transact: async (work, options) => {
      const before = good.snapshot(options);
      try {
        return await good.transact((transaction) => work(changed(transaction, { find: (request) => before.find(request) })), options);
      } finally {
        before.close();
      }
    },
  }))();
}

/** `thrown` without what it says of the node. */
function bare(thrown: unknown): unknown {
  return thrown instanceof QuernError ? new QuernError(thrown.code, thrown.message) : thrown;
}

/** A link to an end that is taken takes the place of the other one. */
async function replacing(change: Change, transaction: Parameters<Parameters<typeof transactions>[0]>[0]): Promise<void> {
  try {
    await transaction.write([change]);
  } catch (thrown) {
    if (change.kind !== "link" || !(thrown instanceof QuernError) || thrown.code !== "END_TAKEN") throw thrown;
    const { from, to, end } = change;
    const links = await transaction.follow({ from: [from], end, fields: [] });
    for (const partner of links.nodes.uids) await transaction.write([{ ...change, kind: "unlink", to: partner }]);
    await transaction.write([{ ...change, from, to }]);
  }
}

/** The names of a transaction are written after it, whatever becomes of it. */
function namesApart(): Storage {
  return storage((good) => ({
    transact: async (work, options) => {
      const names: (readonly [string, Json])[] = [];
      try {
        return await good.transact(
          (transaction) => work(changed(transaction, { setMeta: (name, value) => void names.push([name, value]) })),
          options,
        );
      } finally {
        if (names.length > 0)
          await good.transact(async (transaction) => {
            for (const [name, value] of names) await transaction.setMeta(name, value);
          }, options);
      }
    },
  }))();
}

/** What fails is committed as far as it came. */
function halfWay(): Storage {
  return storage((good) => ({
    transact: async (work, options) => {
      const failures: unknown[] = [];
      const committed = await good.transact(async (transaction) => {
        try {
          return [await work(transaction)] as const;
        } catch (thrown) {
          failures.push(thrown);
          return undefined;
        }
      }, options);
      if (committed.result === undefined) throw failures[0];
      return { ...committed, result: committed.result[0] };
    },
  }))();
}

/** Uids of transactions that have failed are given again. */
function givingAgain(): Storage {
  const free: Uid[] = [];
  return storage((good) => ({
    transact: async (work, options) => {
      const taken: Uid[] = [];
      const uids = async (count: number, more: (count: number) => unknown) => {
        const some = free.splice(0, count);
        taken.push(...some, ...((await more(count - some.length)) as readonly Uid[]));
        return taken.slice(-count);
      };
      try {
        return await good.transact(
          (transaction) => work(changed(transaction, { uids: (count) => uids(count, transaction.uids.bind(transaction)) })),
          options,
        );
      } catch (thrown) {
        free.push(...taken);
        throw thrown;
      }
    },
  }))();
}

/** Each event of the feed becomes those that `other` makes of it. */
function feeding(other: (event: ChangeRecord) => readonly ChangeRecord[]): () => Storage {
  return storage((good) => ({
    changes: (listener, after) =>
      good.changes((event) => {
        for (const each of event.kind === "gap" ? [event] : other(event)) listener(each);
      }, after),
  }));
}

function every(nth: number) {
  let count = 0;
  return (event: ChangeRecord): readonly ChangeRecord[] => (++count % nth === 0 ? [] : [event]);
}

/** Also commits without a change have a record. */
function recordingAll(): Storage {
  return storage((good) => ({
    transact: async (work, options) => {
      const { result, token, record } = await good.transact(work, options);
      return { result, token, record: record ?? { kind: "coarse", token, types: [], fields: [], ends: [] } };
    },
  }))();
}

function onlyAdded(record: ChangeRecord | undefined): ChangeRecord | undefined {
  return record?.kind === "detailed" ? { ...record, entries: record.entries.filter(({ on }) => on) } : record;
}

const wrong: readonly WrongStorage[] = [
  ["texts in one Unicode form", "neighbour.values", values((value) => (typeof value === "string" ? value.normalize("NFC") : value))],
  ["texts without blanks at their ends", "neighbour.values", values((value) => (typeof value === "string" ? value.trim() : value))],
  ["no empty texts", "value.absent", values((value) => (value === "" ? undefined : value))],
  ["int64 as doubles", "value.exact", values((value) => (typeof value === "bigint" ? BigInt(Number(value)) : value))],
  ["floats of 32 bits", "value.exact", values((value) => (typeof value === "number" ? Math.fround(value) : value))],
  [
    "dates in UTC",
    "value.exact",
    values((value) => (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).toISOString() : value)),
  ],
  ["sorted lists", "value.sets", values((value) => (Array.isArray(value) ? value.toSorted() : value))],
  ["lists of a thousand values", "size.list", values((value) => (Array.isArray(value) ? value.slice(0, 1_000) : value))],
  ["texts of 64 KiB", "value.long-text", values((value) => (typeof value === "string" ? value.slice(0, 65_536) : value))],
  ["transactions that do not read their writes", "tx.unseen", readingBefore],
  ["names that are written apart", "tx.atomic", namesApart],
  ["what a failed transaction had written", "tx.atomic", halfWay],
  ["keys that are looked up before the transaction", "tx.keys", lookingUpKeys],
  [
    "keys of each type",
    "tx.key-of-types",
    deploying((layout) => ({
      ...layout,
      keys: layout.keys.flatMap((key) => key.types.map((type) => ({ ...key, name: `${key.name} of ${type}`, types: [type] }))),
    })),
  ],
  [
    "a taken key without its holder",
    "tx.keys",
    storage((good) => ({
      transact: async (work, options) => {
        try {
          return await good.transact(work, options);
        } catch (thrown) {
          throw bare(thrown);
        }
      },
    })),
  ],
  [
    "links that take the place of others",
    "link.single",
    transactions((transaction) => ({
      write: async (changes) => {
        for (const change of changes) await replacing(change, transaction);
      },
    })),
  ],
  [
    "removals first",
    "tx.in-order",
    transactions((transaction) => ({
      write: (changes) => transaction.write(changes.toSorted((a, b) => Number(b.kind === "unlink") - Number(a.kind === "unlink"))),
    })),
  ],
  ["uids of failed transactions again", "life.uids", givingAgain],
  ["descending uids", "life.uids", transactions((transaction) => ({ uids: async (count) => (await transaction.uids(count)).toReversed() }))],
  [
    "null as a value of a name",
    "life.meta",
    transactions((transaction) => ({ setMeta: (name, value) => transaction.setMeta(name, value ?? "null") })),
  ],
  [
    "writes for old layouts",
    "tx.stale",
    storage((good) => ({
      transact: async (work, options) => await good.transact(work, { ...options, version: (await good.deployed())?.version ?? 0 }),
    })),
  ],
  ["a hold that protects nothing, and a node that is changed", "hold.changed", () => optimisticStorage({ protects: "written" })],
  ["a hold that protects nothing, and a node that is removed", "hold.removed", () => optimisticStorage({ protects: "written" })],
  ["a feed that loses a commit", "change.after", feeding(every(5))],
  ["a feed that reports each commit twice", "change.after", feeding((event) => [event, event])],
  ["a feed that begins with the next commit", "change.after", storage((good) => ({ changes: (listener) => good.changes(listener) }))],
  [
    "listeners that stay",
    "change.detailed",
    storage((good) => ({
      changes: (listener, after) => {
        good.changes(listener, after);
        return () => undefined;
      },
    })),
  ],
  ["a record of no change", "change.unchanged", recordingAll],
  [
    "records without removed entries",
    "change.exact",
    storage((good) => ({
      transact: async (work, options) => {
        const committed = await good.transact(work, options);
        const record = onlyAdded(committed.record);
        return { result: committed.result, token: committed.token, ...(record && { record }) };
      },
    })),
  ],
  [
    "a view of a commit that shows later ones",
    "tx.committed-view",
    storage((good) => ({
      transact: async (work, options) => changed(await good.transact(work, options), { snapshot: (of) => movingView(good, of) }),
    })),
  ],
];

describe.each(wrong)("a storage with %s", (_what, id, create) => {
  it(`fails ${id}, which a correct storage passes`, async () => {
    await expect(checkOf(id, { create: async () => create() })()).rejects.toThrow(`${id} MUST: expected that`);
    await checkOf(id, {})();
  });
});

/** Resolves when the work has ended, and writes afterwards. */
function early({ storage: good, writes }: FaultyStorage): FaultyStorage {
  const transact: Storage["transact"] = (work, options) =>
    new Promise((resolve, reject) => {
      const ended = async (transaction: Parameters<typeof work>[0]) => {
        const result = await work(transaction);
        resolve({ result, token: good.latest() });
        return result;
      };
      good.transact(ended, options).catch(reject);
    });
  return { storage: changed(good, { transact }), writes };
}

function faulty(): FaultyStorage {
  const store = new FaultyStore(new MemoryStore());
  return { storage: orderedStorage(store), writes: store.writes };
}

it("a storage that acknowledges before it writes fails fault.slow, which a correct storage passes", async () => {
  await expect(checkOf("fault.slow", { faults: async () => early(faulty()) })()).rejects.toThrow(
    "a write was acknowledged before the database had it",
  );
  await checkOf("fault.slow", { faults: async () => faulty() })();
});

it.each(["hold.changed", "hold.removed", "tx.held"])(
  "a storage whose transactions run side by side, and that protects held nodes, passes %s",
  async (id) => {
    await checkOf(id, { create: async () => optimisticStorage({ protects: "written and held" }) })();
  },
);
