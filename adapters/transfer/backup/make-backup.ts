// Makes a backup of an open store: the files of one state, or where the store keeps none, an export.

import { randomBytes } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Deployment } from "../../../core/index.ts";
import { type PinnedFile, type PinnedFiles, QuernError, type Storage } from "../../../core/storage.ts";
import { makeFolder, syncFolder } from "../../storage-kit/index.ts";
import { writeExport } from "../export/write-export.ts";
import { writeFailure } from "../files/write-failure.ts";
import { copyFile } from "./copy-file.ts";
import { type Backup, type BackupFile, readManifest, writeManifest } from "./manifest.ts";

/** What is backed up, and where to. */
export interface BackupRequest {
  /** Open. */
  readonly storage: Storage;
  readonly deployment: Deployment | undefined;
  /** The folder of the backups. It is made. */
  readonly folder: string;
  /** True: copies every file, and begins a new series. */
  readonly full: boolean;
  readonly progress?: (step: { readonly done: number; readonly total: number }) => void;
  readonly signal?: AbortSignal;
}

/** Folders in which this process makes a backup. */
const busy = new Set<string>();

/** Adds a backup to the folder. Only a complete one is listed. */
export async function makeBackup(request: BackupRequest): Promise<Backup> {
  const { folder } = request;
  if (busy.has(folder)) throw new QuernError("CONFIG_INVALID", `Another backup to ${folder} is running.`);
  busy.add(folder);
  try {
    await makeFolder(folder);
    const before = await readManifest(folder);
    await removeUnlisted(folder, before);
    const backup = await copyState(request, before);
    await writeManifest(folder, [...before, backup]);
    return backup;
  } catch (cause) {
    throw writeFailure(`The backup ${folder}`, cause);
  } finally {
    busy.delete(folder);
  }
}

const ownFolder = /^\.?backup-\d{8}-\d{6}-[0-9a-f]{6}(?:\.partial){0,2}$/;

/** What killed backups left. */
async function removeUnlisted(folder: string, backups: readonly Backup[]): Promise<void> {
  const listed = new Set(backups.map(({ path }) => path));
  for (const name of await readdir(folder)) {
    if (ownFolder.test(name) && !listed.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function copyState(request: BackupRequest, before: readonly Backup[]): Promise<Backup> {
  const { folder, deployment } = request;
  const at = new Date();
  const path = `backup-${at
    .toISOString()
    .replace(/\D/g, "")
    .slice(0, 14)
    .replace(/^(\d{8})/, "$1-")}-${randomBytes(3).toString("hex")}`;
  const draft = join(folder, `${path}.partial`);
  try {
    const pin = request.storage.pinFiles?.bind(request.storage);
    const state = pin === undefined ? await exported(request, draft, path) : await copied(request, draft, { pin, path, before });
    await rename(draft, join(folder, path));
    await syncFolder(folder);
    const predicates =
      deployment === undefined
        ? []
        : [...deployment.layout.fields, ...deployment.layout.edges.flatMap(({ sides }) => sides.flatMap(({ ends }) => ends))].map(({ name }) => name);
    return { ...state, path, at: at.toISOString(), predicates: [...new Set(predicates)].filter((name) => !name.startsWith("~")).sort() };
  } catch (reason) {
    await rm(draft, { recursive: true, force: true });
    throw reason;
  }
}

type State = Pick<Backup, "backupId" | "backupNum" | "type" | "commit" | "content" | "files">;

interface CopyPlace {
  readonly pin: () => Promise<PinnedFiles>;
  readonly path: string;
  readonly before: readonly Backup[];
}

/** Files that never change, and that an earlier backup of the series has, are not copied again. */
async function copied({ full, progress, signal }: BackupRequest, draft: string, { pin, path, before }: CopyPlace): Promise<State> {
  const last = before.at(-1);
  const base = full || last?.content !== "files" ? undefined : last;
  const known = new Map((base?.files ?? []).flatMap((file) => (file.sealed === undefined ? [] : [[file.sealed, file] as const])));
  await makeFolder(draft);
  const pinned = await pin();
  try {
    const files: BackupFile[] = [];
    const total = pinned.files.reduce((sum, { bytes }) => sum + bytes, 0);
    let done = 0;
    for (const file of pinned.files) {
      files.push((file.sealed === undefined ? undefined : known.get(file.sealed)) ?? (await copyOne(file, { draft, path, signal })));
      done += file.bytes;
      progress?.({ done, total });
    }
    await syncFolder(draft);
    return { ...seriesOf(base), commit: pinned.commit, content: "files", files };
  } finally {
    await pinned.release();
  }
}

async function copyOne(
  { name, path: from, bytes, sealed }: PinnedFile,
  { draft, path, signal }: { readonly draft: string; readonly path: string; readonly signal: AbortSignal | undefined },
): Promise<BackupFile> {
  const result = await copyFile(from, join(draft, name), { bytes, signal });
  return { name, path, ...result, ...(sealed !== undefined && { sealed }) };
}

function seriesOf(base: Backup | undefined): Pick<Backup, "backupId" | "backupNum" | "type"> {
  if (base === undefined) return { backupId: `quern_${randomBytes(6).toString("hex")}`, backupNum: 1, type: "full" };
  return { backupId: base.backupId, backupNum: base.backupNum + 1, type: "incremental" };
}

/** A database elsewhere: one snapshot of it. */
async function exported({ storage, deployment, progress, signal }: BackupRequest, draft: string, path: string): Promise<State> {
  if (deployment === undefined) throw new QuernError("NO_SCHEMA", "There is nothing to back up: no schema is deployed.");
  const { commit, files: names } = await writeExport({
    storage,
    deployment,
    folder: draft,
    format: "ndjson",
    gzip: true,
    ...(progress && { progress: ({ nodes, total }) => progress({ done: nodes, total }) }),
    ...(signal && { signal }),
  });
  const files: BackupFile[] = [];
  for (const name of [...names, "export.json"]) files.push({ name, path, ...(await copyFile(join(draft, name), undefined)) });
  return { ...seriesOf(undefined), commit, content: "export", files };
}
