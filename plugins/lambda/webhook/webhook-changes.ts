// What a mutation changes of nodes with a webhook: their values before it, and after it.

import {
  type Batch,
  type Change,
  type ChangesContext,
  type ChangesTransaction,
  type FieldName,
  formatUid,
  type NodeRef,
  type Stored,
  sameStored,
  type TypeName,
  type Uid,
  type WrittenContext,
} from "../../../core/plugin.ts";
import type { NewEvent } from "../outbox/append-events.ts";
import type { ChangeKind, Webhook } from "./read-webhooks.ts";

/** Values by field name; a field without a value is absent. */
export type WebhookValues = Readonly<Record<string, Stored>>;

export interface WebhookNode {
  readonly id: string;
  /** Null: the mutation has created the node. */
  readonly old: WebhookValues | null;
  /** Null: the mutation has removed the node. */
  readonly new: WebhookValues | null;
}

/** An entry of the outbox. */
export interface WebhookEntry {
  readonly kind: "webhook";
  /** The type or interface with the directive. */
  readonly hook: string;
  readonly type: string;
  readonly operation: ChangeKind;
  readonly nodes: readonly WebhookNode[];
}

/** A node with its values before the mutation: by stored field, or null for a new node. */
interface Touched extends NodeRef {
  readonly old: Row | null;
}

type Row = ReadonlyMap<FieldName, Stored>;

/** Nodes in one request. */
const maxNodes = 100;
const sliceSize = 1_000;

export class WebhookChanges {
  readonly #hooks: readonly Webhook[];
  readonly #fields: ReadonlyMap<TypeName, readonly FieldName[]>;
  /** What each running transaction has touched. A transaction that runs again is another object. */
  readonly #touched = new WeakMap<ChangesTransaction, Map<Uid, Touched>>();

  constructor(hooks: readonly Webhook[]) {
    this.#hooks = hooks;
    const fields = new Map<TypeName, Set<FieldName>>();
    for (const hook of hooks) {
      for (const type of hook.types.keys()) {
        const known = fields.get(type) ?? new Set();
        for (const { stored } of hook.fields) known.add(stored);
        fields.set(type, known);
      }
    }
    this.#fields = new Map([...fields].map(([type, names]) => [type, [...names]]));
  }

  /** Before a write: keeps the values that nodes have now. */
  async before({ changes, transaction }: ChangesContext): Promise<void> {
    const touched = this.#touched.get(transaction) ?? new Map<Uid, Touched>();
    const existing: NodeRef[] = [];
    for (const { uid, type, kind } of changes.flatMap(nodeChange)) {
      if (!this.#fields.has(type) || touched.has(uid)) continue;
      if (kind === "create") touched.set(uid, { uid, type, old: null });
      else existing.push({ uid, type });
    }
    for (const { uid, type, row } of await this.#load(existing, transaction)) touched.set(uid, { uid, type, old: row });
    if (touched.size > 0) this.#touched.set(transaction, touched);
  }

  /** When everything is written: the events of the nodes that have other values now. */
  async events({ transaction }: Pick<WrittenContext, "transaction">): Promise<readonly NewEvent[]> {
    const touched = [...(this.#touched.get(transaction)?.values() ?? [])];
    if (touched.length === 0) return [];
    const now = new Map((await this.#load(touched, transaction)).map(({ uid, row }) => [uid, row]));
    return this.#hooks.flatMap((hook) => eventsOf(hook, touched, now));
  }

  async #load(nodes: readonly NodeRef[], transaction: ChangesTransaction): Promise<readonly (NodeRef & { readonly row: Row })[]> {
    const rows: (NodeRef & { readonly row: Row })[] = [];
    for (const [type, same] of grouped(nodes)) {
      const fields = this.#fields.get(type) ?? [];
      for (let start = 0; start < same.length; start += sliceSize) {
        const uids = same.slice(start, start + sliceSize).map(({ uid }) => uid);
        const batch = await transaction.load({ uids, types: [type], fields });
        rows.push(...batch.uids.map((uid, row) => ({ uid, type, row: rowOf(batch, row, fields) })));
      }
    }
    return rows;
  }
}

function nodeChange(change: Change) {
  return change.kind === "link" || change.kind === "unlink" ? [] : [change];
}

function grouped(nodes: readonly NodeRef[]): ReadonlyMap<TypeName, readonly NodeRef[]> {
  const groups = new Map<TypeName, NodeRef[]>();
  for (const node of nodes) {
    const group = groups.get(node.type);
    if (group) group.push(node);
    else groups.set(node.type, [node]);
  }
  return groups;
}

function rowOf({ columns }: Batch, row: number, fields: readonly FieldName[]): Row {
  return new Map(
    fields.flatMap((field, column): [FieldName, Stored][] => {
      const value = columns[column]?.[row];
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

function eventsOf(hook: Webhook, touched: readonly Touched[], now: ReadonlyMap<Uid, Row>): readonly NewEvent[] {
  const groups = new Map<string, { readonly type: string; readonly operation: ChangeKind; readonly nodes: { ref: NodeRef; shown: WebhookNode }[] }>();
  for (const { uid, type, old } of touched) {
    const named = hook.types.get(type);
    const row = now.get(uid) ?? null;
    const operation = operationOf(hook, old, row);
    if (!named || !operation || !hook.on.has(operation)) continue;
    const key = `${operation} ${named.name}`;
    const group = groups.get(key) ?? { type: named.name, operation, nodes: [] };
    group.nodes.push({ ref: { uid, type }, shown: { id: formatUid(uid), old: old && valuesOf(hook, old), new: row && valuesOf(hook, row) } });
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ type, operation, nodes }) =>
    Array.from({ length: Math.ceil(nodes.length / maxNodes) }, (_, i): NewEvent => {
      const part = nodes.slice(i * maxNodes, (i + 1) * maxNodes);
      const body: WebhookEntry = { kind: "webhook", hook: hook.name, type, operation, nodes: part.map(({ shown }) => shown) };
      return { nodes: part.map(({ ref }) => ref), body };
    }),
  );
}

/** Undefined: the hook's fields have the values that they had. */
function operationOf({ fields }: Webhook, old: Row | null, row: Row | null): ChangeKind | undefined {
  if (old === null) return row === null ? undefined : "ADD";
  if (row === null) return "DELETE";
  return fields.some(({ stored }) => !sameStored(old.get(stored), row.get(stored))) ? "UPDATE" : undefined;
}

function valuesOf({ fields }: Webhook, row: Row): WebhookValues {
  return Object.fromEntries(
    fields.flatMap(({ name, stored }): [string, Stored][] => {
      const value = row.get(stored);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
