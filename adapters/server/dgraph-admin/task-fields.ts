// Fields about exports, backups, checks and their tasks. An export writes one snapshot while the server serves.

import { access } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Kernel, QuernError } from "../../../core/index.ts";
import type { Storage } from "../../../core/storage.ts";
import {
  type Backup,
  chooseBackup,
  codeOf,
  type ExportFormat,
  interruptedExports,
  makeBackup,
  makeFolder,
  readManifest,
  removeInterrupted,
  verifyBackups,
  writeExport,
} from "../../transfer/index.ts";
import type { Doer } from "../access/deeds.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import type { Task, TaskWork } from "../parts/task-queue.ts";
import { destinationFolder, exportName, isExportName } from "../tasks/destination.ts";
import { assertOutside, copiedBack, withCopies } from "../tasks/outside-copies.ts";
import { type RestoreOrder, restoreWork, whyNotRestored } from "../tasks/restore-work.ts";
import { type AdminArguments, type AdminFields, argumentAt, FailedWithData, failed } from "./field.ts";
import { styleOf } from "./schema-errors.ts";

/** Faults in the message of a check. */
const maxNamedFaults = 10;

const uint64 = /^(?:0x[0-9a-f]{1,16}|\d{1,20})$/i;

const restoreStatuses = { Queued: "IN_PROGRESS", Running: "IN_PROGRESS", Failed: "ERR", Success: "OK" } as const;

export const taskQueries: AdminFields = {
  task(args, { tasks }) {
    const id = argumentAt(args, "input", "id");
    if (id === "") throw failed("task ID is missing");
    if (typeof id !== "string" || !uint64.test(id)) throw failed(`invalid task ID: ${id}: strconv.ParseUint: parsing "${id}": invalid syntax`);
    const task = tasks.get(BigInt(id));
    if (task === undefined) throw failed("this server knows no such task: it was not asked for here, or before the last start");
    const { kind, status, lastUpdated, message, percent } = task;
    return { kind, status, lastUpdated: `${lastUpdated.toISOString().slice(0, 19)}Z`, message, percent };
  },

  restoreStatus(args, { tasks }) {
    const number = argumentAt(args, "restoreId");
    const task = typeof number === "number" ? tasks.numbered(number) : undefined;
    if (task?.kind !== "Restore") return { status: "UNKNOWN", errors: [] };
    return { status: restoreStatuses[task.status], errors: task.status === "Failed" ? [task.message ?? ""] : [] };
  },

  async listBackups(args) {
    const location = textAt(args, "location") ?? "";
    const folder = destinationFolder(location, location);
    if (!(await isThere(folder))) throw new FailedWithData(`Error: cannot read manifests at location ${location}: there is no such folder`, []);
    return (await readManifest(folder)).filter((backup) => isWithin(backup, args)).map((backup) => manifestOf(backup, args));
  },
};

export const taskMutations: AdminFields = {
  async export(args, server) {
    const format = formatIn(args);
    const namespaces = exportedNamespaces(args, server);
    const destination = textAt(args, "destination");
    if (destination && server.namespace.number !== 0) throw failed("only administrators of namespace 0 choose a folder of the server");
    const parent = destinationFolder(destination, server.exportsFolder);
    await makeFolder(parent).catch(refuseFolder("export", parent, server));
    const files = takesFiles(args, server);
    return queued(
      server.tasks.add("Export", async (control) => {
        const sentences: string[] = [];
        for (const namespace of namespaces) sentences.push(await exportOf(server, { namespace, namespaces, format, parent, files, control }));
        return sentences.filter((sentence) => sentence !== "").join("; ");
      }),
    );
  },

  async backup(args, server) {
    const destination = textAt(args, "destination");
    if (destination === undefined || destination === "") throw failed("you must specify a 'destination' value");
    const folder = destinationFolder(destination, destination);
    await makeFolder(folder).catch(refuseFolder("backup", folder, server));
    const full = argumentAt(args, "input", "forceFull") === true;
    const files = takesFiles(args, server);
    return queued(server.tasks.add("Backup", async (control) => await backupOfAll(server, { folder, full, files, control })));
  },

  checkStore(_args, server) {
    return queued(
      server.tasks.add("Check", async ({ signal, progress }) => {
        const report = await server.kernel.storage.verify({
          progress: ({ done, total }) => {
            signal.throwIfAborted();
            progress(done, total);
          },
        });
        const { nodes, links, entries } = report;
        const checked = `${counted(nodes, "node")}, ${counted(links, "link")}, ${counted(entries, "index entry", "index entries")}`;
        if (report.faultCount === 0) return `${checked}: no faults`;
        const named = report.faults.slice(0, maxNamedFaults).map(({ kind, message }) => `${kind}: ${message}`);
        throw failed(`${checked}: ${counted(report.faultCount, "fault")}. Repair them with quern check --repair. ${named.join("; ")}`);
      }),
    );
  },

  async restore(args, server, request) {
    try {
      const order = await restoreOrder(args);
      const reason = whyNotRestored(server.kernel.storage, order);
      if (reason !== undefined) throw failed(reason);
      const doer = await server.deeds.doerOf(request);
      const files = takesFiles(args, server);
      const { id, number } = server.tasks.add("Restore", async (control) => {
        const restored = await notedRestore(server, doer, () => restoreWork(server.kernel, order)(control));
        return files ? await copiedBack(server.kernel, order.folder, restored) : restored;
      });
      return { code: "Success", message: "Restore operation started.", restoreId: number, taskId: id };
    } catch (thrown) {
      throw thrown instanceof QuernError ? new FailedWithData(thrown.message, { code: "Failure" }) : thrown;
    }
  },
  restoreTenant: () => Promise.reject(failed("this server has one namespace; use restore")),
};

