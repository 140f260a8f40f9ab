// Rows of accounts that come from another store: whose they are, and those that are missing here.

import { type FieldValues, type KernelAccess, parseUid, QuernError, type Stored, type Transaction, type Uid } from "../../../core/plugin.ts";
import { typeName } from "../store/tables.ts";
import { type AccountTable, servedAccounts } from "./account-tables.ts";

type Line = Readonly<Record<string, unknown>>;

/**
 * A session of one user must not become that of another who has the same ID here.
 *
 * @returns the IDs of those who are not here
 */
export async function absentUsers(kernel: KernelAccess, users: readonly Line[]): Promise<readonly string[]> {
  const { account } = servedAccounts(kernel);
  const emails = new Map(users.map(({ id, email }) => [parseUid(String(id)) ?? 0, { id: String(id), email }]));
  const uids = [...emails.keys()].sort((a, b) => a - b);
  const snapshot = kernel.snapshot();
  try {
    const where = { kind: "uids", uids } as const;
    const { uids: found, columns } = await snapshot.find({ types: [account.type.stored], where, fields: [account.email.stored] });
    const here = new Map(found.map((uid, row) => [uid, columns[0]?.[row]]));
    const other = found.find((uid) => here.get(uid) !== emails.get(uid)?.email);
    if (other !== undefined)
      throw new QuernError(
        "CONFIG_INVALID",
        `${emails.get(other)?.email} does not have the ID here that it has in the export: load the export whole, without --new-uids.`,
      );
    return uids.flatMap((uid) => (here.has(uid) ? [] : (emails.get(uid)?.id ?? [])));
  } finally {
    snapshot.close();
  }
}

/** Those that are not there yet. @returns how many */
export async function writeRows(kernel: KernelAccess, name: string, lines: readonly Line[]): Promise<number> {
  const table = servedAccounts(kernel).tables.get(name);
  if (table === undefined)
    throw new QuernError(
      "CONFIG_INVALID",
      `The export has rows of ${name}, and accountsPlugin keeps no such rows. Give it the plugin of better-auth that does.`,
    );
  const rows = lines.map((line) => fieldsOf(table, line));
  if (rows.length === 0) return 0;
  const { result } = await kernel.transact(async (tx) => {
    const there = await idsThere(tx, table, lines);
    const missing = rows.filter((_, at) => !there.has(lines[at]?.id));
    const uids: readonly Uid[] = await tx.uids(missing.length);
    await tx.write(missing.map((fields, at) => ({ kind: "create", uid: uids[at] ?? 0, type: typeName(name), fields })));
    return missing.length;
  });
  return result;
}

async function idsThere(tx: Transaction, { name, columns }: AccountTable, lines: readonly Line[]): Promise<ReadonlySet<unknown>> {
  const id = columns.get("id") ?? "";
  const where = { kind: "compare", field: id, op: "in", operands: lines.map((line) => String(line.id)) } as const;
  const found = await tx.find({ types: [typeName(name)], where, fields: [id] });
  return new Set(found.columns[0]);
}

function fieldsOf({ name, columns }: AccountTable, line: Line): FieldValues {
  return Object.fromEntries(
    Object.entries(line).map(([column, value]) => {
      const field = columns.get(column);
      if (field !== undefined && isStored(value)) return [field, value];
      throw new QuernError("CONFIG_INVALID", `The export has rows of ${name} with ${column}, which accountsPlugin does not keep.`);
    }),
  );
}

function isStored(value: unknown): value is Stored {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
