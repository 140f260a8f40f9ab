// Reads the outbox: which events are to be delivered now, and which wait for an earlier one about the same node.

import { type Batch, formatUid, type Predicate, type Snapshot, type Uid } from "../../../core/plugin.ts";
import { entryFields, entryType, everyNode } from "./layout.ts";

/** An event in the outbox, without its body. */
export interface Entry {
  readonly uid: Uid;
  readonly sequence: number;
  readonly due: number;
  readonly born: number;
  readonly tries: number;
  readonly nodes: readonly string[];
}

/** An event that must not be delivered before `due`, since an earlier one about the same node waits until then. */
export interface Blocked {
  readonly uid: Uid;
  readonly due: number;
}

export interface Ready {
  /** In the order of delivery. */
  readonly ready: readonly Entry[];
  readonly blocked: readonly Blocked[];
  /** When the next event is due that is not yet. */
  readonly nextDue: number | undefined;
}

export interface ReadyOptions {
  /** Events that are under delivery. */
  readonly busy: ReadonlySet<Uid>;
  /** How many more may be delivered at a time. */
  readonly room: number;
  readonly now: number;
}

/** Events that are looked at in one round, and earlier ones about the same nodes. */
const window = 64;
const maxEarlier = 2_000;

export async function readyEntries(snapshot: Snapshot, { busy, room, now }: ReadyOptions): Promise<Ready> {
  const found = await find(snapshot, { due: "lte", now, first: window + busy.size });
  const candidates = found.filter(({ uid }) => !busy.has(uid)).sort(inOrder);
  const [next] = await find(snapshot, { due: "gt", now, first: 1 });
  if (candidates.length === 0) return { ready: [], blocked: [], nextDue: next?.due };
  const earlier = await earlierThan(snapshot, candidates);
  const ready: Entry[] = [];
  const blocked: Blocked[] = [];
  for (const candidate of candidates) {
    const before = earlier(candidate);
    const due = Math.max(0, ...before.map((each) => each.due));
    if (before.length === 0) ready.push(candidate);
    else if (due > now) blocked.push({ uid: candidate.uid, due });
  }
  return { ready: ready.slice(0, room), blocked, nextDue: next?.due };
}

export async function loadBody(snapshot: Snapshot, uid: Uid): Promise<string> {
  const { columns } = await snapshot.load({ uids: [uid], types: [entryType], fields: [entryFields.body] });
  return String(columns[0]?.[0] ?? "");
}

/** Which of the events in the outbox must be delivered before a candidate. Events that are neither due nor under delivery count too. */
async function earlierThan(snapshot: Snapshot, candidates: readonly Entry[]): Promise<(candidate: Entry) => readonly Entry[]> {
  const names = [...new Set([everyNode, ...candidates.flatMap(({ nodes }) => nodes)])];
  const where: Predicate = { kind: "compare", field: entryFields.nodes, op: "in", operands: names };
  const related = await query(snapshot, { where, order: "sequence", first: maxEarlier });
  const last = related.length < maxEarlier ? undefined : related.at(-1);
  const [oldest] = candidates.some(({ nodes }) => nodes.includes(everyNode)) ? await query(snapshot, { order: "sequence", first: 1 }) : [];
  return (candidate) => {
    // Behind more events than were read: one of those may have to come first.
    if (last && inOrder(last, candidate) < 0) return [last];
    const sharing = related.filter((each) => inOrder(each, candidate) < 0 && sharesNode(each, candidate));
    const waitsForAll = candidate.nodes.includes(everyNode) && oldest !== undefined && inOrder(oldest, candidate) < 0;
    return waitsForAll ? [...sharing, oldest] : sharing;
  };
}

function sharesNode(one: Entry, other: Entry): boolean {
  return one.nodes.includes(everyNode) || one.nodes.some((node) => other.nodes.includes(node));
}

function inOrder(a: Entry, b: Entry): number {
  return a.sequence - b.sequence || a.uid - b.uid;
}

async function find(snapshot: Snapshot, { due, now, first }: { readonly due: "lte" | "gt"; readonly now: number; readonly first: number }) {
  const op = due === "lte" ? "le" : "gt";
  return await query(snapshot, { where: { kind: "compare", field: entryFields.due, op, operands: [now] }, order: "due", first });
}

interface Query {
  readonly where?: Predicate;
  readonly order: "due" | "sequence";
  readonly first: number;
}

const columnNames = ["sequence", "due", "born", "tries", "nodes"] as const;

async function query(snapshot: Snapshot, { where, order, first }: Query): Promise<readonly Entry[]> {
  const batch = await snapshot.find({
    types: [entryType],
    ...(where && { where }),
    order: [{ field: entryFields[order], direction: "asc" }],
    page: { first },
    fields: columnNames.map((name) => entryFields[name]),
  });
  return batch.uids.map((uid, row) => entryAt(batch, row, uid));
}

function entryAt({ columns }: Batch, row: number, uid: Uid): Entry {
  const [sequence, due, born, tries, nodes] = columns.map((column) => column[row]);
  const names = Array.isArray(nodes) ? nodes.map(String) : [formatUid(uid)];
  return { uid, sequence: Number(sequence), due: Number(due), born: Number(born), tries: Number(tries), nodes: names };
}
