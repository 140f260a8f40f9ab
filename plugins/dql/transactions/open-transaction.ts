// A transaction over several requests: what it has read stays as it was at its start, and what it writes waits for the commit.

import type { ServedSchema, Snapshot, Uid, WriteTransaction } from "../../../core/plugin.ts";
import type { DocumentBudget } from "../state/document-budget.ts";
import { rawSnapshot, writeDraft } from "../write/commit.ts";
import { type Applied, Draft } from "../write/draft.ts";
import type { WriteFacts } from "../write/facts.ts";
import { aborted } from "./aborted.ts";
import { hasConflict } from "./conflicts.ts";

export interface BegunTransaction {
  readonly startTs: number;
  /** Who goes on must be the same; undefined: no plugin knows callers. */
  readonly owner: string | undefined;
  /** What its owner must send with it. */
  readonly hash: string;
  readonly schema: ServedSchema;
  readonly facts: WriteFacts;
  readonly snapshot: Snapshot;
}

export class OpenTransaction {
  readonly begun: BegunTransaction;
  readonly #applied: Applied[] = [];
  readonly #made = new Set<Uid>();
  /** Bytes that it holds, roughly. */
  bytes = 0;
  #isEnded = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(begun: BegunTransaction) {
    this.begun = begun;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get hasWritten(): boolean {
    return this.#applied.length > 0;
  }

  /** One request of the transaction after the other. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const running = before.then(() => {
      if (this.#isEnded) throw aborted("it has ended.");
      return work();
    });
    this.#last = running.catch(() => undefined);
    return await running;
  }

  /** The data of its start, with what it has written. */
  async draft(work: DocumentBudget): Promise<Draft> {
    return await this.#on(this.begun.snapshot, work);
  }

  add(steps: readonly Applied[], made: ReadonlySet<Uid>, bytes: number): void {
    this.#applied.push(...steps.filter(({ operations }) => operations.length > 0));
    for (const uid of made) this.#made.add(uid);
    this.bytes += bytes;
  }

  /** Writes everything, unless others have written the same since its start. */
  async commit(tx: WriteTransaction, work: DocumentBudget): Promise<void> {
    if (!this.hasWritten) return;
    const start = await this.draft(work);
    const now = await this.#on(rawSnapshot(tx), work);
    const sides = { start: { draft: start, base: this.begun.snapshot }, now: { draft: now, base: rawSnapshot(tx) } };
    if (await hasConflict(this.#applied, sides, this.begun.facts)) throw aborted("others have written the same since it began.");
    await writeDraft(tx, now, { isRuled: tx.narrowsEverywhere, made: this.#made, work });
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    // A request of it may still read.
    void this.#last.then(() => this.begun.snapshot.close());
  }

  async #on(base: Snapshot, work: DocumentBudget): Promise<Draft> {
    const draft = await Draft.begin(base, this.begun.facts);
    await draft.replay(this.#applied, work);
    return draft;
  }
}

/** What clients send with the next request. Their keys are empty: the server keeps what the transaction has written. */
export function contextFor({ begun: { startTs, owner, hash } }: OpenTransaction) {
  return { start_ts: startTs, keys: [], preds: [], ...(owner !== undefined && { hash }) };
}
