// Removes what nothing refers to any more: uploads that nobody has taken in time, and the bytes of files that are gone. On one server at a time; what a
// server could not end, the next one ends.

import type { BackgroundContext, BackgroundTask, ChangeRecord, Gap, Predicate, Transaction, Uid } from "../../../core/plugin.ts";
import type { FilesSettings } from "../ground/options.ts";
import { createGone } from "../records/gone.ts";
import { goneFields, goneType, uploadFields, uploadType } from "../records/layout.ts";
import { pieceRemovals, piecesOf } from "../records/pieces.ts";

/** Looked at in one round. */
const window = 64;
const piecesAtOnce = 500;
/** Without a commit or anything due, it looks as often. */
const longestPauseMs = 60_000;
const firstRetryMs = 1_000;
const longestRetryMs = 300_000;

export function cleanupTask({ store }: Pick<FilesSettings, "store">): BackgroundTask {
  return { name: "cleanup", runs: "once", run: (context) => new Cleanup(context, store).run() };
}

interface Due {
  readonly uid: Uid;
  readonly key: string;
  readonly tries: number;
}

class Cleanup {
  readonly #context: BackgroundContext;
  readonly #store: FilesSettings["store"];
  #removed = 0;
  #isWoken = false;
  #wake: (() => void) | undefined;

  constructor(context: BackgroundContext, store: FilesSettings["store"]) {
    this.#context = context;
    this.#store = store;
  }

  async run(): Promise<void> {
    const { signal } = this.#context;
    this.#context.gauge("filesRemovedTotal", () => this.#removed);
    this.#context.changes((event) => this.#hear(event));
    signal.addEventListener("abort", () => this.#awake());
    while (!signal.aborted) {
      this.#isWoken = false;
      await this.#endUploads();
      for (const due of await this.#due()) if (!signal.aborted) await this.#remove(due);
      await this.#pause(await this.#untilNext());
    }
  }

  #hear(event: ChangeRecord | Gap): void {
    const types = event.kind === "detailed" ? event.nodes.map(({ type }) => type) : event.kind === "coarse" ? event.types : [goneType];
    if (types.some((type) => type === goneType || type === uploadType)) this.#awake();
  }

  #awake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isWoken || this.#context.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  /** In one commit each upload becomes bytes to remove, so that no mutation takes it any more. */
  async #endUploads(): Promise<void> {
    for (let ended = window; ended === window && !this.#context.signal.aborted; ) {
      const { result } = await this.#context.transact((transaction) => endUploads(transaction));
      ended = result;
    }
  }

  async #due(): Promise<readonly Due[]> {
    const snapshot = this.#context.snapshot();
    try {
      const { key, due, tries } = goneFields;
      const { uids, columns } = await snapshot.find({
        types: [goneType],
        where: { kind: "compare", field: due, op: "le", operands: [Date.now()] },
        order: [{ field: due, direction: "asc" }],
        page: { first: window },
        fields: [key, tries],
      });
      return uids.map((uid, row) => ({ uid, key: String(columns[0]?.[row]), tries: Number(columns[1]?.[row] ?? 0) }));
    } finally {
      snapshot.close();
    }
  }

  async #remove({ uid, key, tries }: Due): Promise<void> {
    const failure = await this.#store.remove(key).then(
      () => undefined,
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
    );
    if (failure === undefined) this.#removed++;
    else
      this.#context.log(tries === 0 ? "warn" : "info", `the bytes of a file could not be removed, and will be: ${failure}`, {
        key,
        tries: tries + 1,
      });
    await this.#context.transact(async (transaction) => {
      const there = await transaction.load({ uids: [uid], types: [goneType], fields: [] });
      if (there.uids.length === 0) return;
      const later = {
        [goneFields.tries]: tries + 1,
        [goneFields.due]: Date.now() + Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(tries, 20)),
      };
      await transaction.write([
        failure === undefined ? { kind: "remove", uid, type: goneType } : { kind: "set", uid, type: goneType, fields: later },
      ]);
    });
  }

  /** @returns in how many milliseconds something is due */
  async #untilNext(): Promise<number> {
    const snapshot = this.#context.snapshot();
    try {
      const firsts = await Promise.all([first(snapshot, uploadType, uploadFields.ends), first(snapshot, goneType, goneFields.due)]);
      const next = Math.min(...firsts.map((each) => each ?? Number.POSITIVE_INFINITY)) - Date.now();
      return Math.min(longestPauseMs, Math.max(1, next));
    } finally {
      snapshot.close();
    }
  }
}

/** @returns how many are over */
async function endUploads(transaction: Transaction): Promise<number> {
  const { ends, key } = uploadFields;
  const where: Predicate = { kind: "compare", field: ends, op: "le", operands: [Date.now()] };
  const { uids, columns } = await transaction.find({ types: [uploadType], where, page: { first: window }, fields: [key] });
  if (uids.length === 0) return 0;
  const keys = (columns[0] ?? []).map(String);
  // Of long uploads the pieces go first, some at a time.
  const pieces = await piecesOf(transaction, keys, piecesAtOnce);
  await transaction.write(await pieceRemovals(transaction, pieces));
  if (pieces.length === piecesAtOnce) return window;
  const fresh = await transaction.uids(uids.length);
  await transaction.write([
    ...uids.map((uid) => ({ kind: "remove", uid, type: uploadType }) as const),
    ...fresh.map((uid, row) => createGone(uid, keys[row] ?? "")),
  ]);
  return uids.length;
}

/** The lowest value of a field. */
async function first(snapshot: Pick<Transaction, "find">, type: string, field: string): Promise<number | undefined> {
  const { columns } = await snapshot.find({ types: [type], order: [{ field, direction: "asc" }], page: { first: 1 }, fields: [field] });
  const value = columns[0]?.[0];
  return value === undefined ? undefined : Number(value);
}
