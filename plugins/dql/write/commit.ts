// Writes a request at once, in one transaction.

import type { Snapshot, Uid, WriteTransaction } from "../../../core/plugin.ts";
import { QuernError, type ServedSchema } from "../../../core/plugin.ts";
import { beyondLease } from "../mutation/references.ts";
import type { WriteRequest } from "../mutation/syntax.ts";
import { overlaySnapshot } from "../overlay/overlay-snapshot.ts";
import type { DocumentBudget } from "../state/document-budget.ts";
import { changesOf } from "./changes.ts";
import { Draft } from "./draft.ts";
import type { WriteFacts } from "./facts.ts";
import type { Operation } from "./operations.ts";
import { assertMayChange, assertMayHold, checkNames, permittedParts, touchedBy, unauthorized } from "./rights.ts";
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

/** How often an upsert looks again when another one has taken a key meanwhile. */
const mostAttempts = 5;

export async function commitNow(request: WriteRequest, context: CommitContext): Promise<WriteAnswer> {
  const hashes = await hashesOf(request, context.facts);
  for (let attempt = 1; ; attempt++) {
    try {
      return (await context.write((tx) => writeIn(tx, request, { ...context, hashes }))).result;
    } catch (thrown) {
      const mayFindIt = request.query !== undefined && attempt < mostAttempts && thrown instanceof QuernError && thrown.code === "KEY_TAKEN";
      if (!mayFindIt) throw thrown;
    }
  }
}

interface InTransaction extends CommitContext {
  readonly hashes: ReadonlyMap<string, string>;
}

async function writeIn(tx: WriteTransaction, request: WriteRequest, { schema, facts, rules, work, hashes }: InTransaction): Promise<WriteAnswer> {
  const { permissions } = tx;
  checkNames(request, facts, permissions);
  const isRuled = rules || tx.narrowsEverywhere;
  const draft = await Draft.begin(rawSnapshot(tx), facts);
  const made = new Set<Uid>();
  const answer = await runWrite(request, {
    draft,
    snapshot: overlaySnapshot(rules ? await tx.visible() : tx.snapshot, { overlay: draft.overlay, index: facts.index, types: facts.catalog.types }),
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
      return permitted;
    },
  });
  await writeDraft(tx, draft, { isRuled, made });
  return answer;
}

interface DraftWriting {
  readonly isRuled: boolean;
  /** Nodes that the request has made. */
  readonly made: ReadonlySet<Uid>;
}

async function writeDraft(tx: WriteTransaction, draft: Draft, { isRuled, made }: DraftWriting): Promise<void> {
  let records = 0;
  changesOf(draft, () => ++records);
  const uids = records === 0 ? [] : [...(await tx.uids(records))];
  const changes = changesOf(draft, () => uids.shift() ?? 0);
  if (changes.length === 0) return;
  const touched = touchedBy(changes, draft.facts);
  if (isRuled) {
    assertKnown(draft, made);
    await assertMayChange(touched, tx);
  }
  await tx.write(changes);
  if (isRuled) await assertMayHold(touched, tx);
}

/** Under rules a client cannot make nodes of uids that it chooses: it would learn which of them are taken. */
function assertKnown({ overlay, named }: Draft, made: ReadonlySet<Uid>): void {
  for (const uid of named) if (overlay.nodes.get(uid)?.native === undefined && !made.has(uid)) throw unauthorized();
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

function rawSnapshot(tx: WriteTransaction): Snapshot {
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
