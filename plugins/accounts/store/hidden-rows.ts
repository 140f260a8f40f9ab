// Rows in hidden types. Each call that writes is one transaction.

import {
  type Batch,
  type Change,
  type KernelAccess,
  type MaybePromise,
  QuernError,
  type Snapshot,
  type Transaction,
  type Uid,
} from "../../../core/plugin.ts";
import { type Condition, candidates, satisfies, sorted } from "./conditions.ts";
import { type Row, readValue, storedPatch, storedValues } from "./rows.ts";
import { columnsOf, fieldName, type Table, type Tables, typeName } from "./tables.ts";

export interface FoundRow {
  readonly uid: Uid;
  readonly row: Row;
}

/** Which rows, and which part of them. */
export interface RowQuery {
  readonly where: readonly Condition[];
  readonly sortBy?: { readonly field: string; readonly direction: "asc" | "desc" } | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** How many of the rows that satisfy a condition are changed. */
export type HowMany = "one" | "all";

type Reads = Pick<Snapshot, "find">;

export class HiddenRows {
  readonly #kernel: () => KernelAccess;
  readonly #tables: Tables;
  readonly #removed: (table: string, uids: readonly Uid[]) => void;

  /** @param removed called when rows are gone, before the caller knows it */
  constructor(kernel: () => KernelAccess, tables: Tables, removed: (table: string, uids: readonly Uid[]) => void = () => undefined) {
    this.#kernel = kernel;
    this.#tables = tables;
    this.#removed = removed;
  }

  has(table: string): boolean {
    return Object.hasOwn(this.#tables, table);
  }

  tableOf(name: string): Table {
    const table = this.has(name) ? this.#tables[name] : undefined;
    if (table) return table;
    throw new QuernError("CONFIG_INVALID", `accountsPlugin keeps no ${name}: give the plugin of better-auth that has it in the option plugins.`);
  }

  async find(table: string, query: RowQuery): Promise<readonly Row[]> {
    const snapshot = this.#kernel().snapshot();
    try {
      return (await this.findIn(snapshot, table, query)).map(({ row }) => row);
    } finally {
      snapshot.close();
    }
  }

  async create(table: string, values: Row): Promise<Row> {
    try {
      await this.transact((tx) => this.createIn(tx, table, values));
    } catch (thrown) {
      // Its caller looks for the row that has the key. When a transaction without writes ends, snapshots show what it could read.
      if (thrown instanceof QuernError && thrown.code === "KEY_TAKEN") await this.transact(() => undefined);
      throw thrown;
    }
    return this.complete(table, values);
  }

  /** With null for columns without a value. */
  complete(table: string, values: Partial<Row>): Row {
    return Object.fromEntries(Object.keys(columnsOf(this.tableOf(table))).map((column) => [column, values[column] ?? null]));
  }

  /** The rows that are changed, as they then are. */
  async update(table: string, where: readonly Condition[], patch: (row: Row) => Partial<Row>, many: HowMany): Promise<readonly Row[]> {
    return await this.transact(async (tx) => {
      const found = await this.findIn(tx, table, { where, ...(many === "one" && { limit: 1 }) });
      const changes = found.map(({ uid, row }) => ({ uid, row, values: patch(row) }));
      const written = changes.filter(({ values }) => Object.keys(values).length > 0);
      await tx.write(written.map(({ uid, values }) => this.set(table, uid, values)));
      return changes.map(({ row, values }) => ({ ...row, ...defined(values) }));
    });
  }

  /** The rows that are gone. Of very many, such as all that have expired, some hundred go in each transaction. */
  async remove(table: string, where: readonly Condition[], many: HowMany): Promise<readonly Row[]> {
    if (many === "one") return await this.#removeIn(table, (tx) => this.findIn(tx, table, { where, limit: 1 }));
    const uids = await this.#uidsOf(table, where);
    const gone: Row[] = [];
    for (let at = 0; at < uids.length; at += removedAtOnce) {
      const part = uids.slice(at, at + removedAtOnce);
      gone.push(...(await this.#removeIn(table, async (tx) => (await this.loadIn(tx, table, part)).filter(({ row }) => satisfies(row, where)))));
    }
    return gone;
  }

  async #uidsOf(table: string, where: readonly Condition[]): Promise<readonly Uid[]> {
    const snapshot = this.#kernel().snapshot();
    try {
      return (await this.findIn(snapshot, table, { where })).map(({ uid }) => uid);
    } finally {
      snapshot.close();
    }
  }

  async #removeIn(table: string, find: (tx: Transaction) => Promise<readonly FoundRow[]>): Promise<readonly Row[]> {
    const gone = await this.transact(async (tx) => {
      const found = await find(tx);
      await tx.write(found.map(({ uid }) => ({ kind: "remove", uid, type: typeName(table) })));
      return found;
    });
    this.#removed(
      table,
      gone.map(({ uid }) => uid),
    );
    return gone.map(({ row }) => row);
  }

