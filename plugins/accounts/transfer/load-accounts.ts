// Loads what an export with accounts has written, for users who have the names that they had there.

import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isObject, type KernelAccess, QuernError } from "../../../core/plugin.ts";
import { profileTable } from "../store/tables.ts";
import { absentUsers, writeRows } from "./account-rows.ts";
import { usersFile } from "./write-accounts.ts";

/** A row, by column. */
export type AccountLine = Readonly<Record<string, unknown>>;

/** Where accounts are loaded: a kernel of this process, or a running server. */
export interface AccountsDestination {
  /**
   * The IDs of the users who are not here.
   *
   * @throws QuernError `CONFIG_INVALID` when one is another user here
   */
  absent(users: readonly AccountLine[]): Promise<readonly string[]>;
  /**
   * Writes the rows that are not there yet. Without rows it tells whether the table is known.
   *
   * @returns how many it has written
   * @throws QuernError `CONFIG_INVALID` when nothing keeps such rows
   */
  write(table: string, rows: readonly AccountLine[]): Promise<number>;
}

/** Of one transaction. */
const rowsAtOnce = 500;

/**
 * Rows that are there already are left: a load that was cut is run again.
 *
 * @returns rows by file
 * @throws QuernError `CONFIG_INVALID` when a user of the export is another one here, or none is here: then nothing is written
 */
export async function loadAccounts(kernel: KernelAccess, folder: string): Promise<Readonly<Record<string, number>>> {
  return await loadAccountsInto(destinationIn(kernel), folder);
}

export function destinationIn(kernel: KernelAccess): AccountsDestination {
  return { absent: (users) => absentUsers(kernel, users), write: (table, rows) => writeRows(kernel, table, rows) };
}

/** As `loadAccounts`. Users whom a server has gained or lost while it was exported are left out. */
export async function loadAccountsInto(destination: AccountsDestination, folder: string): Promise<Readonly<Record<string, number>>> {
  const tables = await tablesIn(folder);
  for (const table of tables) await destination.write(table, []);
  const absent = await absentOf(destination, join(folder, usersFile));
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const file = `${table}.ndjson`;
    counts[file] = 0;
    for await (const lines of batchesOf(join(folder, file))) {
      const own = lines.filter((line) => !absent.has(String(table === profileTable ? line.id : line.userId)));
      if (own.length > 0) counts[file] += await destination.write(table, own);
    }
  }
  return counts;
}

async function absentOf(destination: AccountsDestination, path: string): Promise<ReadonlySet<string>> {
  const absent = new Set<string>();
  let users = 0;
  for await (const lines of batchesOf(path)) {
    users += lines.length;
    for (const id of await destination.absent(lines)) absent.add(id);
  }
  if (users === 0 || absent.size < users) return absent;
  throw new QuernError("CONFIG_INVALID", "No user of the export is here: load it whole, without --new-uids.");
}

/** Names of tables. */
async function tablesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new QuernError("CONFIG_INVALID", `${folder} has no accounts. Export again with --accounts.`, { cause });
  });
  if (!names.includes(usersFile)) throw new QuernError("CONFIG_INVALID", `${folder} is not whole: ${usersFile} is missing. Copy the export again.`);
  return names
    .filter((name) => name.endsWith(".ndjson") && name !== usersFile)
    .sort()
    .map((name) => name.slice(0, -".ndjson".length));
}

async function* batchesOf(path: string): AsyncGenerator<readonly AccountLine[]> {
  let batch: AccountLine[] = [];
  for await (const text of createInterface({ input: createReadStream(path, "utf8") })) {
    batch.push(accountLine(text, path));
    if (batch.length < rowsAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The error of a parser would show what is in the line. @param place of the line, for messages */
export function accountLine(text: string, place: string): AccountLine {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { ...value };
  } catch {
    // The error below says what fits.
  }
  throw new QuernError("CONFIG_INVALID", `${place} has a line that is no JSON object. Copy the export again.`);
}
