// Writes events into the outbox, in the commit of the mutation that raises them.

import { type ChangesTransaction, type Create, formatUid, type NodeRef, type Uid, type WrittenContext, writeJson } from "../../../core/plugin.ts";
import { createEntry, entryFields, entryType, everyNode } from "./layout.ts";

/** What is delivered, and the nodes in the order of whose events it is. */
export interface NewEvent {
  readonly nodes: readonly NodeRef[];
  readonly body: unknown;
}

/** An event about more nodes waits for all earlier ones: to list its nodes would cost an index entry for each. */
const maxOrderedNodes = 100;

export async function appendEvents(events: readonly NewEvent[], { transaction, uids }: Pick<WrittenContext, "transaction" | "uids">) {
  if (events.length === 0) return undefined;
  const first = await nextSequence(transaction);
  const fresh = await uids(events.length);
  return events.map(({ nodes, body }, i): Create => {
    const uid: Uid = fresh[i] ?? 0;
    return createEntry({ uid, sequence: first + i, nodes: namesOf(nodes), body: writeJson(body) });
  });
}

/**
 * Above all numbers that this transaction sees. Two transactions that change one node conflict, so the later one sees the entry of the earlier
 * one, unless that entry is delivered already.
 */
async function nextSequence(transaction: ChangesTransaction): Promise<number> {
  const { columns } = await transaction.find({
    types: [entryType],
    order: [{ field: entryFields.sequence, direction: "desc" }],
    page: { first: 1 },
    fields: [entryFields.sequence],
  });
  return Math.max(Date.now(), Number(columns[0]?.[0] ?? 0) + 1);
}

function namesOf(nodes: readonly NodeRef[]): readonly string[] {
  return nodes.length > maxOrderedNodes ? [everyNode] : [...new Set(nodes.map(({ uid }) => formatUid(uid)))];
}
