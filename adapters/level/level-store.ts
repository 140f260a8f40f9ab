// What the toolkit asks of a store, by `level`, which in Node is LevelDB itself.

import { randomBytes } from "node:crypto";
import { readdir, stat, statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Level } from "level";
import { type PinnedFiles, type QuernError, run, type Uid, type VerifyOptions, type VerifyReport, type Work } from "../../core/storage.ts";
import type { OrderedStore, StoreOpenOptions, StoreOperation } from "../ordered/index.ts";
import { makeFolder } from "../storage-kit/index.ts";
import { noteClosedFiles } from "./files/closed-files.ts";
import type { Damage } from "./files/damage.ts";
import { diskBytesOf } from "./files/disk-bytes.ts";
import { DurableNotes } from "./files/durable-note.ts";
import { raiseLeastUid, readLeastUid } from "./files/least-uid.ts";
import { readCurrent } from "./files/manifest.ts";
import { pinFiles, removeOldPins } from "./files/pin-files.ts";
import { announceReplacement, finishReplacement, incomingFolder, isBeingReplaced, replacedFolder } from "./files/replace-files.ts";
import type { Survey } from "./files/survey.ts";
import { assertWritable } from "./files/write-probe.ts";
import { FolderGuard } from "./folder-guard.ts";
import { LevelFollower } from "./level-follower.ts";
import { LevelReads } from "./level-reads.ts";
import { MergedTables } from "./merged-tables.ts";
import { damageError, lostLockError, servedDamageError, storeError, writeError } from "./store-error.ts";
import { type Passes, surveyed, TableVerifier, verifyFiles } from "./table-verifier.ts";

/** Larger buffers make bulk loads quicker; two of them may be in memory. */
export const defaultWriteBufferBytes = 16 << 20;

/** Room beside what is there, without which a store that ran out of it is left alone. */
const spareBytes = 2 << 20;

export interface LevelStoreOptions {
  readonly blockCacheBytes: number;
  readonly writeBufferBytes?: number;
  /** Tables up to so many bytes are verified before the store opens, the others while it serves. 64 MiB by default: some 200 ms. */
  readonly verifyAtOpenBytes?: number;
  /** How often all tables are verified while the store serves. By default at most 4 MiB a second, with ten minutes between two passes. */
  readonly passes?: Passes;
}

const defaultVerifyAtOpenBytes = 64 << 20;
export const betweenPassesMs = 600_000;
const defaultPasses: Passes = { betweenMs: betweenPassesMs, bytesPerSecond: 4 << 20 };

/** An open store and what guards it. */
interface Open {
  readonly db: Level<string, Uint8Array>;
  readonly guard: FolderGuard;
  readonly watch: TableVerifier;
  readonly merged: MergedTables;
  readonly durable: DurableNotes | undefined;
}

type Batch = ReturnType<Level<string, Uint8Array>["batch"]>;

/** Operations that are handed to LevelDB in one turn of the event loop. */
const addedAtOnce = 512;

function* addTo(batch: Batch, operations: readonly StoreOperation[]): Work<void> {
  let left = addedAtOnce;
  for (const operation of operations) {
    if (operation.type === "put") batch.put(operation.key, operation.value);
    else batch.del(operation.key);
    if (--left > 0) continue;
    left = addedAtOnce;
    yield;
  }
}

/** `20260102-153000-1a2b3c` */
function uniqueName(): string {
  const at = new Date().toISOString().replace(/\D/g, "");
  return `${at.slice(0, 8)}-${at.slice(8, 14)}-${randomBytes(3).toString("hex")}`;
}

export class LevelStore extends LevelReads implements OrderedStore {
  readonly name = "level";
  readonly folder: string;
  readonly #path: string;
  readonly #options: Required<LevelStoreOptions>;
  #opened: Open | undefined;
  #fault: QuernError | undefined;
  #onFault: StoreOpenOptions["onFault"];
  #leastUid: Uid = 1;
  /** The number of the last write, as LevelDB counts them; undefined after one that failed. */
  #sequence: number | undefined;
  /** Set by a commit that power may take back after the store is closed. */
  #hasUnsynced = false;

