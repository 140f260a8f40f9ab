// One transaction of a plugin's root field: what the plugin asks for in it runs one after the other, and all of it is committed, or nothing is.

import type { ExecuteAnswer, ExecuteRequest } from "../../contracts/plugin/execute.ts";
import type { ChangesTransaction } from "../../contracts/plugin/mutation-hooks.ts";
import type { ExecutedAnswer, RootTransaction } from "../../contracts/plugin/root-transaction.ts";
import type { Snapshot, Transaction } from "../../contracts/storage/snapshot.ts";
import type { Committed } from "../../contracts/storage/storage.ts";
import { type ErrorCode, QuernError } from "../../ground/errors.ts";
import type { TransactionScope } from "../../ground/transaction-scope.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { nestedRequest } from "../../query/level/nested-request.ts";
import type { OpenTransaction, OperationContext, RootResult } from "../../query/operation-context.ts";
import type { RootPlan } from "../../query/plan/plan.ts";
import { withWhatItLacks } from "../../query/read/open-snapshot.ts";
import { conceals } from "../access/sight.ts";
import { wrap } from "../context/error-messages.ts";
import { writeFacts } from "../context/write-facts.ts";
import { prepareMutation } from "../run/prepare-mutation.ts";
import { runCommitHooks } from "./commit-hooks.ts";
import { type HeldTransaction, held, heldLong } from "./held-transaction.ts";
import { committedAnyway, explained } from "./transact.ts";

type Work<T> = (tx: RootTransaction) => MaybePromise<T>;

/** @throws what `work` throws, or the QuernError of a refused mutation, of a limit or of the store */
export async function runRootTransaction<T>(work: Work<T>, context: OperationContext): Promise<Committed<T>> {
  const { storage, deployment, budget, commits, log, request } = context;
  const begun = performance.now();
  let attempt: Attempt | undefined;
  const long = (outsideMs: number) =>
    log.warn("long-transaction", heldLong("The transaction of a root field", outsideMs), { requestID: request.id, outsideMs });
  const begin = (holding: HeldTransaction, scope: TransactionScope) => {
    attempt = new Attempt(holding, context, scope);
    return attempt.run(work);
  };
  const once = (transaction: Transaction) => budget.transacting((scope) => held(transaction, (holding) => begin(holding, scope), long));
  try {
    const done = await storage.transact(once, { version: deployment.version, budget: budget.whileWriting() });
    const committed = attempt?.chose && done.record === undefined ? await committedAnyway(context, done) : done;
    commits?.(true, performance.now() - begun);
    if (done.record) runCommitHooks({ context, facts: writeFacts.of(deployment) }, done.record);
    return committed;
  } catch (thrown) {
    commits?.(false, performance.now() - begun);
    throw thrown instanceof QuernError && attempt !== undefined ? await attempt.inWords(thrown) : thrown;
  }
}

/** Carries out a root field of a mutation in a transaction that is open. @throws what refuses it: then nothing of the transaction is committed */
export async function writeWithin(root: RootPlan, context: OperationContext, open: OpenTransaction): Promise<RootResult> {
  try {
    return await write(root, context, open);
  } catch (thrown) {
    const reason = thrown instanceof QuernError && open.explain ? await open.explain(thrown) : thrown;
    open.refused ??= { thrown: reason };
    throw reason;
  }
}

async function write(root: RootPlan, context: OperationContext, open: OpenTransaction): Promise<RootResult> {
  const reason = context.unauthorized ?? context.unavailable;
  if (reason !== undefined) throw wrap("execute", root.field, reason, root.location);
  if (root.operation.kind === "plugin") throw new QuernError("REQUEST_REFUSED", notInTransaction(root.field));
  const { mutation, work, nothing } = await prepareMutation(root, context, open);
  open.explain = (thrown) => explained(mutation, thrown);
  const done = await work?.(open.transaction);
  open.chose ||= done?.chose === true && conceals(mutation);
  return await (done?.finish ?? nothing)({ snapshot: open.snapshot, isCommitted: false });
}

/** A field that a plugin answers does its work elsewhere, where a transaction cannot undo it. */
export function notInTransaction(field: string): string {
  return `${field} cannot be part of a transaction: it is answered by code elsewhere, which an error could not undo. Send it as a mutation of its own.`;
}

/** Errors of the store that say nothing about what was asked of it. */
const ofTheStore: ReadonlySet<ErrorCode> = new Set([
  "CONFLICT",
  "OUTCOME_UNKNOWN",
  "STALE_LAYOUT",
  "STORE_CLOSED",
  "STORE_CORRUPT",
  "STORE_UNAVAILABLE",
]);

/** One run of the callback. */
class Attempt implements OpenTransaction {
  readonly transaction: HeldTransaction;
  readonly attempt: OpenTransaction["attempt"];
  readonly snapshot: Snapshot;
  changed = 0;
  chose = false;
  refused: OpenTransaction["refused"];
  explain: OpenTransaction["explain"];
  /** Of the root field. */
  readonly #around: OperationContext;
  /** Of what runs in the transaction. */
  readonly #context: OperationContext;
  /** The request that was asked for last. */
  #last: Promise<unknown> = Promise.resolve();
  /** What the callback threw, or a mutation of it: it has its words. */
  #thrown: unknown;

