// What every step of one running mutation shares.

import type { Change } from "../../contracts/change.ts";
import type { NodeType } from "../../contracts/model.ts";
import type { ChangesContext, ChangesTransaction, Sees, WrittenContext } from "../../contracts/plugin/mutation-hooks.ts";
import type { Purpose } from "../../contracts/plugin/request-view.ts";
import type { NodeRef, Transaction } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import { HookArgument } from "../../ground/hook-argument.ts";
import type { TransactionScope } from "../../ground/transaction-scope.ts";
import type { EndName, FieldName, MaybePromise, TypeName, Uid } from "../../ground/values/value.ts";
import { isWellFormed, malformedTexts } from "../../ground/values/well-formed.ts";
import { run } from "../../ground/work.ts";
import type { OperationContext } from "../../query/operation-context.ts";
import type { RootPlan } from "../../query/plan/plan.ts";
import { checkAppended, checkChanges } from "../checks/check-changes.ts";
import { CommitChecks } from "../checks/commit-checks.ts";
import { haveLongValue, LongValues } from "../checks/long-values.ts";
import { type Stage, wrap } from "./error-messages.ts";
import { HookTransaction } from "./hook-transaction.ts";
import type { WriteFacts } from "./write-facts.ts";

export interface Mutation {
  readonly root: RootPlan;
  readonly context: OperationContext;
  readonly facts: WriteFacts;
  readonly kind: "add" | "update" | "delete";
  readonly type: NodeType;
  /** Which of `nodes` the rules let pass for `purpose`. */
  readonly permits: (transaction: Transaction, purpose: Purpose, nodes: readonly NodeRef[]) => Promise<(uid: Uid) => boolean>;
  /** What the caller may read of nodes. */
  readonly sees: (transaction: Transaction, nodes: readonly NodeRef[], fields: readonly (FieldName | EndName)[]) => Promise<Sees>;
  /** What it shares with others that run in the same transaction, before or after it. */
  readonly together: Together | undefined;
  /** The run of its transaction that is under way. */
  readonly attempt: Attempt;
}

/** What writing needs of a mutation: those of languages have no root field, but a name. */
export interface WritingMutation extends Omit<Mutation, "root"> {
  readonly root: Pick<RootPlan, "field" | "location" | "arguments" | "sent">;
  /** Undefined: a root field of GraphQL. */
  readonly language?: string;
}

/** One run of a transaction. It may run again. */
export interface Attempt {
  /** What hooks do in it. Undefined: it has not begun. */
  scope: TransactionScope | undefined;
}

/** Several mutations in one transaction. */
export interface Together {
  /** Nodes that the transaction has changed, in all of them. */
  changed: number;
  readonly attempt: Attempt;
}

/** Nodes that one write of an update or a delete covers. */
export const sliceSize = 1_000;

/** Throws all of `reasons` as one, each inside the text of its stage. */
export function refuse(stage: Stage, mutation: Pick<WritingMutation, "root">, reasons: readonly QuernError[]): void {
  if (reasons.length === 0) return;
  const errors = reasons.map((reason) => wrap(stage, mutation.root.field, reason, mutation.root.location));
  throw new QuernError("OPERATION_FAILED", errors.map((each) => each.message).join("\n"), { errors });
}

/** Writes changes through the `changes` hooks, and keeps them if there is a `check` hook. */
export class ChangeWriter {
  readonly #mutation: WritingMutation;
  readonly #transaction: Transaction;
  readonly #changes: (readonly Change[])[] = [];
  readonly #checks: boolean;
  readonly #commit: CommitChecks | undefined;
  readonly #count: Pick<Together, "changed">;
  #hasRemoved = false;
  #longValues: LongValues | undefined;
  /** Made for the first hook. */
  #shown: ChangesTransaction | undefined;
  readonly #scope: TransactionScope;

  constructor(mutation: WritingMutation, transaction: Transaction) {
    this.#mutation = mutation;
    this.#count = mutation.together ?? { changed: 0 };
    this.#transaction = transaction;
    this.#scope = scopeOf(mutation);
    this.#checks = mutation.facts.plugins.some(({ hooks }) => hooks.check !== undefined);
    this.#commit = CommitChecks.of(mutation.context.deployment);
  }

  /** What hooks see as the transaction. Plugins keep facts about a mutation under it, so each mutation has one of its own. */
  get shown(): ChangesTransaction {
    this.#shown ??= new HookTransaction(this.#transaction, this.#scope);
    return this.#shown;
  }

  /** Nodes may be gone that were there when the mutation began. */
  get hasRemoved(): boolean {
    return this.#hasRemoved;
  }

