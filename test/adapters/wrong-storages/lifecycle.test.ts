// The storage kit before storages that open, close, deploy, erase and verify wrongly: a named check fails on each, and passes on the storage without
// the fault.

import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { type Batch, QuernError, type Storage } from "../../../core/storage.ts";
import type { Place } from "../../conformance/index.ts";
import { MemoryStore } from "../ordered/memory-store.ts";
import { changed, checkOf, goodStorage, storage, type WrongStorage } from "./faults.ts";

const nothing: Batch = { uids: [], types: [], columns: [] };

/** A read that is not over when the storage closes ends as `cut` says. */
function cuttingReads(cut: () => Batch) {
  return storage((good) => {
    let closings = 0;
    const reading = async (read: () => unknown): Promise<Batch> => {
      const begun = closings;
      const batch = (await read()) as Batch;
      await nextTurn();
      return begun === closings ? batch : cut();
    };
    return {
      close: async () => {
        closings++;
        await good.close();
      },
      snapshot: (options) => {
        const view = good.snapshot(options);
        return changed(view, { find: (request) => reading(() => view.find(request)), load: (request) => reading(() => view.load(request)) });
      },
    };
  });
}

const foreign = (thrown: unknown): never => {
  throw new TypeError("Cannot read properties of undefined (reading 'get')", { cause: thrown });
};

const wrong: readonly WrongStorage[] = [
  [
    "an open that fails when it is open",
    "life.unopened",
    storage((good) => {
      let opened = false;
      return {
        open: async () => {
          if (opened) throw new Error("already open");
          opened = true;
          await good.open();
        },
        close: async () => {
          opened = false;
          await good.close();
        },
      };
    }),
  ],
  [
    "a plain error after its close",
    "life.closed",
    storage((good) => ({
      statistics: async () => {
        try {
          return await good.statistics();
        } catch (thrown) {
          return foreign(thrown);
        }
      },
    })),
  ],
  ["reads that answer with nothing when it closes", "life.closing-reads", cuttingReads(() => nothing)],
  ["reads that crash when it closes", "life.closing-reads", cuttingReads(() => foreign("the files are closed"))],
  [
    "a close that waits for no transaction",
    "life.closing",
    storage((good) => {
      let refuse = (_: Error): void => undefined;
      const closing = new Promise<never>((_, reject) => (refuse = reject));
      closing.catch(() => undefined);
      return {
        transact: (work, options) => Promise.race([good.transact(work, options), closing]),
        close: async () => {
          refuse(new QuernError("STORE_CLOSED", "closed"));
          await good.close();
        },
      };
    }),
  ],
  [
    "a document without its last blank",
    "life.reopen",
    storage((good) => ({ migrate: (layout, document, options) => good.migrate(layout, document.slice(0, -2), options) })),
  ],
  [
    "a comparison that deploys",
    "deploy.compare",
    storage((good) => ({
      compare: async (layout, options) => {
        const comparison = await good.compare(layout, options);
        await good.migrate(layout, "compared");
        return comparison;
      },
    })),
  ],
  [
    "an erasure of one field that takes all",
    "erase.field",
    storage((good) => ({ erase: (what) => good.erase(what.kind === "field" ? { kind: "data" } : what) })),
  ],
  [
    "an erasure of a field that nobody knows",
    "erase.unknown",
    storage((good) => ({
      erase: async (what) => {
        await good.erase(what).catch((thrown) => {
          if (!(thrown instanceof QuernError) || thrown.code !== "REQUEST_INVALID") throw thrown;
        });
      },
    })),
  ],
  [
    "an erasure that keeps the names",
    "deploy.erase",
    storage((good) => ({ erase: (what) => good.erase(what.kind === "all" ? { kind: "data" } : what) })),
  ],
  [
    "a check that looks at nothing",
    "life.verify",
    storage(() => ({ verify: async () => ({ nodes: 0, links: 0, entries: 0, faults: [], faultCount: 0, repaired: 0 }) })),
  ],
  ["figures that are no numbers", "life.statistics", storage(() => ({ statistics: () => ({ bytes: Number.NaN }) }))],
  [
    "a newest commit that lags",
    "tx.snapshot",
    storage((good) => ({ latest: () => String(Number(good.latest()) - 1).padStart(good.latest().length, "0") })),
  ],
  [
    "names of the neighbour's prefix",
    "tx.meta-names",
    storage((good) => ({ metaNames: ({ prefix, ...request }) => good.metaNames({ ...request, prefix: prefix.slice(0, -1) }) })),
  ],
  [
    "a page of names that begins with the last one of before",
    "tx.meta-names",
    storage((good) => ({
      metaNames: async (request) => {
        const { after } = request;
        const names = await good.metaNames(request);
        return after?.startsWith(request.prefix) ? [after, ...names].slice(0, request.first) : names;
      },
    })),
  ],
  [
    "names by UTF-16",
    "tx.meta-names",
    storage((good) => ({ metaNames: async (request) => (await good.metaNames({ ...request, first: 1_000 })).toSorted().slice(0, request.first) })),
  ],
];

describe.each(wrong)("a storage with %s", (_what, id, create) => {
  it(`fails ${id}, which a correct storage passes`, async () => {
    await expect(checkOf(id, { create: async () => create() })()).rejects.toThrow(`${id} MUST: expected that`);
    await checkOf(id, {})();
  });
});

/** Files that outlive a storage over them: the lock is theirs. */
class Files {
  readonly store = new MemoryStore();
  isOpen = false;
}

/** A store over files. @param locks how it takes their lock */
function over(files: Files, locks: (files: Files) => void): Storage {
  let owns = false;
  const store = changed(files.store, {
    open: async () => {
      locks(files);
      files.isOpen = true;
      owns = true;
    },
    close: async () => {
      if (owns) files.isOpen = false;
      owns = false;
    },
  });
  return orderedStorage(store);
}

function refused({ isOpen }: Files): void {
  if (isOpen) throw new QuernError("STORE_LOCKED", "another process has opened the store");
}

async function place(locks: (files: Files) => void): Promise<Place> {
  const files = new Files();
  return () => over(files, locks);
}

/** Closing frees the place also where opening has failed. */
async function freed(): Promise<Place> {
  const files = new Files();
  return () => {
    const good = over(files, refused);
    return changed(good, {
      close: async () => {
        await good.close();
        files.isOpen = false;
      },
    });
  };
}

/** Every storage has data of its own. */
async function apart(): Promise<Place> {
  return goodStorage;
}

/** Does not say what was deployed before. */
async function forgetting(): Promise<Place> {
  const files = new Files();
  return () => {
    const good = over(files, refused);
    return changed(good, { deployed: async () => undefined });
  };
}

describe.each([
  ["without a lock", "place.locked", () => place(() => undefined)],
  ["whose lock is a plain error", "place.locked", () => place(({ isOpen }) => (isOpen ? foreign("locked") : undefined))],
  ["whose close frees what it has not opened", "place.locked", freed],
  ["that keeps its data in the object", "place.kept", apart],
  ["that forgets what was deployed", "place.kept", forgetting],
] as const)("a storage %s", (_what, id, wrongPlace) => {
  it(`fails ${id}, which a correct storage passes`, async () => {
    await expect(checkOf(id, { place: wrongPlace })()).rejects.toThrow(`${id} MUST: expected that`);
    await checkOf(id, { place: () => place(refused) })();
  });
});
