// The transactions in which plugins write nodes for a caller: their changes go through the hooks of all plugins, as those of a mutation.

import type { Change, FieldPatch } from "../../contracts/change.ts";
import type { NodeType, ValueField } from "../../contracts/model.ts";
import type { WriteTransaction } from "../../contracts/plugin/write-transaction.ts";
import type { NodeRef, Transaction } from "../../contracts/storage/snapshot.ts";
import type { Committed } from "../../contracts/storage/storage.ts";
import type { TransactionScope } from "../../ground/transaction-scope.ts";
import type { FieldName, MaybePromise, Stored } from "../../ground/values/value.ts";
import { callersView, narrowsEverywhere, viewOutsideRules } from "../../query/access/answer-views.ts";
import type { OperationContext } from "../../query/operation-context.ts";
import { withWhatItLacks } from "../../query/read/open-snapshot.ts";
import { permitted } from "../access/authorize.ts";
import { sightOf } from "../access/sight.ts";
import { checkWrites } from "../checks/check-changes.ts";
import { ChangeWriter, refuse, sliceSize, type Together, type WritingMutation } from "../context/mutation.ts";
import { type WriteFacts, writeFacts } from "../context/write-facts.ts";
import { runCommitHooks } from "./commit-hooks.ts";
import { type HeldTransaction, held, heldLong } from "./held-transaction.ts";
import { inTime, TransactionView } from "./root-transaction.ts";

export type WriteWork<T> = (tx: WriteTransaction) => MaybePromise<T>;

/** @throws what `work` throws, or the QuernError of a hook, of a limit or of the store */
export async function runWrites<T>(work: WriteWork<T>, language: string, context: OperationContext): Promise<Committed<T>> {
  const { storage, deployment, budget, commits, log, request } = context;
  const reason = context.unauthorized ?? context.unavailable;
  if (reason !== undefined) throw reason;
  const begun = performance.now();
  const long = (outsideMs: number) =>
    log.warn("long-transaction", heldLong(`A transaction of the language ${language}`, outsideMs), { requestID: request.id, outsideMs });
  const attempt = (holding: HeldTransaction, scope: TransactionScope) =>
    inTime(async () => {
      const writes = new Writes(holding, { language, context, scope });
      const result = await work(await writes.view());
      await writes.end();
      return result;
    }, context);
  const once = (transaction: Transaction) => budget.transacting((scope) => held(transaction, (holding) => attempt(holding, scope), long));
  try {
    const done = await storage.transact(once, { version: deployment.version, budget: budget.whileWriting() });
    commits?.(true, performance.now() - begun);
    context.committed?.(done.token);
    if (done.record) runCommitHooks({ context, facts: writeFacts.of(deployment) }, done.record);
    return done;
  } catch (thrown) {
    commits?.(false, performance.now() - begun);
    throw thrown;
  }
}

interface Part {
  readonly kind: WritingMutation["kind"];
  readonly type: NodeType;
}

interface Around {
  readonly language: string;
  readonly context: OperationContext;
  readonly scope: TransactionScope;
}

class Writes {
  readonly #transaction: HeldTransaction;
  readonly #around: Around;
  readonly #facts: WriteFacts;
  readonly #together: Together;
  readonly #parts = new Map<string, { readonly mutation: WritingMutation; readonly writer: ChangeWriter; readonly roots: NodeRef[] }>();

  constructor(transaction: HeldTransaction, around: Around) {
    this.#transaction = transaction;
    this.#around = around;
    this.#facts = writeFacts.of(around.context.deployment);
    this.#together = { changed: 0, attempt: { scope: around.scope } };
  }

