// The storage kit on a storage that has none of the optional powers, and says so when it is asked for one.

import { it } from "vitest";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import type { ChangeRecord, Order, Place, Predicate, Snapshot, Storage } from "../../../core/storage.ts";
import { storageConformance } from "../../conformance/index.ts";
import { overriding } from "../../query/test-api.ts";
import { MemoryStore } from "./memory-store.ts";

const concerned = /^(?:change|link|order|view|random\.(?:small\.[12]|transaction))\b/;

storageConformance({
  test: (name, run) => void (concerned.test(name) && it(name, run)),
  create: async () => withoutPowers(orderedStorage(new MemoryStore(), { cacheBytes: 1 << 20 })),
});

function withoutPowers(storage: Storage): Storage {
  return overriding(storage, {
    supports: { linked: false, collation: false, detailedChanges: false },
    snapshot: (options) => plainly(storage.snapshot(options)),
    transact: async (work, options) => {
      const { record, ...committed } = await storage.transact((transaction) => work(plainly(transaction)), options);
      return { ...committed, ...(record && { record: coarse(record) }) };
    },
    changes: (listener, after) => storage.changes((event) => listener(event.kind === "gap" ? event : coarse(event)), after),
  });
}

function plainly<S extends Snapshot>(snapshot: S): S {
  const own: Partial<Snapshot> = {
    find: (request) => snapshot.find(checked(request)),
    follow: (request) => snapshot.follow(checked(request)),
    aggregate: (request) => {
      checked(request.over);
      return snapshot.aggregate(request);
    },
  };
  return overriding<S>(snapshot, own as Partial<S>);
}

function checked<R extends { readonly where?: Predicate; readonly order?: Order; readonly after?: Place | undefined }>(request: R): R {
  if (JSON.stringify(request.where ?? {}, withBigints).includes('"linked"')) throw new TypeError("a semi-join");
  if (request.order?.some((key) => key.collation !== undefined)) throw new TypeError("a language");
  if (request.after !== undefined) throw new TypeError("a place of an order");
  return request;
}

function withBigints(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function coarse(record: ChangeRecord): ChangeRecord {
  if (record.kind === "coarse") return record;
  return {
    kind: "coarse",
    token: record.token,
    types: [...new Set(record.nodes.map((node) => node.type))],
    fields: [...new Set(record.nodes.flatMap((node) => node.fields))],
    ends: [...new Set(record.edges.flatMap((edge) => edge.edge.split("|")))],
  };
}
