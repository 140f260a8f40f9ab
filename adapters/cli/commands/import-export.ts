// quern import of a whole export, one of Dgraph or one of our own: keeps its uids, and reports what does not fit.

import { createHash, randomBytes } from "node:crypto";
import { appendFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Kernel, type PreparedDeployment, parseJson, QuernError, writeJson } from "../../../core/index.ts";
import { isObject } from "../../../core/plugin.ts";
import type { QuernConfig } from "../../server/index.ts";
import {
  type Analysis,
  analyseExport,
  type ExportSource,
  findingsTable,
  type ImportDestination,
  importExport,
  kernelDestination,
  makeScratch,
  megabytes,
  missingPredicates,
  openDgraphExport,
  openOwnExport,
  remoteImportStore,
  removeScratch,
  removeUnfinishedScratch,
  schemaIn,
  scratchBytes,
  type UpdateCounts,
} from "../../transfer/index.ts";
import type { TokenOptions } from "../client/admin-token.ts";
import { compareImport } from "../client/compare-import.ts";
import { deployTo } from "../client/deploy-answer.ts";
import { loggedInAt } from "../client/guardian.ts";
import { sendFiles } from "../client/send-files.ts";
import { serverAccounts } from "../client/server-accounts.ts";
import { postText, type ServerAddress } from "../client/server-url.ts";
import { counted } from "../ground/counted.ts";
import { type SchemaText, withSource } from "../ground/failure.ts";
import { type Steps, showSteps } from "../ground/progress.ts";
import { readSchema } from "../ground/read-file.ts";
import { loadAccountsFrom, loadAccountsOf } from "../stack/account-data.ts";
import { copyIn, reportCopy } from "../stack/outside-data.ts";
import { chosenStack, preparedSchema, type StackChoice, withKernel } from "../stack/stack.ts";

export interface ExportImportOptions extends StackChoice, TokenOptions {
  /** A running server instead of a store. */
  readonly url?: string;
  /** Path of a schema file that replaces the one of the export. */
  readonly schema?: string;
  readonly namespace: number;
  readonly encryptionKeyFile?: string;
  readonly dryRun?: boolean;
  /** Path of the report. */
  readonly report?: string;
  readonly onError: "skip" | "stop";
  readonly newUids?: boolean;
  /** The store holds an earlier export. */
  readonly update?: boolean;
  /** Absolute path of a folder whose files of `@file` are copied too. */
  readonly filesFrom?: string;
  /** Absolute path of a folder whose accounts are loaded too. */
  readonly accountsFrom?: string;
  /** A running server whose answers the import must give. */
  readonly verify?: string;
  /** Headers of the questions, with names in lower case. */
  readonly verifyHeader?: Readonly<Record<string, string>>;
  /** Path of the scratch folder. */
  readonly scratch?: string;
}

/** Loads an export of Dgraph. */
export async function importDgraph(folder: string, options: ExportImportOptions): Promise<void> {
  await importSource(await openDgraphExport(folder, options.encryptionKeyFile), options);
}

/** Loads an export of our own. @param files copies the files of `@file` that lie in it too */
export async function importOwn(
  folder: string,
  { files, ...options }: ExportImportOptions & { readonly files?: boolean | undefined },
): Promise<void> {
  const source = await openOwnExport(folder);
  // A server writes its export into a folder in the one that it was told.
  await importSource(source, { ...options, ...(files && { filesFrom: resolve(source.folder) }) });
}

async function importSource(source: ExportSource, options: ExportImportOptions): Promise<void> {
  if (options.report !== undefined) await checkWritable(options.report);
  checkWhole(source, options);
  const schema = await schemaOf(source, options);
  const prepared = await withSource(schema, () => preparedSchema(schema.text, options));
  const steps = showSteps();
  await (options.dryRun ? rehearse(source, prepared, options) : load(source, { schema, prepared, options, steps })).finally(steps.stop);
}

async function schemaOf(source: ExportSource, { schema, namespace }: ExportImportOptions): Promise<SchemaText> {
  if (schema !== undefined) return await readSchema(schema);
  const text = await schemaIn(source, namespace);
  if (text !== undefined) return { name: `GraphQL schema of ${source.folder}`, text };
  const others = [...source.schemas.keys()].map((each) => `0x${each.toString(16)}`);
  throw new QuernError(
    "CONFIG_INVALID",
    others.length > 0
      ? `${source.folder} has no GraphQL schema for namespace 0x${namespace.toString(16)}, but for ${others.join(", ")}; choose one with --namespace.`
      : `${source.folder} has no GraphQL schema.`,
    { hint: `Name one with --schema <file>; to propose one from the storage schema, run: quern schema --from-dgraph ${source.folder}` },
  );
}

