// quern import: loads newline-delimited JSON into a store or a running server.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { QuernError } from "../../../core/index.ts";
import { isOwnExport } from "../../transfer/index.ts";
import type { TokenOptions } from "../client/admin-token.ts";
import { loggedInAt } from "../client/guardian.ts";
import { type SchemaText, withSource } from "../ground/failure.ts";
import { createProgress, type Progress, showSteps } from "../ground/progress.ts";
import { readSchema, unreadable } from "../ground/read-file.ts";
import { type AccountTarget, importAccountLines, localAccounts, remoteAccounts } from "../import/account-lines.ts";
import { importShape } from "../import/import-shape.ts";
import { type ImportTarget, localTarget, remoteTarget } from "../import/import-target.ts";
import { type ImportEvents, type ImportReport, runImport } from "../import/run-import.ts";
import { refuseAccountsOf } from "../stack/account-data.ts";
import { chosenStack, type StackChoice } from "../stack/stack.ts";
import { type ExportImportOptions, importDgraph, importOwn } from "./import-export.ts";

export interface ImportOptions extends StackChoice, TokenOptions {
  readonly type: string;
  readonly url?: string;
  /** Path of a schema file. */
  readonly schema?: string;
  readonly onError: "skip" | "stop";
}

/** Invalid lines that are printed; all are counted. */
const maxBadLinesShown = 1_000;

/** The options of the command line, of which some belong to one source alone. */
export type AnyImportOptions = Omit<ImportOptions, "type"> &
  ExportImportOptions & { readonly type?: string; readonly fromDgraph?: string; readonly files?: boolean };

export async function importData(files: readonly string[], options: AnyImportOptions): Promise<void> {
  const { fromDgraph, type } = options;
  const [first, ...others] = files;
  if (fromDgraph !== undefined) {
    if (files.length > 0) throw new QuernError("CONFIG_INVALID", "--from-dgraph loads a whole export; name no files beside it.");
    refuseAccountsOf(options);
    return await importDgraph(fromDgraph, { ...options, ...(options.accounts && { accountsFrom: resolve(fromDgraph) }) });
  }
  if (first === undefined) throw new QuernError("CONFIG_INVALID", "Name the files to load, or the folder of an export.");
  if (type === undefined && others.length === 0 && (await isOwnExport(first))) return await importWhole(first, options);
  if (options.files) throw new QuernError("CONFIG_INVALID", "--files is for the folder of an export of Quern, made with --files.");
  if (type === undefined) throw new QuernError("CONFIG_INVALID", "Name the type of the objects with --type <T>.");
  await (options.accounts ? importAccounts(files, { ...options, type }) : importFiles(files, { ...options, type }));
}

/** Users of another service. */
async function importAccounts(files: readonly string[], options: ImportOptions): Promise<void> {
  const sizes = new Map(files.map((file) => [file, sizeOf(file)]));
  const target = await accountTarget(options);
  const { progress, bad, stop } = events(sizes, options);
  try {
    const counts = await importAccountLines({
      target,
      type: options.type,
      files,
      bad,
      progress: (file, bytes, lines) => progress("nodes", file, bytes, lines),
    }).finally(stop);
    const parts = [`${count(counts.added)} users added`, `${count(counts.completed)} got their password`, `${count(counts.kept)} were there`];
    console.log([...parts, ...(counts.refused > 0 ? [`${count(counts.refused)} invalid lines skipped`] : [])].join(", "));
  } finally {
    await target.close();
  }
}

async function accountTarget(options: ImportOptions): Promise<AccountTarget> {
  const { url, data, config } = options;
  const schema = options.schema === undefined ? undefined : await readSchema(options.schema);
  if (url !== undefined && schema === undefined) return remoteAccounts(await loggedInAt({ ...options, url }));
  if (url !== undefined) throw new QuernError("CONFIG_INVALID", schemaNeedsStore);
  if (data === undefined && config === undefined) throw new QuernError("CONFIG_INVALID", nameTarget);
  return await localAccounts(await chosenStack(options), schema?.text);
}

const schemaNeedsStore = "--schema needs --data or --config; to deploy to a running server, run: quern deploy <file> --url <url>";
const nameTarget =
  "Name the target: --data <dir> for a LevelDB store, --config <file> for a configured storage, or --url <url> for a running server.";