/** Refused before anything is done where no plugin keeps files. */
function takesFiles(args: AdminArguments, { kernel }: ServerParts): boolean {
  const isAsked = argumentAt(args, "input", "files") === true;
  if (isAsked) assertOutside(kernel);
  return isAsked;
}

/** A restore replaces the store with all that was noted in it before: it is noted again when it has ended. */
async function notedRestore(server: ServerParts, doer: Doer, work: () => Promise<string>): Promise<string> {
  try {
    const result = await work();
    await server.deeds.tell(doer, { action: "restore", what: "restored a backup in the place of all data", outcome: "done" });
    return result;
  } catch (thrown) {
    await server.deeds.tell(doer, { action: "restore", what: "tried to restore a backup", outcome: "failed" });
    throw thrown;
  }
}

/** Only a backup whose files are all there and unchanged is restored. */
async function restoreOrder(args: AdminArguments): Promise<RestoreOrder> {
  const location = textAt(args, "location") ?? "";
  const folder = destinationFolder(location, location);
  if (!(await isThere(folder))) throw failed(`failed to verify backup: there is no folder ${location}`);
  if (argumentAt(args, "input", "isPartial") === true || Number(argumentAt(args, "input", "incrementalFrom") ?? 0) > 0)
    throw failed("each backup is restored by itself and as a whole: leave out isPartial and incrementalFrom, and name it by backupNum");
  const backupNum = argumentAt(args, "input", "backupNum");
  const asked = { backupId: textAt(args, "backupId"), backupNum: typeof backupNum === "number" ? backupNum : undefined };
  const backup = await chosen(folder, asked);
  const [fault] = await verifyBackups(folder, [backup]);
  if (fault !== undefined) throw failed(`failed to verify backup: ${fault.file} ${fault.message}`);
  return { folder, backup };
}

async function chosen(folder: string, asked: Parameters<typeof chooseBackup>[1]): Promise<Backup> {
  const backups = await readManifest(folder);
  try {
    return chooseBackup(backups, asked);
  } catch (thrown) {
    throw thrown instanceof QuernError ? failed(`failed to verify backup: ${thrown.message}`) : thrown;
  }
}

const formats: ReadonlyMap<string, ExportFormat> = new Map([
  ["", "rdf"],
  ["rdf", "rdf"],
  ["json", "json"],
  ["ndjson", "ndjson"],
]);

/** Without a format: RDF. */
function formatIn(args: AdminArguments): ExportFormat {
  const given = textAt(args, "format") ?? "";
  const format = formats.get(given.toLowerCase());
  if (format === undefined) throw failed(`invalid export format: ${given}`);
  return format;
}

function textAt(args: AdminArguments, name: string): string | undefined {
  const value = argumentAt(args, "input", name);
  return typeof value === "string" ? value : undefined;
}

/** -1 stands for all. Nobody but administrators of namespace 0 exports another one. */
function exportedNamespaces(args: AdminArguments, { namespace: { number, all } }: ServerParts): readonly number[] {
  const asked = argumentAt(args, "input", "namespace") ?? number;
  if (number !== 0 && asked !== number && asked !== -1) throw failed(`not allowed to export namespace 0x${Number(asked).toString(16)}`);
  if (asked === -1) return number === 0 ? all() : [number];
  return [Number(asked)];
}

interface ExportOrder {
  readonly namespace: number;
  /** All that are exported. */
  readonly namespaces: readonly number[];
  readonly format: ExportFormat;
  readonly parent: string;
  /** Files of `@file` too. */
  readonly files: boolean;
  readonly control: Parameters<TaskWork>[0];
}

/** Exports one namespace. @returns a sentence about it; empty for one of several that holds nothing */
async function exportOf(server: ServerParts, order: ExportOrder): Promise<string> {
  const { number, all, within } = server.namespace;
  const { namespace } = order;
  if (namespace === number || !all().includes(namespace)) return await writtenExport(server, server.kernel, order);
  return await within(namespace, (kernel) => writtenExport(server, kernel, { ...order, parent: join(order.parent, namespaceName(namespace)) }));
}

