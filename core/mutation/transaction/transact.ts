// Runs a mutation's work in one transaction, and says in the mutation's words why it did not commit.

import type { KeyLayout } from "../../contracts/layout.ts";
import type { Key, NodeType, ScopedKey } from "../../contracts/model.ts";
import { and } from "../../contracts/predicate.ts";
import type { Transaction } from "../../contracts/storage/snapshot.ts";
import type { Committed } from "../../contracts/storage/storage.ts";
import { type ErrorCode, QuernError } from "../../ground/errors.ts";
import type { Uid } from "../../ground/values/value.ts";
import { masksOf } from "../../query/access/mask.ts";
import { narrow } from "../../query/access/narrow.ts";
import { layoutIndexOf } from "../../query/layout-index/layout-index.ts";
import { isUnreadable } from "../../query/level/masks.ts";
import { scopedKeyName } from "../../schema/layout/scoped-key-layout.ts";
import { isUndisclosed } from "../access/authorize.ts";
import { conceals } from "../access/sight.ts";
import { aborted, combinationTaken, notCommitted, undisclosed } from "../context/error-messages.ts";
import { type Mutation, refuse } from "../context/mutation.ts";
import { taken } from "../keys/resolve.ts";

type TransactionWork<T> = (transaction: Transaction) => Promise<T>;

export interface TransactOptions<T> {
  /** The mutation to which an error belongs, when several share the transaction. */
  readonly failing?: () => Mutation;
  /** Runs first. Where it is refused, `work` runs instead, and its refusal counts. */
  readonly optimistic?: TransactionWork<T> | undefined;
  /** Whether the result is about nodes that were there. */
  readonly chose?: (result: T) => boolean;
}

export async function transact<T>(
  mutation: Mutation,
  work: TransactionWork<T>,
  { failing = () => mutation, optimistic, chose = () => false }: TransactOptions<T> = {},
): Promise<Committed<T>> {
  const { commits } = mutation.context;
  const begun = commits ? performance.now() : 0;
  try {
    const done = await (optimistic ? optimisticFirst(mutation, optimistic, work) : run(mutation, work));
    const committed = chose(done.result) && conceals(mutation) && done.record === undefined ? await committedAnyway(mutation.context, done) : done;
    commits?.(true, performance.now() - begun);
    // A store makes the record when it is read, and a text alone has fifty entries to name: only for plugins that hear of commits.
    if (mutation.facts.plugins.some(({ hooks }) => hooks.commit !== undefined)) return committed;
    const { result, token, snapshot } = committed;
    return snapshot === undefined ? { result, token } : { result, token, snapshot };
  } catch (thrown) {
    commits?.(false, performance.now() - begun);
    if (thrown instanceof QuernError && thrown.code === "STALE_LAYOUT") mutation.context.overtaken?.();
    throw thrown instanceof QuernError ? await explained(failing(), thrown) : thrown;
  }
}

function run<T>({ context: { storage, deployment, budget }, attempt }: Mutation, work: TransactionWork<T>): Promise<Committed<T>> {
  const scoped = (transaction: Transaction): Promise<T> =>
    budget.transacting((scope) => {
      attempt.scope = scope;
      return work(transaction);
    });
  return storage.transact(scoped, { version: deployment.version, budget: budget.whileWriting() });
}

/**
 * Nodes were chosen, and all of them are as they were: their values or links were those of the input already. A caller who may not read them must not learn that
 * by the number of the commit.
 */
export async function committedAnyway<T>({ storage, deployment, budget }: Mutation["context"], { result }: Committed<T>): Promise<Committed<T>> {
  const touch = (transaction: Transaction) => transaction.setMeta(unusedName, null);
  const { token } = await storage.transact(touch, { version: deployment.version, budget: budget.whileWriting() });
  return { result, token };
}

/** Nothing is stored under it. */
const unusedName = "quern.unchanged";

/** Errors that `work` would meet as well, or after which it must not run. */
const lasting: ReadonlySet<ErrorCode> = new Set([
  "CANCELLED",
  "CONFLICT",
  "LIMIT_REACHED",
  "OUTCOME_UNKNOWN",
  "OVERLOADED",
  "STALE_LAYOUT",
  "STORE_CLOSED",
  "STORE_CORRUPT",
  "STORE_UNAVAILABLE",
  "TOO_LARGE",
]);