  async write(changes: readonly Change[]): Promise<void> {
    let written = this.#commit?.begin(changes) ?? changes;
    for (const { plugin, hooks } of this.#mutation.facts.plugins) {
      const made = hooks.changes && (await this.#ask(() => hooks.changes?.(this.#context(written))));
      if (!made) continue;
      const own = checkChanges(made, { plugin, before: written, deployment: this.#mutation.context.deployment });
      written = this.#commit?.replaced(made, { own, plugin }) ?? made;
    }
    this.#assertFew(written);
    if (this.#commit) await this.#commit.check(written, this.#transaction);
    await this.#assertShortValues(written);
    this.#hasRemoved ||= written.some(({ kind }) => kind === "remove");
    refuse("execute", this.#mutation, malformedValues(written));
    if (written.length > 0) await this.#transaction.write(written);
    if (this.#checks) this.#changes.push(written);
  }

  #assertShortValues(changes: readonly Change[]): MaybePromise<void> {
    const { valueLimits, budget, deployment } = this.#mutation.context;
    if (valueLimits === undefined || !haveLongValue(changes, valueLimits)) return;
    this.#longValues ??= new LongValues(valueLimits, deployment.layout, (type, field) => fieldNameOf(this.#mutation.facts, type, field));
    return run(this.#longValues.check(changes), budget.whileWriting());
  }

  #assertFew(changes: readonly Change[]): void {
    const { maxChanges = Number.POSITIVE_INFINITY } = this.#mutation.context;
    this.#count.changed += changedNodes(changes);
    if (this.#count.changed > maxChanges) {
      throw new QuernError(
        "LIMIT_REACHED",
        `The mutation changes more than ${maxChanges} nodes (limits.maxChanges). Split it, for example by a filter; nothing was changed.`,
      );
    }
  }

  /** Runs the `check` hooks over everything that was written, then writes what the `append` hooks add. @param roots what the mutation is about */
  async end(roots: () => readonly NodeRef[]): Promise<void> {
    if (this.#checks) await this.#check();
    for (const { plugin, hooks } of this.#mutation.facts.plugins) {
      const added = hooks.append && (await this.#ask(() => hooks.append?.(this.#written(roots()))));
      if (!added || added.length === 0) continue;
      checkAppended(added, {
        plugin,
        deployment: this.#mutation.context.deployment,
        isOfSchema: (type) => this.#mutation.facts.typeOf(type) !== undefined,
      });
      this.#commit?.checkAppended(added, plugin);
      this.#assertFew(added);
      await this.#assertShortValues(added);
      await this.#transaction.write(added);
    }
  }

  async #check(): Promise<void> {
    const context = this.#context(this.#changes.flat());
    for (const { hooks } of this.#mutation.facts.plugins) {
      if (hooks.check) await this.#ask(() => hooks.check?.(context));
    }
  }

  #context(changes: readonly Change[]): ChangesContext {
    return { changes, ...this.#shared() };
  }

  #written(roots: readonly NodeRef[]): WrittenContext {
    return { roots, ...this.#shared() };
  }

  #shared(): Omit<ChangesContext, "changes"> {
    const { context } = this.#mutation;
    const transaction = this.#transaction;
    return {
      transaction: this.shown,
      request: context.request,
      mutation: new MutationView(this.#mutation),
      uids: (count) => this.#scope.call(() => this.#commit?.uids(transaction, count) ?? transaction.uids(count)),
      permits: (purpose, nodes) => this.#scope.call(() => this.#mutation.permits(transaction, purpose, nodes)),
      sees: (nodes, fields) => this.sees(nodes, fields),
      room: Math.max(0, (context.maxChanges ?? Number.MAX_SAFE_INTEGER - 1) - this.#count.changed),
    };
  }

  /** As hooks ask it. */
  sees(nodes: readonly NodeRef[], fields: readonly (FieldName | EndName)[]): MaybePromise<Sees> {
    return this.#scope.call(() => this.#mutation.sees(this.#transaction, nodes, fields));
  }

  /** What a plugin throws refuses the mutation at stage 4. */
  async #ask<T>(work: () => T): Promise<Awaited<T>> {
    try {
      return await work();
    } catch (thrown) {
      if (thrown instanceof QuernError) refuse("execute", this.#mutation, [thrown]);
      throw thrown;
    }
  }
}

/** `Post.title` */
function fieldNameOf({ typeOf }: WriteFacts, stored: TypeName, name: FieldName): string {
  const type = typeOf(stored);
  const field = type && [...type.fields.values()].find((each) => each.role === "value" && each.stored === name);
  return type && field ? `${type.name}.${field.name}` : name;
}

function changedNodes(changes: readonly Change[]): number {
  let count = 0;
  for (const { kind } of changes) if (kind === "create" || kind === "set" || kind === "remove") count++;
  return count;
}

function scopeOf({ attempt: { scope } }: Pick<Mutation, "attempt">): TransactionScope {
  if (scope === undefined) throw new QuernError("INTERNAL", "A mutation writes before its transaction has begun.");
  return scope;
}

/** Texts that a plugin has cut in the middle of a character; those of requests are refused before. */
function malformedValues(changes: readonly Change[]): readonly QuernError[] {
  const errors: QuernError[] = [];
  for (const change of changes) {
    if ((change.kind !== "create" && change.kind !== "set") || isWellFormed(change.fields)) continue;
    for (const { path, problem } of malformedTexts(change.fields)) {
      errors.push(new QuernError("VALUE_INVALID", `A plugin gives ${path[0]} a text that is not well-formed. ${problem}`));
    }
  }
  return errors;
}

type MutationFacts = ChangesContext["mutation"];

class MutationView extends HookArgument implements MutationFacts {
  readonly field: string;
  readonly kind: MutationFacts["kind"];
  readonly type: MutationFacts["type"];
  readonly language?: string;
  readonly arguments: MutationFacts["arguments"];
  readonly #mutation: WritingMutation;
  #sent: MutationFacts["sent"] | undefined;

  constructor(mutation: WritingMutation) {
    super();
    const { root, context, kind, type, language } = mutation;
    this.field = root.field;
    this.kind = kind;
    this.type = type;
    if (language !== undefined) this.language = language;
    this.arguments = root.arguments(context.variables);
    this.#mutation = mutation;
  }

  get sent(): MutationFacts["sent"] {
    const { root, context } = this.#mutation;
    this.#sent ??= root.sent(context.given);
    return this.#sent;
  }
}
