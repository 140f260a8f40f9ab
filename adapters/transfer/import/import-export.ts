// An import from the files of an export to a store that holds their nodes.

import type { Kernel, PreparedDeployment } from "../../../core/plugin.ts";
import { type MigrateOptions, QuernError } from "../../../core/storage.ts";
import type { ExportSource } from "../source/export-folder.ts";
import { readStatements } from "../source/read-statements.ts";
import { type Analysis, analyse } from "./analyse.ts";
import type { UpdateCounts } from "./compare-store.ts";
import { fingerprintOf, noteAnalysis, readAnalysis } from "./scratch.ts";
import { type Schema, Target } from "./target.ts";
import { updateStore } from "./update-store.ts";
import { type ImportStore, openImportStore, writeStore } from "./write-store.ts";

/** Progress of a step. `total` 0: unknown. */
export type StepProgress = (step: string, done: number, total: number) => void;

export interface AnalysisRequest {
  readonly source: ExportSource;
  readonly schema: Schema & { readonly document: string };
  readonly namespace: number;
  /** The scratch folder, which is there. */
  readonly folder: string;
  readonly progress: StepProgress;
}

/** An analysis, and what it is of. */
export interface FinishedAnalysis {
  readonly target: Target;
  readonly fingerprint: string;
  readonly analysis: Analysis;
}

/** Analyses an export, unless the scratch folder holds the analysis already. Writes to the scratch folder alone. */
export async function analyseExport({ source, schema, namespace, folder, progress }: AnalysisRequest): Promise<FinishedAnalysis> {
  const target = new Target(schema);
  const fingerprint = await fingerprintOf(source.data, schema.document, String(namespace), namesOf(target));
  const known = await readAnalysis(folder, fingerprint);
  if (known !== undefined) return { target, fingerprint, analysis: known as Analysis };
  const analysis = await analyse({
    target,
    folder,
    namespace,
    statements: (findings) =>
      readStatements(source, findings, { model: schema.model, progress: (bytes, total) => progress("reading", bytes, total) }),
    progress: (step, done) => {
      if (step !== "reading") progress(step, done, 0);
    },
  });
  await noteAnalysis(folder, fingerprint, analysis);
  return { target, fingerprint, analysis };
}

/** Analysed data refer to fields, ends and types by number. */
function namesOf({ fieldList, endList, typeList }: Target): string {
  return JSON.stringify([fieldList.map(({ name }) => name), endList.map(({ end }) => end.name), typeList.map(({ name }) => name)]);
}

/** Where an import goes: a store, or a running server. */
export interface ImportDestination {
  /** What is deployed there now; undefined: nothing. */
  readonly deployment: (Schema & { readonly document: string }) | undefined;
  deploy(document: string): Promise<void>;
  /** Asked for when the schema is deployed. */
  store(target: Target): ImportStore;
  /** Builds the indexes that `deploy` left unbuilt. Called when everything is written, also by an earlier run. */
  finish(): Promise<void>;
}

export interface ImportRequest extends Omit<AnalysisRequest, "schema"> {
  readonly destination: ImportDestination;
  /** The schema of the export. */
  readonly prepared: PreparedDeployment;
  readonly newUids: boolean;
  /** True: the store holds an earlier export, and is brought to the state of this one. Default: false. */
  readonly update?: boolean;
  /** Called before anything is written to the store. It throws to refuse the import. */
  readonly judge: (analysis: Analysis) => void;
}

/** What an import found and wrote. */
export interface ImportOutcome {
  readonly analysis: Analysis;
  /** False: an earlier run had written everything. */
  readonly written: boolean;
  /** What an update has done. */
  readonly updated?: UpdateCounts;
  /** Nodes in the store by type, afterwards. */
  readonly stored: Readonly<Record<string, number>>;
}

/** Imports an export. Run again after an interruption, it continues. */
export async function importExport(request: ImportRequest): Promise<ImportOutcome> {
  const { destination, prepared, folder } = request;
  const before = destination.deployment;
  const expected = await analyseExport({ ...request, schema: before?.document === prepared.document ? before : prepared });
  request.judge(expected.analysis);
  if (before?.document !== prepared.document) await destination.deploy(prepared.document);
  const { deployment } = destination;
  if (deployment === undefined) throw new QuernError("NO_SCHEMA", "No schema is deployed.");
  // A store that had other schemas before may keep other names than an empty one.
  const { target, fingerprint, analysis } = await analyseExport({ ...request, schema: deployment });
  const store = destination.store(target);
  const writing = { target, folder, fingerprint, analysis, store, progress: request.progress };
  const updated = request.update ? await updateStore(writing) : undefined;
  const written = request.update ? updated !== undefined : await writeStore({ ...writing, newUids: request.newUids });
  await destination.finish();
  return { analysis, written, stored: await store.count(), ...(updated && { updated }) };
}

type KernelDeploy = (document: string, options: Pick<MigrateOptions, "deferIndexes">) => Promise<unknown>;

/** The store of an open kernel in this process. Indexes of types without nodes are built once, when everything is written. */
export function kernelDestination(kernel: Kernel, deploy: KernelDeploy): ImportDestination {
  return {
    get deployment() {
      return kernel.deployment;
    },
    async deploy(document) {
      await deploy(document, { deferIndexes: true });
    },
    store: (target) => openImportStore(kernel.storage, { target, version: kernel.stored?.version ?? 0 }),
    async finish() {
      if (kernel.deployment !== undefined) await deploy(kernel.deployment.document, { deferIndexes: false });
    },
  };
}
