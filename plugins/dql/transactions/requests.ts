// The requests of a transaction: it begins, writes, reads, and is committed or aborted.

import type { KernelAccess, ServedSchema, Snapshot } from "../../../core/plugin.ts";
import { QuernError } from "../../../core/plugin.ts";
import type { WriteRequest } from "../mutation/syntax.ts";
import type { DocumentBudget } from "../state/document-budget.ts";
import { type Drafted, draftIn } from "../write/commit.ts";
import type { FactsCache } from "../write/facts.ts";
import { hashesOf, type WriteAnswer } from "../write/run-write.ts";
import { aborted } from "./aborted.ts";
import { weightOf } from "./held-bytes.ts";
import type { OpenTransaction } from "./open-transaction.ts";
import type { TransactionTable } from "./transaction-table.ts";

export interface TransactionParameters {
  /** Undefined: a transaction begins. */
  readonly startTs: number | undefined;
  readonly hash: string | undefined;
}

export interface TransactionServer {
  readonly kernel: KernelAccess;
  readonly table: TransactionTable;
  readonly facts: FactsCache;
}

export interface Client {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly onGone?: ((listener: () => void) => void) | undefined;
}

/** Takes over `snapshot`. */
export async function begin(client: Client, server: TransactionServer, snapshot: Snapshot): Promise<OpenTransaction> {
  const { kernel, table, facts } = server;
  const schema = servedBy(kernel);
  return table.begin({ owner: (await kernel.identify(client.headers)).name, schema, facts: facts.of(schema), snapshot }, kernel.limits);
}

/** @throws QuernError when it has ended, or is another client's */
export async function goOn({ startTs = 0, hash }: TransactionParameters, client: Client, server: TransactionServer): Promise<OpenTransaction> {
  const { kernel, table } = server;
  const transaction = table.find(startTs, { owner: (await kernel.identify(client.headers)).name, hash });
  if (transaction.begun.schema.layout === servedBy(kernel).layout) return transaction;
  table.end(transaction);
  throw aborted("another schema was deployed.");
}

export interface Writing {
  readonly request: WriteRequest;
  readonly work: () => DocumentBudget;
}

/** Adds what a request writes. An error leaves the transaction as it was. */
export async function addTo(
  transaction: OpenTransaction,
  { request, work }: Writing,
  client: Client,
  server: TransactionServer,
): Promise<WriteAnswer> {
  const { schema, facts, snapshot } = transaction.begun;
  const hashes = await hashesOf(request, facts);
  const seen = await server.kernel.outsideRules(snapshot, client.headers);
  const draftFor = async () => ({ schema, facts, work, hashes, seen, isRuled: seen !== snapshot, draft: await transaction.draft(work()) });
  const { result } = await server.kernel.write(
    { ...client, language: "dql" },
    async (tx): Promise<Drafted> => draftIn(tx, request, await draftFor()),
  );
  const bytes = weightOf(result.applied);
  server.table.assertRoom(transaction, bytes);
  transaction.add(result.applied, result.made, bytes);
  return result.answer;
}

export interface Committing extends TransactionServer {
  readonly work: () => DocumentBudget;
}

/** The transaction ends, whether it is written or not. */
export async function commit(transaction: OpenTransaction, client: Client, { kernel, table, work }: Committing): Promise<void> {
  try {
    await kernel.write({ ...client, language: "dql" }, (tx) => transaction.commit(tx, work()));
  } catch (thrown) {
    if (thrown instanceof QuernError && lost.has(thrown.code)) throw aborted("others have written the same since it began.");
    throw thrown;
  } finally {
    table.end(transaction);
  }
}

/** Codes of a store that has refused what another transaction has done. */
const lost: ReadonlySet<string> = new Set(["KEY_TAKEN", "END_TAKEN", "STALE_LAYOUT", "VIEW_EXPIRED"]);

function servedBy({ served }: KernelAccess): ServedSchema {
  if (!served) throw new QuernError("NO_SCHEMA", "No schema is deployed yet.");
  return served;
}
