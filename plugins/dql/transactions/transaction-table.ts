// The transactions that are open on this server. Each lives for a short time, and there are few at once.

import { randomBytes } from "node:crypto";
import type { KernelAccess, ServedSchema, Snapshot } from "../../../core/plugin.ts";
import { excess } from "../language/problem.ts";
import type { WriteFacts } from "../write/facts.ts";
import { aborted, foreign } from "./aborted.ts";
import { OpenTransaction } from "./open-transaction.ts";

export interface TransactionLimits {
  /** How long one lives from its start. */
  readonly transactionMs: number;
  /** How many that have written may be open. */
  readonly maxTransactions: number;
}

export const defaultTransactionLimits: TransactionLimits = { transactionMs: 30_000, maxTransactions: 100 };

/** Queries that began a transaction keep their view: every query may be the first one of a transaction. */
const maxReading = 32;
/** What all of them may hold of what they have written. */
const maxBytes = 128 * 1024 * 1024;

export interface Beginning {
  readonly owner: string | undefined;
  readonly schema: ServedSchema;
  readonly facts: WriteFacts;
  readonly snapshot: Snapshot;
}

/** Who goes on with a transaction. */
export interface Claim {
  readonly owner: string | undefined;
  readonly hash: string | undefined;
}

export class TransactionTable {
  readonly #limits: TransactionLimits;
  readonly #open = new Map<number, OpenTransaction>();
  readonly #timers = new Map<number, NodeJS.Timeout>();
  #newest = 0;

  constructor(limits: TransactionLimits) {
    this.#limits = limits;
  }

  begin(beginning: Beginning, { maxTimeMs }: Pick<KernelAccess["limits"], "maxTimeMs">): OpenTransaction {
    this.#evict();
    const startTs = Math.max(this.#newest + 1, Date.now());
    this.#newest = startTs;
    const transaction = new OpenTransaction({ ...beginning, startTs, hash: randomBytes(16).toString("hex") });
    this.#open.set(startTs, transaction);
    const timer = setTimeout(() => this.end(transaction), Math.min(this.#limits.transactionMs, maxTimeMs));
    timer.unref();
    this.#timers.set(startTs, timer);
    return transaction;
  }

  /** @throws QuernError when there is no such transaction, or it is another client's */
  find(startTs: number, { owner, hash }: Claim): OpenTransaction {
    const found = this.#open.get(startTs);
    if (!found) throw aborted("it has ended, or was never begun on this server.");
    const { begun } = found;
    if (begun.owner !== owner || (owner !== undefined && begun.hash !== hash)) throw foreign();
    return found;
  }

  /** Before a transaction writes for the first time, and before it writes more. @throws QuernError when there is no room */
  assertRoom(transaction: OpenTransaction, bytes: number): void {
    const { maxTransactions, transactionMs } = this.#limits;
    const others = [...this.#open.values()].filter((each) => each !== transaction && each.hasWritten);
    if (others.length >= maxTransactions)
      throw excess(
        `${maxTransactions} transactions are open that have written. Commit or abort some; each ends by itself after ${transactionMs} ms.`,
      );
    const held = others.reduce((sum, each) => sum + each.bytes, transaction.bytes + bytes);
    if (held > maxBytes) throw excess("The open transactions have written too much. Commit or abort some, and write less in one.");
  }

  end(transaction: OpenTransaction): void {
    const { startTs } = transaction.begun;
    clearTimeout(this.#timers.get(startTs));
    this.#timers.delete(startTs);
    this.#open.delete(startTs);
    transaction.end();
  }

  /** Another schema is served, or the store closes. */
  endAll(): void {
    for (const transaction of this.#open.values()) this.end(transaction);
  }

  /** Those that have only read, the oldest first. */
  #evict(): void {
    const reading = [...this.#open.values()].filter(({ hasWritten }) => !hasWritten);
    for (const transaction of reading.slice(0, Math.max(0, reading.length + 1 - maxReading))) this.end(transaction);
  }
}