async function writtenExport(
  { namespace: { number, all }, kernel: { log } }: ServerParts,
  kernel: Kernel,
  { namespace, namespaces, format, parent, files, control: { signal, progress } }: ExportOrder,
): Promise<string> {
  const { storage, deployment } = kernel;
  if (deployment === undefined && namespaces.length > 1) return "";
  if (deployment === undefined) throw new QuernError("NO_SCHEMA", "There is nothing to export: no schema is deployed.");
  await makeFolder(parent);
  const folder = (await interruptedFolder(parent, { storage, format })) ?? (await freeFolder(parent, storage));
  const write = async () => {
    const { nodes } = await writeExport({
      storage,
      deployment,
      folder,
      format,
      namespace,
      gzip: true,
      signal,
      ...(all().includes(namespace) ? {} : { types: [] }),
      notice: (sentence) => log.info("task", sentence),
      progress: (step) => progress(step.nodes, step.total),
    });
    const count = Object.values(nodes).reduce((sum, each) => sum + each, 0);
    return `${counted(count, "node is", "nodes are")} in ${number === 0 ? folder : basename(folder)}`;
  };
  return files ? await withCopies(kernel, { folder, draft: `${folder}.outside`, signal }, write) : await write();
}

function namespaceName(namespace: number): string {
  return `namespace-${namespace}`;
}

interface BackupOrder {
  readonly folder: string;
  readonly full: boolean;
  /** Files of `@file` too. */
  readonly files: boolean;
  readonly control: Parameters<TaskWork>[0];
}

/** Which namespaces there are comes first: each of them is in the backup then. */
async function backupOfAll(server: ServerParts, { folder, full, files, control: { signal, progress } }: BackupOrder): Promise<string> {
  const { number, all, within, registry } = server.namespace;
  const others = all().filter((each) => each !== number);
  const step = ({ done, total }: { readonly done: number; readonly total: number }) => progress(done, total);
  const backUp = async ({ storage, deployment }: Pick<Kernel, "storage" | "deployment">, to: string) => {
    await makeFolder(to);
    const { backupId, backupNum, type } = await makeBackup({ storage, deployment, folder: to, full, signal, progress: step });
    return `${type} backup ${backupNum} of ${backupId} is in ${to}`;
  };
  const whole = async (kernel: Kernel, to: string) =>
    files ? await withCopies(kernel, { folder: to, signal }, () => backUp(kernel, to)) : await backUp(kernel, to);
  if (registry?.pinFiles !== undefined) await backUp({ storage: registry, deployment: undefined }, join(folder, "registry"));
  const done = await whole(server.kernel, folder);
  for (const each of others) await within(each, (kernel) => whole(kernel, join(folder, namespaceName(each))));
  return others.length === 0 ? done : `${done}, with ${counted(others.length, "other namespace")}`;
}

/** The folder of an export that a stopped server has left and that can go on; undefined: none. What cannot go on is removed. */
async function interruptedFolder(
  parent: string,
  { storage, format }: { readonly storage: Storage; readonly format: ExportFormat },
): Promise<string | undefined> {
  let found: string | undefined;
  for (const { folder, facts } of await interruptedExports(parent)) {
    if (!isExportName(basename(folder))) continue;
    if (found === undefined && facts.commit === storage.latest() && facts.format === format) found = folder;
    else await removeInterrupted(folder);
  }
  return found;
}

/** A name that no export in `parent` has. */
async function freeFolder(parent: string, storage: Storage): Promise<string> {
  const { commit = 0 } = await storage.statistics();
  for (let number = commit; ; number++) {
    const folder = join(parent, exportName(number, new Date()));
    if (!(await isThere(folder))) return folder;
  }
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

function refuseFolder(field: string, folder: string, server: ServerParts) {
  return (cause: unknown) => {
    const reason = `folder ${folder} cannot be made (${codeOf(cause) || "unknown reason"})`;
    // An error with a path is shown as it is.
    if (styleOf(server) === "plain") throw new QuernError("OPERATION_FAILED", `The ${reason}.`, { path: [field] });
    throw failed(`task failed: the ${reason}`);
  };
}

function queued({ id, kind }: Task) {
  return { response: { code: "Success", message: `${kind} queued with ID ${id}` }, taskId: id };
}

function isWithin({ at }: Backup, args: AdminArguments): boolean {
  const time = Date.parse(at);
  const [since, until] = [textAt(args, "sinceDate"), textAt(args, "untilDate")].map((text) => (text === undefined ? undefined : Date.parse(text)));
  const days = argumentAt(args, "input", "lastNDays");
  const from = typeof days === "number" && days > 0 ? Date.now() - days * 86_400_000 : (since ?? Number.NEGATIVE_INFINITY);
  return time >= from && time <= (until ?? Number.POSITIVE_INFINITY);
}

function manifestOf({ backupId, backupNum, type, commit, path, predicates }: Backup, args: AdminArguments) {
  const full = argumentAt(args, "input", "fullManifest") === true;
  const since = /^\d+$/.test(commit) ? Number(commit) : undefined;
  return {
    backupId,
    backupNum,
    type,
    encrypted: null,
    path,
    since,
    groups: [{ groupId: 1, predicates: full ? predicates.map((name) => `0-${name}`) : [] }],
  };
}

/** `1 node`, `3001 nodes` */
function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
