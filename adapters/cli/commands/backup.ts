// quern backup and quern restore: copies of a store that a server can start from.

import { randomBytes } from "node:crypto";
import { access } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { QuernError } from "../../../core/index.ts";
import { type Backup, chooseBackup, makeBackup, readManifest, removeScratch, restoreBackup, verifyBackups } from "../../transfer/index.ts";
import type { TokenOptions } from "../client/admin-token.ts";
import { loggedInAt } from "../client/guardian.ts";
import { runServerTask } from "../client/server-task.ts";
import { counted } from "../ground/counted.ts";
import { createProgress } from "../ground/progress.ts";
import { copyIn, copyOut } from "../stack/outside-data.ts";
import { namedStack, type StackChoice, withKernel } from "../stack/stack.ts";
import { importOwn } from "./import-export.ts";

export interface BackupOptions extends StackChoice, TokenOptions {
  readonly url?: string;
  readonly full?: boolean;
  /** Files of `@file` too. */
  readonly files?: boolean;
}

const usage = "Name the store: --data <dir> for a LevelDB store, --config <file> for a configured storage, or --url <url> for a running server.";

export async function backup(folder: string, options: BackupOptions): Promise<void> {
  const { url, full = false, files } = options;
  if (url !== undefined) {
    const input = { destination: resolve(folder), forceFull: full, ...(files && { files }) };
    const message = await runServerTask(await loggedInAt({ ...options, url }), { field: "backup", inputType: "BackupInput", input });
    console.log(`${message} (on the machine of the server)`);
    return;
  }
  const stack = await namedStack(options, usage);
  const made = await withKernel(stack, async (kernel) => {
    const { storage, deployment } = kernel;
    // Before, so that none is missing that goes meanwhile; and after, for those that come.
    if (files) await copyOut(stack, kernel, resolve(folder));
    const backed = await withBar("backup", (progress) => makeBackup({ storage, deployment, folder: resolve(folder), full, progress }));
    if (files) await copyOut(stack, kernel, resolve(folder));
    return backed;
  });
  console.log(`${backupText(made)} in ${folder}`);
}

export interface ChosenBackup {
  readonly id?: string;
  readonly number?: number;
}

export async function listBackups(folder: string): Promise<void> {
  for (const each of await backupsIn(folder)) console.log(backupText(each));
}

/** Exit code 0 only if all files are whole. */
export async function verifyBackup(folder: string, { id, number }: ChosenBackup): Promise<void> {
  const backups = await backupsIn(folder);
  const chosen = id === undefined && number === undefined ? backups : [chooseBackup(backups, { backupId: id, backupNum: number })];
  const faults = await withBar("verify", (progress) => verifyBackups(folder, chosen, { progress }));
  for (const { file, message } of faults) console.log(`${file} ${message}`);
  if (faults.length > 0) process.exitCode = 1;
  console.log(
    faults.length === 0 ? `${counted(chosen.length, "backup")} in ${folder}: no faults.` : `${counted(faults.length, "fault")} in ${folder}.`,
  );
}

export interface RestoreOptions extends StackChoice, ChosenBackup, TokenOptions {
  readonly url?: string;
  readonly files?: boolean;
}

/** Restores to a new folder, while what is served elsewhere goes on, or into a running server. */
export async function restore(folder: string, { id, number, url, files, ...choice }: RestoreOptions): Promise<void> {
  if (url !== undefined) return await restoreIntoServer(folder, { ...choice, url, id, number, files });
  const chosen = chooseBackup(await backupsIn(folder), { backupId: id, backupNum: number });
  if (chosen.content === "export") return await restoreExport(folder, chosen, { ...choice, ...(files && { filesFrom: resolve(folder) }) });
  const { data } = choice;
  if (data === undefined)
    throw new QuernError("CONFIG_INVALID", "Name a new folder for the store with --data <dir>, or a running server with --url <url>.");
  await withBar("restore", (progress) => restoreBackup({ folder, backup: chosen, target: resolve(data), progress }));
  if (files) await copyBack(resolve(folder), choice);
  console.log(`${backupText(chosen)} is restored to ${data}. Start a server there with: quern start --data ${data}`);
}

async function copyBack(folder: string, choice: StackChoice): Promise<void> {
  const stack = await namedStack(choice);
  await withKernel(stack, (kernel) => copyIn(stack, kernel, folder));
}

interface ServerRestore extends TokenOptions {
  readonly url: string;
  readonly id: string | undefined;
  readonly number: number | undefined;
  readonly files: boolean | undefined;
}

/** The server reads a folder of its own machine, verifies the backup, and keeps the data of before. */
async function restoreIntoServer(folder: string, { id, number, files, ...choice }: ServerRestore): Promise<void> {
  const input = { location: resolve(folder), backupId: id ?? "", backupNum: number ?? 0, ...(files && { files }) };
  const message = await runServerTask(await loggedInAt(choice), { field: "restore", inputType: "RestoreInput", input });
  console.log(`${message} (on the machine of the server)`);
}

/** An export is loaded into an empty store. */
async function restoreExport(folder: string, chosen: Backup, choice: StackChoice & { readonly filesFrom?: string }): Promise<void> {
  const copy = join(tmpdir(), `quern-restore-${randomBytes(6).toString("hex")}`);
  try {
    await withBar("restore", (progress) => restoreBackup({ folder, backup: chosen, target: copy, progress }));
    await importOwn(copy, { ...choice, namespace: 0, onError: "stop" });
  } finally {
    await removeScratch(copy);
  }
}

async function backupsIn(folder: string): Promise<readonly Backup[]> {
  await access(folder).catch((cause: unknown) => {
    throw new QuernError("CONFIG_INVALID", `The folder ${folder} does not exist; name the folder of the backups.`, { cause });
  });
  const backups = await readManifest(folder);
  if (backups.length === 0)
    throw new QuernError("CONFIG_INVALID", `The folder ${folder} holds no backup; make one with: quern backup ${folder} --data <dir>`);
  return backups;
}

type Step = (step: { readonly done: number; readonly total: number }) => void;

async function withBar<T>(label: string, work: (progress: Step) => Promise<T>): Promise<T> {
  const bar = createProgress(label);
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
  return await work(({ done, total }) => bar.update(done, total, `${megabytes(done)} of ${megabytes(total)}`)).finally(() => bar.stop());
}

function backupText({ backupId, backupNum, type, at, commit, files, path }: Backup): string {
  const own = files.filter((file) => file.path === path).reduce((sum, { bytes }) => sum + bytes, 0);
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return `${backupId} number ${backupNum}, ${type}, ${at}, commit ${commit.replace(/^0+(?=\d)/, "")}: ${megabytesOf(own)} of ${megabytesOf(all)}`;
}

function megabytesOf(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