  constructor(path: string, options: LevelStoreOptions) {
    super();
    this.folder = path;
    this.#path = path;
    this.#options = {
      writeBufferBytes: defaultWriteBufferBytes,
      verifyAtOpenBytes: defaultVerifyAtOpenBytes,
      passes: defaultPasses,
      ...options,
    };
  }

  get fault(): QuernError | undefined {
    return this.#fault;
  }

  get leastUid(): Uid {
    return this.#leastUid;
  }

  /** The files are looked at before anything in the folder changes, except what an announced replacement moves. */
  async open({ onFault = this.#onFault }: StoreOpenOptions = {}): Promise<void> {
    this.#onFault = onFault;
    const path = resolve(this.#path);
    try {
      if (await isBeingReplaced(path)) await this.#replace(path);
      const survey = await surveyed(this.#path);
      const watch = new TableVerifier(path, survey.tables, { passes: this.#options.passes, onDamage: this.#onDamage });
      await watch.verifyFirst(survey.merged, this.#options.verifyAtOpenBytes, (damages) => damageError(this.#path, damages));
      await makeFolder(path);
      this.#leastUid = await readLeastUid(path);
      const guard = await FolderGuard.take(path);
      this.#opened = { guard, watch, ...(await this.#openGuarded(path, guard, survey)) };
      this.#sequence = survey.sequence;
      this.#fault = undefined;
      guard.watch(() => this.#fail(lostLockError()));
      watch.start();
    } catch (cause) {
      throw storeError(this.#path, cause);
    }
  }

  readonly #onDamage = (damages: readonly Damage[]) => this.#fail(servedDamageError(this.#path, damages));

  /** Gives the guard back when it fails: otherwise no later attempt of this process would get it. */
  async #openGuarded(path: string, guard: FolderGuard, { tables }: Survey): Promise<Pick<Open, "db" | "merged" | "durable">> {
    const merged = new MergedTables(path, this.#onDamage);
    let db: Open["db"] | undefined;
    try {
      await merged.begin(tables.map(({ file }) => file));
      db = await this.#openFiles(path);
      const manifest = await readCurrent(path);
      if (typeof manifest !== "string") return { db, merged, durable: undefined };
      merged.watch(manifest);
      return { db, merged, durable: await DurableNotes.begin(path, manifest) };
    } catch (cause) {
      await db?.close();
      await merged.end();
      await guard.release();
      throw cause;
    }
  }

  async #replace(path: string): Promise<void> {
    const guard = await FolderGuard.take(path);
    try {
      await finishReplacement(path);
    } finally {
      await guard.release();
    }
  }

  async #openFiles(path: string): Promise<Level<string, Uint8Array>> {
    await removeOldPins(path);
    await finishReplacement(path);
    const db = new Level<string, Uint8Array>(path, { keyEncoding: "utf8", valueEncoding: "view" });
    const { blockCacheBytes, writeBufferBytes } = this.#options;
    await db.open({ cacheSize: blockCacheBytes, writeBufferSize: writeBufferBytes, multithreading: true });
    return db;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    try {
      await opened.watch.stop();
      await opened.db.close();
      await opened.merged.end();
      await opened.durable?.end();
      if (this.#fault === undefined && !this.#hasUnsynced) await noteClosedFiles(resolve(this.#path));
    } finally {
      this.#hasUnsynced = false;
      // Also after a failure: this process could not open the folder again.
      await opened.guard.release();
    }
  }

  verifyFiles({ progress }: Pick<VerifyOptions, "progress"> = {}): Promise<VerifyReport> {
    return verifyFiles(this.#path, progress);
  }

  async pinFiles(): Promise<Omit<PinnedFiles, "commit">> {
    void this.db;
    try {
      return await pinFiles(resolve(this.#path));
    } catch (cause) {
      throw storeError(this.#path, cause);
    }
  }

  /** @returns a new folder inside that of the store, which is not made */
  incomingFolder(): string {
    return incomingFolder(resolve(this.#path), uniqueName());
  }

  async replaceAtOpening(incoming: string, nextUid: Uid): Promise<string> {
    const path = resolve(this.#path);
    const before = replacedFolder(path, uniqueName());
    try {
      await raiseLeastUid(path, nextUid);
      await announceReplacement(path, { from: incoming, to: before });
      return before;
    } catch (cause) {
      throw storeError(this.#path, cause);
    }
  }

  /** The first fault counts. */
  #fail(fault: QuernError): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    this.#onFault?.(fault);
  }

  counters(): Readonly<Record<string, number>> {
    const { watch, merged } = this.#opened ?? {};
    return {
      verifiedBytesTotal: (watch?.verified.bytes ?? 0) + (merged?.bytes.verified ?? 0),
      verifiedPassesTotal: watch?.verified.passes ?? 0,
      mergedBytesToVerify: merged?.bytes.waiting ?? 0,
    };
  }

  protected override get db(): Level<string, Uint8Array> {
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#opened === undefined) throw storeError(this.#path, undefined);
    return this.#opened.db;
  }

  /** A chained batch hands each operation over as it is: measured six times quicker than an array of operations. */
  async batch(operations: readonly StoreOperation[], { sync }: { readonly sync: boolean }): Promise<void> {
    const batch = this.db.batch();
    const added = run(addTo(batch, operations));
    if (added !== undefined) await added;
    if (!sync) this.#hasUnsynced = true;
    if (this.#opened?.guard.isHeld === false) {
      this.#fail(lostLockError());
      throw lostLockError();
    }
    try {
      await batch.write({ sync });
    } catch (cause) {
      this.#sequence = undefined;
      throw writeError(cause);
    }
    this.#count(operations.length);
    if (sync && this.#sequence !== undefined) this.#opened?.durable?.note(this.#sequence);
  }

  #count(writes: number): void {
    if (this.#sequence !== undefined) this.#sequence += writes;
  }

  /** Opening turns what LevelDB's log holds into a table: that needs room, and what is written then some more. */
  async canReopen(): Promise<boolean> {
    if (this.#fault !== undefined) return false;
    try {
      await assertWritable(resolve(this.#path));
      const files = (await readdir(this.#path)).filter((file) => file.endsWith(".log"));
      const sizes = await Promise.all(files.map(async (file) => (await stat(join(this.#path, file))).size));
      const { bavail, bsize } = await statfs(this.#path);
      return bavail * bsize > sizes.reduce((sum, size) => sum + size, spareBytes);
    } catch {
      return false;
    }
  }

  async diskBytes(): Promise<number> {
    void this.db;
    try {
      return await diskBytesOf(this.#path);
    } catch (cause) {
      throw storeError(this.#path, cause);
    }
  }

  follower(): OrderedStore {
    return new LevelFollower(this.#path);
  }
}
