// Loads what an export with accounts has written, for users who have the names that they had there.

import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  type FieldValues,
  isObject,
  type KernelAccess,
  parseUid,
  QuernError,
  type Stored,
  type Transaction,
  type Uid,
} from "../../../core/plugin.ts";
import { typeName } from "../store/tables.ts";
import { type AccountTable, type ServedAccounts, servedAccounts } from "./account-tables.ts";
import { usersFile } from "./write-accounts.ts";

/** Of one transaction. */
const rowsAtOnce = 500;

type Line = Readonly<Record<string, unknown>>;

/**
 * Rows that are there already are left: a load that was cut is run again.
 *
 * @returns rows by file
 * @throws QuernError `CONFIG_INVALID` when a user of the export is another one here, or not here: then nothing is written
 */
export async function loadAccounts(kernel: KernelAccess, folder: string): Promise<Readonly<Record<string, number>>> {
  const served = servedAccounts(kernel);
  const files = await filesOf(folder, served);
  for await (const lines of batchesOf(join(folder, usersFile))) await assertSameUsers(kernel, served, lines);
  const counts: Record<string, number> = {};
  for (const { file, table } of files) {
    counts[file] = 0;
    for await (const lines of batchesOf(join(folder, file))) counts[file] += await writeRows(kernel, table, lines);
  }
  return counts;
}

async function filesOf(folder: string, { tables }: ServedAccounts): Promise<readonly { readonly file: string; readonly table: AccountTable }[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new QuernError("CONFIG_INVALID", `${folder} has no accounts. Export again with --accounts.`, { cause });
  });
  if (!names.includes(usersFile)) throw new QuernError("CONFIG_INVALID", `${folder} is not whole: ${usersFile} is missing. Copy the export again.`);
  return names
    .filter((name) => name.endsWith(".ndjson") && name !== usersFile)
    .sort()
    .map((file) => {
      const table = tables.get(file.slice(0, -".ndjson".length));
      if (table) return { file, table };
      throw new QuernError(
        "CONFIG_INVALID",
        `${join(folder, file)}: accountsPlugin keeps no such rows. Give it the plugin of better-auth that does.`,
      );
    });
}

async function* batchesOf(path: string): AsyncGenerator<readonly Line[]> {
  let batch: Line[] = [];
  for await (const text of createInterface({ input: createReadStream(path, "utf8") })) {
    batch.push(lineIn(text, path));
    if (batch.length < rowsAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The error of a parser would show what is in the line. */
function lineIn(text: string, path: string): Line {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { ...value };
  } catch {
    // The error below says what fits.
  }
  throw new QuernError("CONFIG_INVALID", `${path} has a line that is no JSON object. Copy the export again.`);
}

/** A session of one user must not become that of another who has the same ID here. */
async function assertSameUsers(kernel: KernelAccess, { account }: ServedAccounts, lines: readonly Line[]): Promise<void> {
  const emails = new Map(lines.map(({ id, email }) => [parseUid(String(id)) ?? 0, email]));
  const uids = [...emails.keys()].sort((a, b) => a - b);
  const snapshot = kernel.snapshot();
  try {
    const where = { kind: "uids", uids } as const;
    const { uids: found, columns } = await snapshot.find({ types: [account.type.stored], where, fields: [account.email.stored] });
    const here = new Map(found.map((uid, row) => [uid, columns[0]?.[row]]));
    const other = uids.find((uid) => here.get(uid) !== emails.get(uid));
    if (other !== undefined)
      throw new QuernError(
        "CONFIG_INVALID",
        `${emails.get(other)} does not have the ID here that it has in the export: load the export whole, without --new-uids.`,
      );
  } finally {
    snapshot.close();
  }
}

async function writeRows(kernel: KernelAccess, table: AccountTable, lines: readonly Line[]): Promise<number> {
  const rows = lines.map((line) => fieldsOf(table, line));
  const { result } = await kernel.transact(async (tx) => {
    const there = await idsThere(tx, table, lines);
    const missing = rows.filter((_, at) => !there.has(lines[at]?.id));
    const uids: readonly Uid[] = await tx.uids(missing.length);
    await tx.write(missing.map((fields, at) => ({ kind: "create", uid: uids[at] ?? 0, type: typeName(table.name), fields })));
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
