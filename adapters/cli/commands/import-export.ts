// quern import of a whole export, one of Dgraph or one of our own: keeps its uids, and reports what does not fit.

import { randomBytes } from "node:crypto";
import { appendFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Kernel, type PreparedDeployment, prepareDeployment, QuernError } from "../../../core/index.ts";
import type { QuernConfig } from "../../server/index.ts";
import {
  type Analysis,
  analyseExport,
  type ExportSource,
  findingsTable,
  importExport,
  makeScratch,
  megabytes,
  missingPredicates,
  openDgraphExport,
  openOwnExport,
  removeScratch,
  schemaIn,
  scratchBytes,
} from "../../transfer/index.ts";
import { compareImport } from "../compare-import.ts";
import { type SchemaText, withSource } from "../failure.ts";
import { showSteps } from "../progress.ts";
import { readSchema } from "../read-file.ts";
import { chosenPlugins, chosenStack, type StackChoice, withKernel } from "../stack.ts";

export interface ExportImportOptions extends StackChoice {
  /** Path of a schema file that replaces the one of the export. */
  readonly schema?: string;
  readonly namespace: number;
  readonly encryptionKeyFile?: string;
  readonly dryRun?: boolean;
  /** Path of the report. */
  readonly report?: string;
  readonly onError: "skip" | "stop";
  readonly newUids?: boolean;
  /** A running server whose answers the import must give. */
  readonly verify?: string;
  /** Path of the scratch folder. */
  readonly scratch?: string;
}

/** Loads an export of Dgraph. */
export async function importDgraph(folder: string, options: ExportImportOptions): Promise<void> {
  await importSource(await openDgraphExport(folder, options.encryptionKeyFile), options);
}

/** Loads an export of our own. */
export async function importOwn(folder: string, options: ExportImportOptions): Promise<void> {
  await importSource(await openOwnExport(folder), options);
}

async function importSource(source: ExportSource, options: ExportImportOptions): Promise<void> {
  if (options.report !== undefined) await checkWritable(options.report);
  checkWhole(source, options);
  const schema = await schemaOf(source, options);
  const plugins = await chosenPlugins(options);
  const prepared = await withSource(schema, async () => prepareDeployment(schema.text, plugins));
  await (options.dryRun ? rehearse(source, prepared, options) : load(source, { schema, prepared, options }));
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
  const folder = `${options.scratch ?? join(tmpdir(), "quern-import")}-${randomBytes(4).toString("hex")}`;
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
}

async function load(source: ExportSource, { schema, prepared, options }: Loading): Promise<void> {
  if (options.data === undefined && options.config === undefined) {
    throw new QuernError("CONFIG_INVALID", "Name the target: --data <dir> for a LevelDB store, or --config <file> for a configured storage.");
  }
  const stack = await chosenStack(options);
  const folder = options.scratch ?? scratchBeside(stack);
  await withKernel(unlimited(stack), async (kernel) => {
    await prepareScratch(source, folder);
    const begin = performance.now();
    const outcome = await withSteps(async (progress) =>
      importExport({
        source,
        prepared,
        kernel,
        folder,
        progress,
        namespace: options.namespace,
        newUids: options.newUids ?? false,
        deploy: (text) => withSource(schema, () => kernel.deploy(text, { progress: ({ what, done, total }) => progress(what, done, total) })),
        judge: (analysis) => judge(analysis, options),
      }),
    ).catch(async (error: unknown) => {
      if (error instanceof RefusedByFaults) await report(error.analysis, options);
      throw error;
    });
    await report(outcome.analysis, options);
    if (outcome.written) console.log(countsTable(outcome));
    logImport(kernel, outcome.analysis, performance.now() - begin);
    console.log(
      outcome.written
        ? `${summary(outcome.analysis)} loaded in ${((performance.now() - begin) / 1_000).toFixed(1)} s`
        : "An earlier run has loaded this export.",
    );
    if (options.verify !== undefined) await compareImport(kernel, options.verify, outcome.analysis.highestUid);
  });
  await removeScratch(folder);
}

async function withSteps<T>(work: (progress: (what: string, done: number, total: number) => void) => Promise<T>): Promise<T> {
  const steps = showSteps();
  return await work((what, done, total) => steps.progress({ what, done, total })).finally(steps.stop);
}

/** The limits of single requests do not apply to an import. */
function unlimited(stack: QuernConfig): QuernConfig {
  return { ...stack, limits: { ...stack.limits, maxTouchedNodes: Number.POSITIVE_INFINITY, maxChanges: Number.POSITIVE_INFINITY } };
}

function scratchBeside({ storage }: QuernConfig): string {
  return storage.folder === undefined ? join(tmpdir(), "quern-import") : `${resolve(storage.folder)}.import`;
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

function logImport({ log }: Kernel, { nodeCount, links, faults }: Analysis, durationMs: number): void {
  log.info("import", `${nodeCount} nodes and ${links} links imported`, { nodes: nodeCount, links, faults, durationMs: Math.round(durationMs) });
}

function summary({ nodeCount, links }: Analysis): string {
  return `${nodeCount.toLocaleString("en")} nodes and ${links.toLocaleString("en")} links`;
}
