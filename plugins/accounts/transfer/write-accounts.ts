// Sessions, hashes of passwords and factors of all users, as files: what a store that takes the place of another needs beside the objects.

import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { type FieldName, formatUid, type KernelAccess, QuernError, type Snapshot, type TypeName } from "../../../core/plugin.ts";
import { servedAccounts } from "./account-tables.ts";

/** Names and e-mails: by them a loading store is known to have the same users. */
export const usersFile = "users.ndjson";

/** Beside an export. */
export const accountsFolder = "accounts";

/** Of one read. */
const rowsAtOnce = 500;

/**
 * Writes a file for each table to a new folder, which its owner alone may read.
 *
 * @returns rows by file
 */
export async function writeAccounts(kernel: KernelAccess, folder: string): Promise<Readonly<Record<string, number>>> {
  const { account, tables } = servedAccounts(kernel);
  await mkdir(folder, { mode: 0o700 }).catch((cause: unknown) => {
    throw new QuernError("CONFIG_INVALID", `${folder} cannot be made: name a new folder for the export.`, { cause });
  });
  const snapshot = kernel.snapshot();
  try {
    const users = { type: account.type.stored, columns: new Map([["email", account.email.stored]]) };
    const counts: Record<string, number> = { [usersFile]: await writeRows(snapshot, { ...users, path: join(folder, usersFile) }) };
    for (const { name, columns } of tables.values()) {
      const path = join(folder, `${name}.ndjson`);
      counts[`${name}.ndjson`] = await writeRows(snapshot, { type: `accounts.${name}`, columns, path });
    }
    return counts;
  } finally {
    snapshot.close();
  }
}

interface Rows {
  readonly type: TypeName;
  readonly columns: ReadonlyMap<string, FieldName>;
  readonly path: string;
}

async function writeRows(snapshot: Snapshot, { type, columns, path }: Rows): Promise<number> {
  const file = await open(path, "wx", 0o600);
  try {
    return await writePages(snapshot, { type, columns, file });
  } finally {
    await file.close();
  }
}

async function writePages(snapshot: Snapshot, { type, columns, file }: Omit<Rows, "path"> & { readonly file: FileHandle }): Promise<number> {
  const names = [...columns.keys()];
  for (let after = 0, count = 0; ; ) {
    const where = { kind: "after", uid: after } as const;
    const page = await snapshot.find({ types: [type], where, page: { first: rowsAtOnce }, fields: [...columns.values()] });
    const lines = page.uids.map((uid, row) => {
      const values = names.map((name, column) => [name, page.columns[column]?.[row]] as const);
      // Rows have an ID of their own.
      return `${JSON.stringify({ id: formatUid(uid), ...Object.fromEntries(values) })}\n`;
    });
    await file.write(lines.join(""));
    count += lines.length;
    const last = page.uids.at(-1);
    if (last === undefined || lines.length < rowsAtOnce) return count;
    after = last;
  }
}
