// What better-auth keeps, as tables of columns, and the hidden types that hold it. They are written down here, because the layout must be known before
// better-auth is imported; a spec compares them with its own.

import type { IndexLayout, KeyLayout, LayoutAdditions } from "../../../core/plugin.ts";

export interface Column {
  readonly kind: "string" | "float" | "boolean" | "dateTime";
  /** `unique`: one row has a value. `equal`: rows are looked up by it. `ordered`: by ranges, too. */
  readonly lookup?: "unique" | "equal" | "ordered" | undefined;
}

export interface Table {
  /** By name. Each table also has `id`, which is unique. */
  readonly columns: Readonly<Record<string, Column>>;
  /** Columns whose values together are unique. */
  readonly keys?: readonly (readonly string[])[];
}

export type Tables = Readonly<Record<string, Table>>;

const text: Column = { kind: "string" };
const unique: Column = { kind: "string", lookup: "unique" };
const named: Column = { kind: "string", lookup: "equal" };
const flag: Column = { kind: "boolean" };
const count: Column = { kind: "float" };
const time: Column = { kind: "dateTime" };
const due: Column = { kind: "dateTime", lookup: "ordered" };
const times = { createdAt: time, updatedAt: time };

/** Beside each user: what its type does not declare. `id` is the user's. */
export const profileTable = "profile";

export const accountTables: Tables = {
  session: {
    columns: {
      expiresAt: due,
      token: unique,
      ...times,
      ipAddress: text,
      userAgent: text,
      userId: named,
      /** The administrator who acts as the user. */
      actedBy: text,
    },
  },
  account: {
    columns: {
      accountId: text,
      providerId: text,
      userId: named,
      accessToken: text,
      refreshToken: text,
      idToken: text,
      accessTokenExpiresAt: time,
      refreshTokenExpiresAt: time,
      scope: text,
      password: text,
      ...times,
    },
    keys: [["providerId", "accountId"]],
  },
  verification: { columns: { identifier: named, value: text, expiresAt: due, ...times } },
  rateLimit: { columns: { key: unique, count, lastRequest: { kind: "float", lookup: "ordered" } } },
  twoFactor: {
    columns: { secret: named, backupCodes: text, userId: named, verified: flag, failedVerificationCount: count, lockedUntil: time },
  },
  [profileTable]: {
    columns: {
      name: text,
      image: text,
      emailVerified: flag,
      ...times,
      twoFactorEnabled: flag,
      /** Since when a sign-up has made the user and not finished; a crash may have cut it. */
      unfinishedSince: time,
      disabled: flag,
      signedInAt: time,
    },
  },
};

/** The hidden type of a table. */
export function typeName(table: string): string {
  return `accounts.${table}`;
}

export function fieldName(table: string, column: string): string {
  return `${typeName(table)}.${column}`;
}

const idColumn: Column = { kind: "string", lookup: "unique" };

/** All columns with the one that every table has. */
export function columnsOf({ columns }: Table): Readonly<Record<string, Column>> {
  return { id: idColumn, ...columns };
}

export function layoutOf(tables: Tables): LayoutAdditions {
  const all = Object.entries(tables).map(([name, table]) => ({ name, table, columns: Object.entries(columnsOf(table)) }));
  return {
    types: all.map(({ name, columns }) => ({ name: typeName(name), fields: columns.map(([column]) => fieldName(name, column)) })),
    fields: all.flatMap(({ name, columns }) => columns.map(([column, { kind }]) => ({ name: fieldName(name, column), kind, list: false }))),
    indexes: all.flatMap(({ name, columns }) => columns.flatMap(([column, { lookup }]) => indexOf(fieldName(name, column), lookup))),
    keys: all.flatMap(({ name, table, columns }) => [
      ...columns.flatMap(([column, { lookup }]) => (lookup === "unique" ? [keyOf(name, [column])] : [])),
      ...(table.keys ?? []).map((key) => keyOf(name, key)),
    ]),
  };
}

function indexOf(field: string, lookup: Column["lookup"]): readonly IndexLayout[] {
  if (lookup !== "equal" && lookup !== "ordered") return [];
  return [{ name: `${field}/value`, field, by: "value", ordered: lookup === "ordered" }];
}

function keyOf(table: string, columns: readonly string[]): KeyLayout {
  return { name: `${typeName(table)}(${columns.join()})`, fields: columns.map((column) => fieldName(table, column)), types: [typeName(table)] };
}