async function optimisticFirst<T>(mutation: Mutation, optimistic: TransactionWork<T>, work: TransactionWork<T>): Promise<Committed<T>> {
  try {
    return await run(mutation, optimistic);
  } catch (thrown) {
    if (!(thrown instanceof QuernError) || lasting.has(thrown.code)) throw thrown;
  }
  return await run(mutation, work);
}

/** The error in the words of the mutation. */
export async function explained(mutation: Mutation, thrown: QuernError): Promise<QuernError> {
  switch (thrown.code) {
    case "KEY_TAKEN":
      return keyTaken(mutation, thrown);
    case "CONFLICT":
    case "END_TAKEN":
      return aborted(thrown);
    case "STALE_LAYOUT":
    case "TOO_LARGE":
    case "STORE_UNAVAILABLE":
    case "OUTCOME_UNKNOWN":
      return notCommitted(thrown);
    default:
      return thrown;
  }
}

/** A key that was free when it was looked up: another writer took it, or a plugin set it. */
async function keyTaken(mutation: Mutation, thrown: QuernError): Promise<QuernError> {
  const error = await keyError(mutation, thrown);
  try {
    refuse("rewrite", mutation, [error]);
  } catch (wrapped) {
    if (wrapped instanceof QuernError) return wrapped;
  }
  return thrown;
}

async function keyError(mutation: Mutation, thrown: QuernError): Promise<QuernError> {
  const { context, facts, type } = mutation;
  const { key: name, values, holderType } = thrown.details;
  const layout = layoutIndexOf(context.deployment.layout).key(String(name));
  const holder = facts.typeOf(typeof holderType === "string" ? holderType : "");
  // The storage's own text names the values.
  if (!layout || !holder || !Array.isArray(values)) return combinationTaken(["the values of a key"], undefined);
  const owner = keyOf(type, layout) ? type : holder;
  const key = keyOf(owner, layout);
  if (!key) return combinationTaken(fieldNames(holder, layout), await shownHolder(mutation, { holder, uid: Number(thrown.details.holder), layout }));
  const error = taken(owner, { key, value: values[0] }, [{ uid: 0, type: holder }]);
  const masks = await masksOf(holder.members, "reference", context);
  const isHidden =
    [...layout.fields, ...(layout.ends ?? [])].some((name) => masks?.has(name) && !isUnreadable(name, masks)) ||
    (await isUndisclosed(mutation, owner)) ||
    (await isUndisclosed(mutation, holder));
  return isHidden ? undisclosed(error) : error;
}

/** The key that clients know by which a layout's key exists. */
function keyOf(type: NodeType, { name, fields, ends }: KeyLayout): Key | ScopedKey | undefined {
  const plain = fields.length === 1 && !ends ? type.keys.find(({ field }) => field.stored === fields[0]) : undefined;
  return plain ?? type.scopedKeys.find((key) => scopedKeyName(type, key) === name);
}

function fieldNames(holder: NodeType, { fields, ends = [] }: KeyLayout): readonly string[] {
  const declared = [...holder.fields.values()];
  return [...fields, ...ends].map((stored) => {
    const field = declared.find((each) => (each.role === "value" || each.role === "link") && each.stored === stored);
    return field ? `${field.origin.name}.${field.name}` : stored;
  });
}

interface Holding {
  readonly holder: NodeType;
  readonly uid: Uid;
  readonly layout: KeyLayout;
}

/** The holder, for a caller that may see it and its values. A node that the mutation itself would have made is not there. */
async function shownHolder({ context }: Mutation, { holder, uid, layout }: Holding): Promise<Uid | undefined> {
  const masks = await masksOf(holder.members, "query", context);
  if ([...layout.fields, ...(layout.ends ?? [])].some((field) => masks?.has(field))) return undefined;
  const rule = await narrow(holder, "query", context);
  if (rule.kind === "none") return undefined;
  const { storage, deployment, budget } = context;
  const snapshot = storage.snapshot({ version: deployment.version, budget });
  try {
    const found = await snapshot.find({ types: [holder.stored], where: and({ kind: "uids", uids: [uid] }, rule), fields: [] });
    return found.uids[0];
  } finally {
    snapshot.close();
  }
}
