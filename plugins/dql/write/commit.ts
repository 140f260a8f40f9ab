// Writes a request at once, in one transaction.

import type { NodeRef, Snapshot, Uid, WriteTransaction } from "../../../core/plugin.ts";
import { QuernError, run, type ServedSchema } from "../../../core/plugin.ts";
import { beyondLease } from "../mutation/references.ts";
import type { WriteRequest } from "../mutation/syntax.ts";
import { newRecord } from "../overlay/loose-records.ts";
import { exists } from "../overlay/overlay.ts";
import { hiddenUnderRules, overlaySnapshot } from "../overlay/overlay-snapshot.ts";
import type { DocumentBudget } from "../state/document-budget.ts";
import { changesOf } from "./changes.ts";
import { type Applied, Draft } from "./draft.ts";
import type { WriteFacts } from "./facts.ts";
import type { Operation } from "./operations.ts";
import { assertMayChange, assertMayHold, checkFilters, checkNames, permittedParts, touchedBy, unauthorized, untyped } from "./rights.ts";
import { hashesOf, runWrite, type WriteAnswer } from "./run-write.ts";

export interface CommitContext {
  readonly schema: ServedSchema;
  readonly facts: WriteFacts;
  /** Whether the rules of the client hold: also for its query. */
  readonly rules: boolean;
  readonly work: () => DocumentBudget;
  /** Runs a transaction for the client. */
  readonly write: <T>(work: (tx: WriteTransaction) => Promise<T>) => Promise<{ readonly result: T }>;
}

/** How often an upsert looks again when another one has taken a key meanwhile; and a request without a query, for the records of the plugin. */
const attempts = { upsert: 5, plain: 2 };

export async function commitNow(request: WriteRequest, context: CommitContext): Promise<WriteAnswer> {
  const hashes = await hashesOf(request, context.facts);
  for (let attempt = 1; ; attempt++) {
    try {
      return (await context.write((tx) => writeIn(tx, request, { ...context, hashes }))).result;
    } catch (thrown) {
      const most = request.query === undefined ? attempts.plain : attempts.upsert;
      if (attempt >= most || !(thrown instanceof QuernError) || thrown.code !== "KEY_TAKEN") throw thrown;
    }
  }
}

interface InTransaction extends CommitContext {
  readonly hashes: ReadonlyMap<string, string>;
}

async function writeIn(tx: WriteTransaction, request: WriteRequest, context: InTransaction): Promise<WriteAnswer> {
  const { facts, rules } = context;
  const draft = await Draft.begin(rawSnapshot(tx), facts);
  const isRuled = rules || tx.narrowsEverywhere;
  const { answer, made } = await draftIn(tx, request, { ...context, draft, isRuled, seen: rules ? await tx.visible() : tx.snapshot });
  await writeDraft(tx, draft, { isRuled, made, work: context.work() });
  return answer;
}

export interface Drafting extends Pick<InTransaction, "schema" | "facts" | "work" | "hashes"> {
  readonly draft: Draft;
  /** What the query of the request reads, beside the draft. */
  readonly seen: Snapshot;
  /** Rules hold for `seen`. */
  readonly isRuled: boolean;
}

export interface Drafted {
  readonly answer: WriteAnswer;
  /** Nodes that the request has made. */
  readonly made: ReadonlySet<Uid>;
  readonly applied: readonly Applied[];
}

/** Runs a request on a draft, and writes nothing yet. */
export async function draftIn(tx: WriteTransaction, request: WriteRequest, drafting: Drafting): Promise<Drafted> {
  const { schema, facts, work, hashes, draft, seen, isRuled } = drafting;
  const { permissions } = tx;
  checkNames(request, facts, permissions);
  checkFilters(request, permissions);
  const source = { overlay: draft.overlay, index: facts.index, types: facts.catalog.types };
  const made = new Set<Uid>();
  const applied: Applied[] = [];
  const answer = await runWrite(request, {
    draft,
    snapshot: overlaySnapshot(seen, isRuled ? { ...source, hidden: await hiddenUnderRules(seen, source) } : source),
    schema: permissions ? { ...schema, mayRead: permissions.mayRead } : schema,
    work: work(),
    hashes,
    uids: async (count) => {
      const uids = await tx.uids(count);
      for (const uid of uids) made.add(uid);
      return uids;
    },
    judged: async (operations, purpose) => {
      const permitted = permittedParts(operations, facts, permissions);
      if (purpose === "set") await reserve(permitted, { made, tx, facts });
      applied.push({ operations: permitted, purpose });
      return permitted;
    },
  });
  return { answer, made, applied };
}

export interface DraftWriting {
  readonly isRuled: boolean;
  readonly work: DocumentBudget;
  /** Nodes that the request has made. */
  readonly made: ReadonlySet<Uid>;
}

export async function writeDraft(tx: WriteTransaction, draft: Draft, { isRuled, made, work }: DraftWriting): Promise<void> {
  const { changes, newRecords } = await run(changesOf(draft), work);
  const uids = newRecords.length === 0 ? [] : await tx.uids(newRecords.length);
  const written = [...changes, ...newRecords.map((fields, i) => newRecord(uids[i] ?? 0, fields))];
  if (written.length === 0) return;
  const touched = isRuled ? touchedBy(changes, draft.facts) : undefined;
  if (touched) {
    assertKnown(draft, made);
    await assertMayChange(touched, tx);
  }
  // What is written depends on values that were read.
  await tx.hold([...draft.stored.keys()].flatMap((uid) => nativeRef(draft, uid)));
  await tx.write(written);
  if (touched) await assertMayHold(touched, tx);
}

function nativeRef({ overlay }: Draft, uid: Uid): readonly NodeRef[] {
  const type = overlay.nodes.get(uid)?.native;
  return type === undefined ? [] : [{ uid, type }];
}

/** Under rules a client cannot make nodes of uids that it chooses, because it would learn which of them are taken; nor nodes that no rule judges. */
function assertKnown({ overlay, named }: Draft, made: ReadonlySet<Uid>): void {
  for (const uid of named) {
    const node = overlay.nodes.get(uid);
    if (node?.native === undefined && !made.has(uid)) throw unauthorized();
    if (node && node.type === undefined && exists(node, overlay)) throw untyped();
  }
}

/** Uids that a client chooses come from a range like that of a server which leases them by the ten thousand. */
const leased = 10_000;

interface Reserving {
  readonly made: ReadonlySet<Uid>;
  readonly tx: WriteTransaction;
  readonly facts: WriteFacts;
}

async function reserve(operations: readonly Operation[], { made, tx, facts }: Reserving): Promise<void> {
  let most = 0;
  for (const operation of operations) {
    const uids = operation.kind === "link" ? [operation.uid, operation.to] : [operation.uid];
    for (const uid of uids) if (uid > most && !made.has(uid)) most = uid;
  }
  if (most === 0) return;
  const known = await tx.load({ uids: [most], types: facts.catalog.types, fields: [] });
  if (known.uids.length > 0) return;
  const [next = 0] = await tx.uids(1);
  if (most <= next) return;
  const lease = Math.ceil(next / leased) * leased;
  if (most > lease) throw beyondLease(most, lease);
  await tx.uids(most - next);
}

export function rawSnapshot(tx: WriteTransaction): Snapshot {
  return {
    at: tx.at,
    find: (request) => tx.find(request),
    follow: (request) => tx.follow(request),
    load: (request) => tx.load(request),
    aggregate: (request) => tx.aggregate(request),
    meta: (name) => tx.meta(name),
    close: () => undefined,
  };
}