async function importWhole(folder: string, options: AnyImportOptions): Promise<void> {
  refuseAccountsOf(options);
  await importOwn(folder, { ...options, ...(options.accounts && { accountsFrom: resolve(folder) }) });
}

async function importFiles(files: readonly string[], options: ImportOptions): Promise<void> {
  const sizes = new Map(files.map((file) => [file, sizeOf(file)]));
  const schema = options.schema === undefined ? undefined : await readSchema(options.schema);
  const target = await openTarget(options, schema);
  const begin = performance.now();
  try {
    const shape = importShape(target.schema, options.type);
    if (!target.keepsMarks && shape.lookUp === undefined) {
      console.error(
        `${options.type} has no @id field that identifies lines, so an interrupted import with --url cannot be continued. Use --data or --config for that.`,
      );
    }
    const shown = events(sizes, options);
    const report = await runImport({ files, shape, target, events: shown }).finally(shown.stop);
    const steps = showSteps();
    await target.finish(steps.progress).finally(steps.stop);
    const durationMs = performance.now() - begin;
    target.log?.info("import", `${options.type}: ${report.added} nodes added`, {
      type: options.type,
      files: files.length,
      ...report,
      durationMs: Math.round(durationMs),
    });
    console.log(reportText(report, durationMs));
  } finally {
    await target.close();
  }
}

async function openTarget(options: ImportOptions, schema: SchemaText | undefined): Promise<ImportTarget> {
  const { url, data, config, type } = options;
  if (url !== undefined && schema === undefined) return await remoteTarget(await loggedInAt({ ...options, url }));
  if (url !== undefined) throw new QuernError("CONFIG_INVALID", schemaNeedsStore);
  if (data === undefined && config === undefined) throw new QuernError("CONFIG_INVALID", nameTarget);
  return await localTarget(await chosenStack(options), { type, choice: stackChoice(options) }, async (kernel) => {
    if (schema === undefined || schema.text === kernel.deployment?.document) return;
    const steps = showSteps();
    await withSource(schema, () => kernel.deploy(schema.text, { ...steps, deferIndexes: true })).finally(steps.stop);
  });
}

/** Plain data: a thread gets them. */
function stackChoice({ config, data, lambdaUrl }: StackChoice): StackChoice {
  return { ...(config !== undefined && { config }), ...(data !== undefined && { data }), ...(lambdaUrl !== undefined && { lambdaUrl }) };
}

function events(sizes: ReadonlyMap<string, number>, { onError }: ImportOptions): ImportEvents & { stop(): void } {
  let current: { readonly name: string; readonly bar: Progress; readonly begin: number } | undefined;
  let ended = performance.now();
  let bad = 0;
  const stop = () => {
    current?.bar.stop();
    current = undefined;
  };
  return {
    progress(pass, file, bytes, lines) {
      const name = `${file}: ${pass}`;
      if (current?.name !== name) {
        stop();
        current = { name, bar: createProgress(name), begin: ended };
      }
      ended = performance.now();
      const seconds = (ended - current.begin) / 1_000;
      current.bar.update(bytes, sizes.get(file) ?? bytes, `${lines.toLocaleString("en")} lines, ${count(lines / Math.max(seconds, 0.001))}/s`);
    },
    bad(file, line, reason) {
      const message = `${file}:${line}: ${reason}`;
      if (onError === "stop") {
        throw new QuernError("VALUE_INVALID", message, {
          hint: "All earlier batches are loaded. Correct the line and run the import again, or skip invalid lines with --on-error skip.",
        });
      }
      bad += 1;
      if (bad <= maxBadLinesShown) console.error(message);
      if (bad === maxBadLinesShown) console.error("Further invalid lines are counted, but not printed.");
    },
    stop,
  };
}

function reportText({ added, linked, before, linesBefore, bad }: ImportReport, tookMs: number): string {
  const parts = [
    `${count(added)} added`,
    ...(linked > 0 ? [`references of ${count(linked)} linked`] : []),
    ...(before > 0 ? [`${count(before)} already existed`] : []),
    ...(linesBefore > 0 ? [`${count(linesBefore)} ${linesBefore === 1 ? "line" : "lines"} done by an earlier run`] : []),
    ...(bad > 0 ? [`${count(bad)} invalid lines skipped`] : []),
  ];
  return `${parts.join(", ")} in ${(tookMs / 1_000).toFixed(1)} s`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch (error) {
    throw unreadable("file", file, error);
  }
}
