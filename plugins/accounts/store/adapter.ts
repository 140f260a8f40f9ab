// The database adapter of better-auth: its `user` is an object of the schema, everything else a row of a hidden type.

import type { createAdapterFactory } from "better-auth/adapters";
import { QuernError } from "../../../core/plugin.ts";
import type { Condition } from "./conditions.ts";
import type { HiddenRows, RowQuery } from "./hidden-rows.ts";
import type { Row } from "./rows.ts";
import type { Users } from "./users.ts";

export type AdapterFactory = typeof createAdapterFactory;

export interface AdapterParts {
  readonly rows: HiddenRows;
  /** Undefined: users are rows too, as in better-auth's own specs. */
  readonly users: Users | undefined;
  /** How rows of some tables are made, with what changes beside them. */
  readonly creations?: Readonly<Record<string, (values: Row) => Promise<Row>>>;
  /** What an update writes of the values, for rows of some tables. Default: all of them. */
  readonly updates?: Readonly<Record<string, (row: Row, values: Row) => Row>>;
  /** What to throw where a user has the e-mail of a new one. Default: the cause. */
  readonly taken?: (cause: QuernError) => Error;
}

/** What better-auth asks of an adapter, with names and values as the database has them. */
export function adapterOf(createFactory: AdapterFactory, parts: AdapterParts): ReturnType<AdapterFactory> {
  return createFactory({
    config: {
      adapterId: "quern",
      adapterName: "Quern",
      supportsNumericIds: false,
      // Lists and JSON become texts. It hashes passwords within transactions, so that all other writes of LevelDB would wait.
      transaction: false,
    },
    adapter: ({ getDefaultModelName, getFieldName }) => {
      const models = new Models(parts, getDefaultModelName);
      const selected = (model: string, select: readonly string[] | undefined, rows: readonly Row[]) => {
        if (select === undefined || select.length === 0) return rows;
        const names = new Set(select.map((field) => getFieldName({ model, field })));
        return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name))));
      };
      return {
        create: async ({ model, data }) => models.result<typeof data>(await models.create(model, data)),
        findOne: async ({ model, where, select }) => models.result(selected(model, select, await models.find(model, { where, limit: 1 }))[0]),
        findMany: async ({ model, where = [], select, ...page }) =>
          models.result(selected(model, select, await models.find(model, { where, ...page }))),
        count: async ({ model, where = [] }) => (await models.find(model, { where })).length,
        update: async ({ model, where, update }) =>
          models.result(await models.update(model, where, Object.fromEntries(Object.entries(update ?? {})))),
        updateMany: ({ model, where, update }) => models.updateMany(model, where, update),
        delete: async ({ model, where }) => void (where.length > 0 && (await models.remove(model, where, "one"))),
        deleteMany: ({ model, where }) => models.remove(model, where, "all"),
        consumeOne: async ({ model, where }) => models.result(await models.consume(model, where)),
        incrementOne: async ({ model, where, increment, set = {} }) => models.result(await models.increment(model, where, { increment, set })),
      };
    },
  });
}

interface Increments {
  readonly increment: Readonly<Record<string, number>>;
  readonly set: Readonly<Record<string, unknown>>;
}

class Models {
  readonly #parts: AdapterParts;
  readonly #nameOf: (model: string) => string;

  constructor(parts: AdapterParts, nameOf: (model: string) => string) {
    this.#parts = parts;
    this.#nameOf = nameOf;
  }

  /** Its own types say that a row is whatever its caller expects. */
  result<T>(found: unknown): T {
    return (found ?? null) as T;
  }

  #users(model: string): Users | undefined {
    return this.#nameOf(model) === "user" ? this.#parts.users : undefined;
  }

  async create(model: string, values: Readonly<Record<string, unknown>>): Promise<Row> {
    const row = values as Row;
    const { rows, creations = {} } = this.#parts;
    const users = this.#users(model);
    if (users) return await users.create(row).catch((cause: unknown) => this.#failed(cause));
    const table = this.#nameOf(model);
    return await (creations[table]?.(row) ?? rows.create(table, row));
  }

  #failed(cause: unknown): never {
    throw cause instanceof QuernError && cause.code === "KEY_TAKEN" ? (this.#parts.taken?.(cause) ?? cause) : cause;
  }

  async find(model: string, query: RowQuery): Promise<readonly Row[]> {
    return await (this.#users(model)?.find(query) ?? this.#parts.rows.find(this.#nameOf(model), query));
  }

  async update(model: string, where: readonly Condition[], values: Readonly<Record<string, unknown>>): Promise<Row | undefined> {
    if (where.length === 0) return undefined;
    const users = this.#users(model);
    if (users) return await users.update(where, values);
    const [row] = await this.#parts.rows.update(this.#nameOf(model), where, this.#patch(model, values), "one");
    return row;
  }

  #patch(model: string, values: Readonly<Record<string, unknown>>): (row: Row) => Row {
    const given = values as Row;
    const written = this.#parts.updates?.[this.#nameOf(model)];
    return (row) => written?.(row, given) ?? given;
  }

  async updateMany(model: string, where: readonly Condition[], values: Readonly<Record<string, unknown>>): Promise<number> {
    const users = this.#users(model);
    if (users === undefined) return (await this.#parts.rows.update(this.#nameOf(model), where, this.#patch(model, values), "all")).length;
    const found = await users.find({ where });
    for (const { id } of found) await users.update([{ field: "id", operator: "eq", value: id, connector: "AND", mode: "sensitive" }], values);
    return found.length;
  }

  async remove(model: string, where: readonly Condition[], many: "one" | "all"): Promise<number> {
    return await (this.#users(model)?.remove(where, many) ?? this.#parts.rows.remove(this.#nameOf(model), where, many).then(({ length }) => length));
  }

  /** Of several who consume one row, one gets it. */
  async consume(model: string, where: readonly Condition[]): Promise<Row | undefined> {
    const users = this.#users(model);
    if (users === undefined) return (await this.#parts.rows.remove(this.#nameOf(model), where, "one"))[0];
    const [row] = await users.find({ where, limit: 1 });
    return row !== undefined && (await users.remove(where, "one")) === 1 ? row : undefined;
  }

  async increment(model: string, where: readonly Condition[], { increment, set }: Increments): Promise<Row | undefined> {
    const added = (row: Row) => Object.entries(increment).map(([name, by]) => [name, Number(row[name] ?? 0) + by]);
    const patch = (row: Row) => ({ ...set, ...Object.fromEntries(added(row)) }) as Row;
    const users = this.#users(model);
    if (users === undefined) return (await this.#parts.rows.update(this.#nameOf(model), where, patch, "one"))[0];
    const [row] = await users.find({ where, limit: 1 });
    return row && (await users.update(where, patch(row)));
  }
}
