// Which hidden types an export with accounts holds, by the layout that is served: tables of better-auth's plugins included.

import { type FieldName, type KernelAccess, QuernError, type ServedSchema } from "../../../core/plugin.ts";
import { type AccountType, accountTypeOf } from "../schema/account-type.ts";
import { fieldName, typeName } from "../store/tables.ts";

export interface AccountTable {
  readonly name: string;
  /** Storage names by column. */
  readonly columns: ReadonlyMap<string, FieldName>;
}

export interface ServedAccounts {
  readonly account: AccountType;
  readonly tables: ReadonlyMap<string, AccountTable>;
}

/** Counted tries are of no use elsewhere. */
const leftOut: ReadonlySet<string> = new Set(["rateLimit"]);

/** @throws QuernError `CONFIG_INVALID` when no users sign in */
export function servedAccounts({ served }: KernelAccess): ServedAccounts {
  const account = served && accountTypeOf(served.model);
  if (served === undefined || account === undefined)
    throw new QuernError("CONFIG_INVALID", "--accounts: no type of the schema has @account, or the configuration has no accountsPlugin().");
  return { account, tables: tablesOf(served) };
}

function tablesOf({ layout }: ServedSchema): ReadonlyMap<string, AccountTable> {
  const prefix = typeName("");
  const own = layout.types.filter(({ name }) => name.startsWith(prefix)).map(({ name, fields }) => ({ table: name.slice(prefix.length), fields }));
  return new Map(
    own.filter(({ table }) => !leftOut.has(table)).map(({ table, fields }) => [table, { name: table, columns: columnsIn(table, fields) }]),
  );
}

function columnsIn(table: string, fields: readonly FieldName[]): ReadonlyMap<string, FieldName> {
  return new Map(fields.map((field) => [field.slice(fieldName(table, "").length), field]));
}
