// Writes entries, reads them with filters, and removes those that are old or too many.

import { type AdminDeed, isObject, type KernelAccess, type Predicate, type Snapshot, type Uid } from "../../core/plugin.ts";
import { createEntry, entryFields, entryType } from "./layout.ts";

export interface AuditLimits {
  /** Entries are shown for so long, and then removed. */
  readonly keepMs: number;
  /** The oldest go when there are more. */
  readonly maxEntries: number;
}

export interface AuditEntry extends AdminDeed {
  /** RFC 3339. */
  readonly at: string;
}

/** Every member narrows. Texts are found in any case, anywhere in their member. */
export interface AuditFilter {
  readonly first: number;
  /** Milliseconds since 1970. */
  readonly before?: number | undefined;
  readonly since?: number | undefined;
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  readonly text?: string | undefined;
}

/** Entries of one answer. */
const maxFirst = 1_000;
/** Entries that are read at a time. */
const pageSize = 500;
const removedAtOnce = 500;
const sweepEveryMs = 3_600_000;

export class AuditLog {
  readonly #kernel: KernelAccess;
  readonly #limits: AuditLimits;
  #addedAt = 0;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(kernel: KernelAccess, limits: AuditLimits) {
    this.#kernel = kernel;
    this.#limits = limits;
  }

  async add(deed: AdminDeed): Promise<void> {
    // No two entries of a server have one time: a page that goes on before an entry leaves out none.
    this.#addedAt = Math.max(Date.now(), this.#addedAt + 1);
    const at = this.#addedAt;
    await this.#kernel.transact(async (tx) => {
      const [uid = 0] = await tx.uids(1);
      await tx.write([createEntry(uid, deed, at)]);
    });
    await this.sweep();
  }

  /** The newest first. */
  async find({ first, before, since, ...texts }: AuditFilter): Promise<readonly AuditEntry[]> {
    const found: AuditEntry[] = [];
    const wanted = Math.min(maxFirst, Math.max(0, first));
    const from = Math.max(since ?? 0, Date.now() - this.#limits.keepMs);
    const snapshot = this.#kernel.snapshot();
    try {
      for (let offset = 0; found.length < wanted; offset += pageSize) {
        const page = await pageOf(snapshot, { from, before, offset });
        found.push(...page.filter((entry) => fits(entry, texts)));
        if (page.length < pageSize) break;
      }
    } finally {
      snapshot.close();
    }
    return found.slice(0, wanted);
  }

  /** At most once an hour. */
  async sweep(): Promise<void> {
    const now = Date.now();
    if (now - this.#sweptAt < sweepEveryMs) return;
    this.#sweptAt = now;
    const expired: Predicate = { kind: "compare", field: entryFields.at, op: "lt", operands: [now - this.#limits.keepMs] };
    await this.#remove((tx) => tx.find({ types: [entryType], where: expired, page: { first: removedAtOnce }, fields: [] }));
    const order = [{ field: entryFields.at, direction: "desc" }] as const;
    const page = { offset: this.#limits.maxEntries, first: removedAtOnce };
    await this.#remove((tx) => tx.find({ types: [entryType], order, page, fields: [] }));
  }

  async #remove(find: (reads: Pick<Snapshot, "find">) => ReturnType<Snapshot["find"]>): Promise<void> {
    let removed: readonly Uid[];
    do {
      const { result } = await this.#kernel.transact(async (tx) => {
        const { uids } = await find(tx);
        await tx.write([...uids].map((uid) => ({ kind: "remove", uid, type: entryType })));
        return [...uids];
      });
      removed = result;
    } while (removed.length === removedAtOnce);
  }
}

interface PageRequest {
  readonly from: number;
  readonly before: number | undefined;
  readonly offset: number;
}

async function pageOf(snapshot: Snapshot, { from, before, offset }: PageRequest): Promise<readonly AuditEntry[]> {
  const compare = (op: "ge" | "lt", at: number): Predicate => ({ kind: "compare", field: entryFields.at, op, operands: [at] });
  const of = [compare("ge", from), ...(before === undefined ? [] : [compare("lt", before)])];
  const { uids, columns } = await snapshot.find({
    types: [entryType],
    where: { kind: "and", of },
    order: [{ field: entryFields.at, direction: "desc" }],
    page: { offset, first: pageSize },
    fields: Object.values(entryFields),
  });
  return Array.from(uids, (_, row) => entryOf(columns.map((column) => column[row])));
}

/** @param values in the order of `entryFields` */
function entryOf([at, action, who, from, what, outcome]: readonly unknown[]): AuditEntry {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    at: new Date(Number(at)).toISOString(),
    action: text(action),
    who: text(who),
    from: text(from) || undefined,
    what: text(what),
    outcome: outcome === "done" ? "done" : "failed",
  };
}

function fits(entry: AuditEntry, { who = "", action = "", text = "" }: Pick<AuditFilter, "who" | "action" | "text">): boolean {
  const has = (value: string | undefined, part: string) => (value ?? "").toLowerCase().includes(part.toLowerCase());
  return has(`${entry.who} ${entry.from ?? ""}`, who) && has(entry.action, action) && has(`${entry.what} ${entry.outcome}`, text);
}

/** What the arguments of the field `audit` ask for. */
export function filterOf(args: Readonly<Record<string, unknown>>): AuditFilter {
  const given = isObject(args) ? args : {};
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const time = (value: unknown) => (typeof value === "string" ? Date.parse(value) : undefined);
  const { first, before, since, who, action } = given;
  return { first: Number(first), before: time(before), since: time(since), who: text(who), action: text(action), text: text(given.text) };
}
