// What runs in the thread that builds the indexes of a load.

import type { Layout, Uid } from "../../../core/storage.ts";
import { Database } from "../database/database.ts";
import type { OrderedStore } from "../ground/store.ts";
import { buildLayoutRuntime, type IndexRuntime } from "../layout/layout-runtime.ts";
import { IndexBuilder } from "./index-builder.ts";
import type { FromIndexing, IndexingStart, ToIndexing } from "./messages.ts";
import { ThreadedStore } from "./threaded-store.ts";

/** Of blocks that are being filled. */
const cacheBytes = 8 << 20;

/** @param store of the thread that has it open, not opened here yet */
export async function runIndexing(store: OrderedStore, { port, catalog, indexes }: IndexingStart, layout: Layout): Promise<void> {
  const send = (message: FromIndexing) => port.postMessage(message);
  const ids = indexes.map((name) => catalog.indexes[name]?.id ?? 0);
  const threaded = new ThreadedStore(store, { port, structures: ids });
  const work = new Work();
  port.on("message", (message: ToIndexing) => (message.kind === "written" ? threaded.written() : work.take(message)));
  port.on("close", () => work.take({ kind: "stop" }));
  try {
    await threaded.open();
    try {
      const database = new Database(threaded, { cacheBytes, sync: false });
      const schema = buildLayoutRuntime(layout, catalog, database.registry);
      const built = indexes.map((name) => indexNamed(schema.indexes, name));
      await buildAll(new IndexBuilder(database, built), built, work);
      await database.close();
    } finally {
      await threaded.close();
    }
    send({ kind: "done" });
  } catch (thrown) {
    if (thrown !== isStopped) send({ kind: "failed", reason: thrown instanceof Error ? thrown.message : String(thrown) });
  } finally {
    port.close();
  }
}

function indexNamed(indexes: ReadonlyMap<string, IndexRuntime>, name: string): IndexRuntime {
  const index = indexes.get(name);
  if (index === undefined) throw new TypeError(`the configuration of this thread makes a layout without the index ${name}`);
  return index;
}

async function buildAll(builder: IndexBuilder, indexes: readonly IndexRuntime[], work: Work): Promise<void> {
  const stopped = () => work.assertGoesOn();
  try {
    await builder.begin(indexes);
    for (;;) {
      const { end } = work;
      await builder.gather(end?.upTo ?? Number.POSITIVE_INFINITY, stopped);
      if (end === undefined) await work.more();
      else return await Promise.race([builder.write(end.changed), work.whenStopped]);
    }
  } finally {
    await builder.end();
  }
}

const isStopped: unique symbol = Symbol("nobody needs the indexes any more");

/** What is left to do, as the other thread says. */
class Work {
  /** Undefined: more nodes may come. */
  end: { readonly upTo: Uid; readonly changed: readonly Uid[] } | undefined;
  #isStopped = false;
  #hasMore = false;
  #wake: (() => void) | undefined;
  #stop: (reason: unknown) => void = () => undefined;
  /** Rejects when nobody needs the indexes any more. */
  readonly whenStopped: Promise<never>;

  constructor() {
    this.whenStopped = new Promise((_, reject) => {
      this.#stop = reject;
    });
    this.whenStopped.catch(() => undefined);
  }

  take(message: Exclude<ToIndexing, { kind: "written" }>): void {
    if (message.kind === "end") this.end = message;
    if (message.kind === "stop") {
      this.#isStopped = true;
      this.#stop(isStopped);
    }
    this.#hasMore = true;
    this.#wake?.();
  }

  assertGoesOn(): void {
    if (this.#isStopped) throw isStopped;
  }

  /** Resolves when there was a message since the last call. */
  async more(): Promise<void> {
    if (!this.#hasMore)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#hasMore = false;
    this.assertGoesOn();
  }
}