  // ---- within a transaction -----------------------------------------------------------------------------------------------

  async findIn(reads: Reads, name: string, { where, sortBy, limit, offset = 0 }: RowQuery): Promise<readonly FoundRow[]> {
    const table = this.tableOf(name);
    const { fields } = namedColumns(name, table);
    const found = rowsOf(name, table, await reads.find({ types: [typeName(name)], where: candidates(name, table, where), fields }));
    const fitting = found.filter(({ row }) => satisfies(row, where));
    const inOrder = sortBy === undefined ? fitting : sortedBy(fitting, sortBy);
    return inOrder.slice(offset, limit === undefined ? undefined : offset + limit);
  }

  async loadIn(reads: Pick<Snapshot, "load">, name: string, uids: readonly Uid[]): Promise<readonly FoundRow[]> {
    const table = this.tableOf(name);
    return rowsOf(name, table, await reads.load({ uids, types: [typeName(name)], fields: namedColumns(name, table).fields }));
  }

  async createIn(tx: Transaction, table: string, values: Partial<Row>): Promise<Uid> {
    const [uid = 0] = await tx.uids(1);
    await tx.write([this.creation(table, uid, values)]);
    return uid;
  }

  creation(table: string, uid: Uid, values: Partial<Row>): Change & { readonly kind: "create" } {
    return { kind: "create", uid, type: typeName(table), fields: storedValues(table, this.tableOf(table), values) };
  }

  set(table: string, uid: Uid, values: Partial<Row>): Change {
    return { kind: "set", uid, type: typeName(table), fields: storedPatch(table, this.tableOf(table), values) };
  }

  /** A deploy that ends meanwhile changes the layout: the work runs again under the new one. */
  async transact<T>(work: (tx: Transaction) => MaybePromise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return (await this.#kernel().transact(work)).result;
      } catch (thrown) {
        if (!(thrown instanceof QuernError) || thrown.code !== "STALE_LAYOUT" || tries === maxTries) throw thrown;
      }
    }
  }
}

const maxTries = 3;
const removedAtOnce = 500;

function namedColumns(name: string, table: Table) {
  const columns = Object.entries(columnsOf(table));
  return { columns, fields: columns.map(([column]) => fieldName(name, column)) };
}

function rowsOf(name: string, table: Table, batch: Batch): readonly FoundRow[] {
  const { columns } = namedColumns(name, table);
  return batch.uids.map((uid, at) => ({
    uid,
    row: Object.fromEntries(columns.map(([column, { kind }], index) => [column, readValue(kind, batch.columns[index]?.[at])])),
  }));
}

function sortedBy(found: readonly FoundRow[], sortBy: NonNullable<RowQuery["sortBy"]>): readonly FoundRow[] {
  const uids = new Map(found.map((each) => [each.row, each]));
  return sorted(
    found.map(({ row }) => row),
    sortBy,
  ).flatMap((row) => uids.get(row) ?? []);
}

function defined(values: Partial<Row>): Row {
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** `field` is `value`. */
export function is(field: string, value: unknown, operator = "eq"): Condition {
  return { field, operator, value, connector: "AND", mode: "sensitive" };
}
