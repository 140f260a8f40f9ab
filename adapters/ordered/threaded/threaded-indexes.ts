// Indexes of a load that another thread builds, as the thread sees them that has the store open. It reserves their structures, which the catalog lists as
// unfinished, writes what the other one sends, and notes what that one cannot know: nodes that change after they were created.

import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { IndexName, IndexThread, IndexThreads, Layout, MigrationStep, Uid } from "../../../core/storage.ts";
import { planDeploy } from "../../storage-kit/index.ts";
import type { LoadedIndexes } from "../build/loaded-indexes.ts";
import type { Database } from "../database/database.ts";
import type { Catalog } from "../layout/catalog.ts";
import type { BuildObserver } from "../write/maintenance.ts";
import { type FromIndexing, type IndexingStart, type ToIndexing, unpacked } from "./messages.ts";

/** The other thread hears of as many new nodes at once. */
const nodesAtOnce = 4_096;
/** Changed nodes that are noted. With more of them, the migration that ends the load builds the indexes itself. */
const maxNoted = 100_000;
const stopsWithinMs = 5_000;

export interface ThreadedIndexesOptions {
  readonly database: Database;
  /** The deployed layout with the indexes that were deferred. */
  readonly layout: Layout;
  readonly document: string;
  readonly start: Parameters<IndexThreads["begin"]>[0];
  readonly sync: boolean;
}

export class ThreadedIndexes implements BuildObserver {
  readonly #options: ThreadedIndexesOptions;
  readonly #port: MessagePort;
  #thread: IndexThread | undefined;
  #reserved: Catalog | undefined;
  #ids: Readonly<Record<IndexName, number>> = {};
  /** The newest node. */
  #highest: Uid;
  #created = 0;
  /** Not to be indexed by the other thread, or not known to it. */
  readonly #noted = new Set<Uid>();
  /** The other thread was asked to end. */
  #end: Promise<void> | undefined;
  #isEnding = false;
  #isOfNoUse = false;
  #isReleased = false;
  #writes: Promise<void> = Promise.resolve();
  readonly #done: Promise<"written" | "failed">;
  #settle: (outcome: "written" | "failed") => void = () => undefined;