/** Types name predicates of every group. */
function checkWhole(source: ExportSource, { namespace, onError }: ExportImportOptions): void {
  const missing = missingPredicates(source.storageSchema, namespace);
  if (missing.length === 0 || onError === "skip") return;
  const named = missing.slice(0, 5).join(", ");
  throw new QuernError(
    "CONFIG_INVALID",
    `${source.folder} is not whole: its types have ${missing.length === 1 ? "a predicate" : `${missing.length} predicates`} that no storage schema describes (${named}).`,
    { hint: "The files of a group are missing: copy the export again. To load what is there, use --on-error skip." },
  );
}

/** The report is written at the end, but a path that cannot be written is refused at the beginning. */
async function checkWritable(path: string): Promise<void> {
  await appendFile(path, "").catch((cause: unknown) => {
    throw new QuernError("CONFIG_INVALID", `The report ${path} cannot be written; name a file in a folder that exists, with --report.`, { cause });
  });
}

async function rehearse(source: ExportSource, prepared: PreparedDeployment, options: ExportImportOptions): Promise<void> {
  const folder = join(options.scratch ?? tmpdir(), `quern-import-${randomBytes(4).toString("hex")}`);
  const steps = showSteps();
  try {
    await prepareScratch(source, folder);
    const progress = (what: string, done: number, total: number) => steps.progress({ what, done, total });
    const { analysis } = await analyseExport({ source, schema: prepared, namespace: options.namespace, folder, progress }).finally(steps.stop);
    await report(analysis, options);
    console.log(`${summary(analysis)} would be loaded. Nothing was written.`);
  } finally {
    await removeScratch(folder);
  }
}

interface Loading {
  readonly schema: SchemaText;
  readonly prepared: PreparedDeployment;
  readonly options: ExportImportOptions;
  /** Shows what is done, one step after the other. */
  readonly steps: Steps;
}

async function load(source: ExportSource, loading: Loading): Promise<void> {
  const { url, data, config } = loading.options;
  if (url !== undefined) return await loadIntoServer(source, { ...loading, url });
  if (data === undefined && config === undefined) {
    throw new QuernError(
      "CONFIG_INVALID",
      "Name the target: --data <dir> for a LevelDB store, --config <file> for a configured storage, or --url <url> for a running server.",
    );
  }
  const { schema, options, steps } = loading;
  const stack = await chosenStack(options);
  const work = async (kernel: Kernel): Promise<void> => {
    const { progress } = steps;
    const destination = kernelDestination(kernel, (text, how) => withSource(schema, () => kernel.deploy(text, { ...how, progress })));
    const analysis = await loadInto(destination, source, { ...loading, folder: scratchBeside(stack, source, options) });
    if (options.filesFrom !== undefined) await copyIn(stack, kernel, options.filesFrom);
    if (options.accountsFrom !== undefined) await loadAccountsFrom(options.accountsFrom, kernel);
    kernel.log.info("import", `${summary(analysis)} imported`, { nodes: analysis.nodeCount, links: analysis.links, faults: analysis.faults });
    if (options.verify !== undefined) await compareImport(kernel, { url: options.verify, headers: options.verifyHeader ?? {} }, analysis.highestUid);
  };
  await withKernel(unlimited(stack), work, { deferIndexes: true });
}

/** This process understands the export, and the server writes it. */
async function loadIntoServer(source: ExportSource, loading: Loading & { readonly url: string }): Promise<void> {
  const { options, schema, prepared, url, steps } = loading;
  if (options.verify !== undefined || options.update) {
    throw new QuernError(
      "CONFIG_INVALID",
      `${options.update ? "--update" : "--verify"} needs --data or --config: stop the server, and start it again afterwards.`,
    );
  }
  const server = await loggedInAt({ ...options, url });
  const deploy = async (): Promise<void> => {
    await deployTo(server, schema, steps.progress);
    deployment = prepared;
  };
  // The server answers by the schema that it has: the deploy of an equal one changes nothing.
  let deployment: PreparedDeployment | undefined;
  const destination: ImportDestination = {
    get deployment() {
      return deployment;
    },
    deploy,
    store: () => remoteImportStore((call) => sendImportCall(server, call)),
    // The server keeps its indexes up to date, because it serves.
    finish: async () => undefined,
  };
  await loadInto(destination, source, { ...loading, folder: namedScratch(options.scratch ?? tmpdir(), source, url) });
  if (options.filesFrom !== undefined) reportCopy("files", await sendFiles(server, join(options.filesFrom, "files")));
  if (options.accountsFrom !== undefined) await loadAccountsOf(options.accountsFrom, serverAccounts(server));
}

async function sendImportCall(server: ServerAddress, call: Readonly<Record<string, unknown>>): Promise<unknown> {
  const answer = parseJson(await postText(server, "/admin/import", { body: writeJson(call), contentType: "application/json" }));
  const { data, errors } = isObject(answer) ? answer : {};
  if (!Array.isArray(errors) || errors.length === 0) return data;
  throw new QuernError("REQUEST_REFUSED", errors.map((each: unknown) => (isObject(each) ? String(each.message) : String(each))).join("; "));
}