  async view(): Promise<WriteTransaction> {
    const { context } = this.#around;
    const transaction = this.#transaction;
    const whole = withWhatItLacks(transaction, context);
    const view = { ...context, budget: context.budget.whileWriting() };
    const more: Omit<WriteTransaction, keyof TransactionView> = {
      snapshot: await viewOutsideRules(whole, view),
      visible: () => callersView(whole, view),
      permissions: context.permissions,
      narrowsEverywhere: narrowsEverywhere(context.deployment),
      permits: (purpose, nodes) => permitted({ context: view, facts: this.#facts }, transaction, purpose, nodes),
      uids: (count) => transaction.uids(count),
      write: (changes) => this.#write(changes),
    };
    return Object.assign(new TransactionView(transaction), more);
  }

  async end(): Promise<void> {
    for (const { writer, roots } of this.#parts.values()) await writer.end(() => roots);
  }

  async #write(changes: readonly Change[]): Promise<void> {
    const { language, context } = this.#around;
    const budget = context.budget.whileWriting();
    for (let start = 0; start < changes.length; ) {
      const part = this.#partOf(changes[start]);
      let end = start + 1;
      while (end < changes.length && end - start < sliceSize && samePart(part, this.#partOf(changes[end]))) end++;
      const slice = changes.slice(start, end);
      checkWrites(slice, { plugin: language, hook: "write" }, context.deployment);
      if (part) await this.#writePart(part, slice);
      else await this.#transaction.write(slice);
      start = end;
      if (budget.isTurnOver) await budget.turn();
    }
  }

  async #writePart(part: Part, changes: readonly Change[]): Promise<void> {
    const { mutation, writer, roots } = this.#running(part);
    const judged: Change[] = [];
    for (const change of changes) judged.push(change.kind === "create" || change.kind === "set" ? await this.#judged(change, mutation) : change);
    for (const change of judged) if ("uid" in change) roots.push({ uid: change.uid, type: change.type });
    await writer.write(judged);
  }

  /** Undefined: a node of a hidden type, which concerns no other plugin. */
  #partOf(change: Change | undefined): Part | undefined {
    if (change === undefined) return undefined;
    const type = this.#facts.typeOf(change.kind === "link" || change.kind === "unlink" ? change.fromType : change.type);
    return type && { kind: change.kind === "create" ? "add" : change.kind === "remove" ? "delete" : "update", type };
  }

  #running({ kind, type }: Part) {
    const key = `${kind} ${type.name}`;
    const known = this.#parts.get(key);
    if (known) return known;
    const mutation = this.#mutationOf({ kind, type });
    const made = { mutation, writer: new ChangeWriter(mutation, this.#transaction), roots: [] };
    this.#parts.set(key, made);
    return made;
  }

  #mutationOf({ kind, type }: Part): WritingMutation {
    const { language, context } = this.#around;
    const facts = this.#facts;
    const nothing = () => ({});
    return {
      root: { field: language, location: { line: 1, column: 1 }, arguments: nothing, sent: nothing },
      language,
      context,
      facts,
      kind,
      type,
      permits: (transaction, purpose, nodes) => permitted({ context, facts }, transaction, purpose, nodes),
      sees: (transaction, nodes, fields) => sightOf({ context, facts }, transaction, { nodes, fields }),
      together: this.#together,
      attempt: this.#together.attempt,
    };
  }

  /** The change with the values that the `values` hooks make of its own. */
  async #judged<C extends Extract<Change, { readonly fields: unknown }>>(change: C, mutation: WritingMutation): Promise<C> {
    const named = this.#facts.of(mutation.type).values.filter(({ stored, kind }) => kind !== "password" && change.fields[stored] !== undefined);
    let values: ReadonlyMap<string, Stored | null> = new Map(named.map(({ name, stored }) => [name, change.fields[stored] ?? null]));
    for (const { hooks } of this.#facts.plugins) {
      if (!hooks.values) continue;
      const input = { type: mutation.type, role: change.kind === "create" ? ("add" as const) : ("set" as const), values };
      const made = await hooks.values(input, this.#around.context.request);
      if (made?.refuse) refuse("rewrite", mutation, [made.refuse]);
      if (made?.values) values = new Map([...values, ...made.values]);
    }
    return { ...change, fields: { ...change.fields, ...storedValues(named, values) } };
  }
}

function storedValues(named: readonly ValueField[], values: ReadonlyMap<string, Stored | null>): FieldPatch {
  return Object.fromEntries(named.map(({ name, stored }): [FieldName, Stored | null] => [stored, values.get(name) ?? null]));
}

function samePart(one: Part | undefined, other: Part | undefined): boolean {
  return one?.kind === other?.kind && one?.type === other?.type;
}