  private constructor(options: ThreadedIndexesOptions, port: MessagePort) {
    this.#options = options;
    this.#port = port;
    this.#highest = options.database.nextUid - 1;
    this.#done = new Promise((resolve) => {
      this.#settle = resolve;
    });
    port.on("message", (message: FromIndexing) => this.#take(message));
    port.unref();
  }

  /** Undefined: no index is deferred, or an interrupted build waits to go on. */
  static async begin(options: ThreadedIndexesOptions): Promise<ThreadedIndexes | undefined> {
    const { port1, port2 } = new MessageChannel();
    const threaded = new ThreadedIndexes(options, port1);
    if (!(await threaded.#reserve())) {
      port1.close();
      return undefined;
    }
    try {
      threaded.#begin(port2);
    } catch (thrown) {
      await threaded.release();
      throw thrown;
    }
    return threaded;
  }

  async #reserve(): Promise<boolean> {
    const { database, layout } = this.#options;
    const { result } = await database.write(async () => {
      // What was written before shows the store to the other thread; of what is written from here on, this observer hears.
      await database.engine.settled();
      const catalog = database.stagedCatalog;
      const { next } = planDeploy(layout, catalog);
      this.#ids = threadedIds(layout, next, catalog);
      if (Object.keys(this.#ids).length === 0 || catalog.build !== undefined) return { result: false, wrote: false };
      this.#reserved = next;
      this.#highest = database.nextUid - 1;
      database.keepUp({ schema: undefined, observer: this });
      const unfinished = [...catalog.unfinished, ...Object.values(this.#ids)];
      return { ...database.catalogChange({ ...catalog, nextId: next.nextId, unfinished }), result: true };
    });
    return result;
  }

  #begin(port: MessagePort): void {
    const { start } = this.#options;
    if (this.#reserved === undefined) return;
    const data: IndexingStart = { port, catalog: this.#reserved, indexes: Object.keys(this.#ids) };
    this.#thread = start(data, [port]);
    void this.#thread.ended.then(() => this.#ended());
  }

  /** The last messages may come behind the news that their thread has ended. */
  #ended(): void {
    for (;;) {
      const received: { readonly message: FromIndexing } | undefined = receiveMessageOnPort(this.#port);
      if (received === undefined) break;
      this.#take(received.message);
    }
    this.#settle("failed");
  }

  /** Whether a migration to the layout takes over these indexes. */
  areOf(layout: Layout, document: string, catalog: Catalog): boolean {
    const { next } = planDeploy(layout, catalog);
    const wanted = Object.keys(threadedIds(layout, next, catalog));
    const isSame = (name: IndexName) => this.#reserved?.indexes[name]?.signature === next.indexes[name]?.signature;
    return (
      document === this.#options.document &&
      wanted.length === Object.keys(this.#ids).length &&
      wanted.every((name) => name in this.#ids && isSame(name))
    );
  }

  changed(uid: Uid): void {
    if (this.#isEnding) this.#isOfNoUse = true;
    else this.#note(uid);
  }

  created(uid: Uid): void {
    const isNewest = uid > this.#highest;
    if (isNewest) this.#highest = uid;
    if (!isNewest) this.changed(uid);
    else if (this.#isEnding) this.#note(uid);
    else if (++this.#created % nodesAtOnce === 0) this.#send({ kind: "more" });
  }

  #note(uid: Uid): void {
    this.#noted.add(uid);
    if (this.#noted.size > maxNoted) this.#isOfNoUse = true;
  }

  /** No key is built. */
  duplicate(): void {}

  #send(message: ToIndexing): void {
    this.#port.postMessage(message);
  }

  #take(message: FromIndexing): void {
    switch (message.kind) {
      case "write":
        this.#writes = this.#writes.then(() => this.#write(message.batch));
        return;
      case "done":
        this.#settle("written");
        return;
      case "failed":
        this.#settle("failed");
    }
  }

  async #write(batch: Extract<FromIndexing, { kind: "write" }>["batch"]): Promise<void> {
    const { database, sync } = this.#options;
    try {
      await database.store.batch(unpacked(batch), { sync });
      this.#send({ kind: "written" });
    } catch {
      // The migration that ends the load fails in the same way, and says why.
      this.#isOfNoUse = true;
      this.#settle("failed");
    }
  }

  /** All nodes of the load are created, as far as anybody knows: the other thread writes the indexes. */
  end(): Promise<void> {
    this.#end ??= this.#askForEnd();
    return this.#end;
  }

  async #askForEnd(): Promise<void> {
    const { database } = this.#options;
    await database.write(async () => {
      await database.engine.settled();
      this.#send({ kind: "end", upTo: this.#highest, changed: [...this.#noted] });
      this.#isEnding = true;
      return { result: undefined, wrote: false };
    });
  }

  /** Waits for the other thread. Undefined: it has failed, or what it made is of no use. */
  async loaded(progress: ((step: MigrationStep) => void) | undefined): Promise<LoadedIndexes | undefined> {
    this.#port.ref();
    await this.end();
    const count = Object.keys(this.#ids).length;
    const what = count === 1 ? `index ${Object.keys(this.#ids).join()}` : `${count} indexes`;
    const step = { what: `${what}, built beside the load`, total: count };
    progress?.({ ...step, done: 0 });
    const outcome = await this.#done;
    await this.#writes;
    await this.#thread?.end();
    this.#port.close();
    const missed = () => (this.#isOfNoUse ? undefined : [...this.#noted]);
    if (outcome !== "written" || this.#isOfNoUse) return undefined;
    progress?.({ ...step, done: count });
    return { ids: this.#ids, missed };
  }

  /** Ends the other thread; nobody takes over what it has made. */
  async abandon(): Promise<void> {
    this.#send({ kind: "stop" });
    let late: NodeJS.Timeout | undefined;
    const isLate = new Promise<void>((resolve) => {
      late = setTimeout(resolve, stopsWithinMs);
    });
    await Promise.race([this.#thread?.ended, isLate]);
    clearTimeout(late);
    await this.#thread?.end();
    this.#port.close();
    await this.#writes;
  }

  /** What no migration has taken over becomes garbage, and writers note nothing more. */
  async release(): Promise<void> {
    const { database } = this.#options;
    if (this.#isReleased) return;
    this.#isReleased = true;
    const own = new Set(Object.values(this.#ids));
    const left = database.catalog.unfinished.filter((id) => own.has(id));
    if (left.length === 0) return;
    database.keepUp();
    await database.changeCatalog((catalog) => ({
      ...catalog,
      unfinished: catalog.unfinished.filter((id) => !own.has(id)),
      garbage: [...catalog.garbage, ...left],
    }));
  }
}

/** The indexes that `next` has and `catalog` has not, but for those of nearest nodes. */
function threadedIds(layout: Layout, next: Catalog, catalog: Catalog): Readonly<Record<IndexName, number>> {
  const ids: Record<IndexName, number> = {};
  for (const { name, by } of layout.indexes) {
    const id = next.indexes[name]?.id;
    if (by !== "nearest" && id !== undefined && id !== catalog.indexes[name]?.id) ids[name] = id;
  }
  return ids;
}