async function loadInto(
  destination: ImportDestination,
  source: ExportSource,
  { prepared, options, steps, folder }: Loading & { readonly folder: string },
): Promise<Analysis> {
  await prepareScratch(source, folder);
  const begin = performance.now();
  const outcome = await importExport({
    source,
    prepared,
    destination,
    folder,
    progress: (what, done, total) => steps.progress({ what, done, total }),
    namespace: options.namespace,
    newUids: options.newUids ?? false,
    update: options.update ?? false,
    judge: (analysis) => judge(analysis, options),
  }).catch(async (error: unknown) => {
    if (error instanceof RefusedByFaults) await report(error.analysis, options);
    await removeUnfinishedScratch(folder);
    throw error;
  });
  steps.stop();
  const { analysis, written, updated } = outcome;
  await report(analysis, options);
  if (written) console.log(countsTable(outcome));
  const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
  if (updated !== undefined) console.log(updateText(updated));
  console.log(written ? `${summary(analysis)} loaded in ${seconds} s` : "An earlier run has loaded this export.");
  if (written) console.log(errorsHint);
  await removeScratch(folder);
  return analysis;
}

/** The limits of single requests do not apply to an import. */
function unlimited(stack: QuernConfig): QuernConfig {
  return { ...stack, limits: { ...stack.limits, maxTouchedNodes: Number.POSITIVE_INFINITY, maxChanges: Number.POSITIVE_INFINITY } };
}

function scratchBeside({ storage }: QuernConfig, source: ExportSource, { scratch, config = "" }: ExportImportOptions): string {
  if (storage.folder !== undefined && scratch === undefined) return `${resolve(storage.folder)}.import`;
  return namedScratch(scratch ?? tmpdir(), source, resolve(storage.folder ?? config));
}

/** A folder of its own for each export and target, which a repeated import finds again. The parent may hold other things. */
function namedScratch(parent: string, source: ExportSource, target: string): string {
  const name = createHash("sha256")
    .update(`${resolve(source.folder)}\0${target}`)
    .digest("hex")
    .slice(0, 16);
  return join(parent, `quern-import-${name}`);
}

async function prepareScratch(source: ExportSource, folder: string): Promise<void> {
  const bytes = scratchBytes(source.data);
  console.error(`The import needs up to ${megabytes(bytes)} MB of scratch files in ${folder}.`);
  await makeScratch(folder, bytes);
}

/** Refuses an import before anything is written. */
class RefusedByFaults extends QuernError {
  readonly analysis: Analysis;
  constructor(analysis: Analysis) {
    const { faults } = analysis;
    super("VALUE_INVALID", `The export has ${faults === 1 ? "one fault" : `${faults.toLocaleString("en")} faults`}; nothing was written.`, {
      hint: "Correct the data and export again, or load everything else with --on-error skip.",
    });
    this.analysis = analysis;
  }
}

function judge(analysis: Analysis, { onError }: ExportImportOptions): void {
  if (onError === "stop" && analysis.faults > 0) throw new RefusedByFaults(analysis);
}

async function report(analysis: Analysis, { report: path }: ExportImportOptions): Promise<void> {
  const table = findingsTable(analysis);
  if (table !== "") console.error(table);
  if (path !== undefined) await writeFile(path, `${JSON.stringify(analysis, null, 2)}\n`);
}

function countsTable({ analysis, stored }: { readonly analysis: Analysis; readonly stored: Readonly<Record<string, number>> }): string {
  const rows = Object.entries(analysis.nodes).map(
    ([type, count]) => [type, count.toLocaleString("en"), (stored[type] ?? 0).toLocaleString("en")] as const,
  );
  const width = Math.max(4, ...rows.map(([type]) => type.length));
  return [["type", "in the export", "in the store"] as const, ...rows]
    .map(([type, exported, found]) => `${type.padEnd(width)}  ${exported.padStart(13)}  ${found.padStart(12)}`)
    .join("\n");
}

/** What the export has brought, and what it has taken away. */
function updateText({ created, changed, removed, linked, unlinked }: UpdateCounts): string {
  return `${counted(created, "node")} added, ${changed.toLocaleString("en")} changed and ${removed.toLocaleString("en")} deleted; ${counted(linked, "link")} added and ${unlinked.toLocaleString("en")} deleted`;
}

const errorsHint =
  "Errors: a mutation that access rules refuse answers with an error, where Dgraph answers null. Clients that rely on Dgraph's errors: quern start --errors compatible.";

function summary({ nodeCount, links }: Analysis): string {
  return `${counted(nodeCount, "node")} and ${counted(links, "link")}`;
}