  constructor(transaction: HeldTransaction, context: OperationContext, scope: TransactionScope) {
    this.transaction = transaction;
    this.attempt = { scope };
    this.#around = context;
    this.snapshot = withWhatItLacks(transaction, context);
    const shared = { use: () => this.snapshot };
    this.#context = { ...context, budget: context.budget.whileWriting(), shared, within: this, transact: undefined, after: undefined };
  }

  async run<T>(work: Work<T>): Promise<T> {
    try {
      const result = await inTime(() => this.#whole(work), this.#around);
      this.#assertGoesOn();
      this.#assertSound();
      return result;
    } catch (thrown) {
      await this.transaction.end();
      this.#assertSound();
      this.#thrown = thrown;
      throw thrown;
    }
  }

  /** What the store refuses at the end is about the last mutation. */
  async inWords(thrown: QuernError): Promise<QuernError> {
    return thrown === this.#thrown || this.explain === undefined ? thrown : await this.explain(thrown);
  }

  async #whole<T>(work: Work<T>): Promise<T> {
    const result = await work(Object.assign(new TransactionView(this.transaction), { execute: (request: ExecuteRequest) => this.#queued(request) }));
    await this.#last;
    return result;
  }

  async #asked(request: ExecuteRequest): Promise<ExecuteAnswer> {
    try {
      return await nestedRequest(request, { context: this.#context, committed: () => undefined });
    } catch (thrown) {
      throw this.#inCodes(thrown);
    }
  }

  #assertGoesOn(): void {
    if (this.refused) throw this.#inCodes(this.refused.thrown);
  }

  /** What the callback gets. A fault of the store is most often a lost race; the store gets it as it is, when the callback has ended. */
  #inCodes(thrown: unknown): unknown {
    if (thrown instanceof QuernError) return asOne(thrown);
    const isOfStore = this.transaction.failure?.thrown === thrown;
    return isOfStore
      ? new QuernError("CONFLICT", "The transaction cannot be committed as it is: it runs again, or fails.", { cause: thrown })
      : thrown;
  }

  /** A lost race is for the store to repeat, whatever the callback made of it. */
  #assertSound(): void {
    const { failure } = this.transaction;
    if (failure === undefined) return;
    const { thrown } = failure;
    if (!(thrown instanceof QuernError) || ofTheStore.has(thrown.code)) throw thrown;
  }

  #queued(request: ExecuteRequest): Promise<ExecutedAnswer> {
    const asked = this.#last.then(() => this.#execute(request));
    const nothing = () => {};
    this.#last = asked.then(nothing, nothing);
    return asked;
  }

  async #execute(request: ExecuteRequest): Promise<ExecutedAnswer> {
    this.#assertGoesOn();
    const { data, errors } = await this.#asked(request);
    this.#assertGoesOn();
    if (data === undefined) throw new QuernError("REQUEST_INVALID", errors.map(({ message }) => message).join("\n"));
    return { data, errors };
  }
}

/** What the callback gets of the transaction: a class for the reason of `HookArgument`. The functions are bound, because plugins take them out of it. */
export class TransactionView implements ChangesTransaction {
  readonly find: ChangesTransaction["find"];
  readonly follow: ChangesTransaction["follow"];
  readonly load: ChangesTransaction["load"];
  readonly aggregate: ChangesTransaction["aggregate"];
  readonly meta: ChangesTransaction["meta"];
  readonly setMeta: ChangesTransaction["setMeta"];
  readonly hold: ChangesTransaction["hold"];
  readonly #transaction: Transaction;

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
    this.find = (request) => transaction.find(request);
    this.follow = (request) => transaction.follow(request);
    this.load = (request) => transaction.load(request);
    this.aggregate = (request) => transaction.aggregate(request);
    this.meta = (name) => transaction.meta(name);
    this.setMeta = (name, value) => transaction.setMeta(name, value);
    this.hold = (nodes) => transaction.hold(nodes);
  }

  get at(): ChangesTransaction["at"] {
    return this.#transaction.at;
  }
}

/** The error of a mutation without places in a document that the client does not know, and with the code of its reason. */
function asOne(thrown: QuernError): QuernError {
  const [reason = thrown] = thrown.errors;
  const { code } = reason.cause instanceof QuernError ? reason.cause : reason;
  return new QuernError(code, thrown.message, { cause: thrown, hidden: [thrown, ...thrown.errors].some(({ hidden }) => hidden) });
}

/** Rejects when the transaction has been open for too long, or when the request has to end. */
export async function inTime<T>(work: () => Promise<T>, { budget, maxTransactionMs }: OperationContext): Promise<T> {
  const { signal } = budget;
  let stop = () => {};
  const over = new Promise<never>((_, reject) => {
    const ended = () => reject(signal?.reason);
    const timer = maxTransactionMs === undefined ? undefined : setTimeout(() => reject(openTooLong(maxTransactionMs)), maxTransactionMs);
    if (signal?.aborted) ended();
    else signal?.addEventListener("abort", ended, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", ended);
    };
  });
  try {
    return await Promise.race([work(), over]);
  } finally {
    stop();
  }
}

function openTooLong(maxMs: number): QuernError {
  return new QuernError("LIMIT_REACHED", `A transaction was open for more than ${maxMs} ms (limits.maxTransactionMs); nothing of it is committed.`);
}
