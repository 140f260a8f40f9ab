// quern check: verifies a store, and repairs derived data on request.

import type { VerifyOptions, VerifyReport } from "../../../core/storage.ts";
import type { QuernConfig } from "../../server/index.ts";
import { counted } from "../counted.ts";
import { showSteps } from "../progress.ts";
import { namedStack, type StackChoice, withKernel } from "../stack.ts";

export interface CheckOptions extends StackChoice {
  readonly repair?: boolean;
  readonly json?: boolean;
}

/** Exit code 0 only if the store has no faults at the end. */
export async function check(options: CheckOptions): Promise<void> {
  const stack = await namedStack(options);
  const steps = showSteps();
  const report = await checked(stack, { repair: options.repair ?? false, progress: steps.progress }).finally(steps.stop);
  console.log(options.json ? JSON.stringify(report) : reportText(report, options));
  if (report.faultCount > report.repaired) process.exitCode = 1;
}

/** Opens the store only if its files are intact: indexes must not be rebuilt from damaged records. */
async function checked(stack: QuernConfig, options: VerifyOptions): Promise<VerifyReport> {
  const files = await stack.storage.verifyFiles?.(options);
  if (files !== undefined && files.faultCount > 0) return files;
  return await withKernel(stack, (kernel) => kernel.storage.verify(options));
}

function reportText(report: VerifyReport, options: CheckOptions): string {
  const { data, config, repair } = options;
  const summary = `${data ?? config}: ${counted(report.nodes, "node")}, ${counted(report.links, "link")}, ${counted(report.entries, "index entry", "index entries")}`;
  if (report.faultCount === 0) return `${summary}; no faults.`;
  if (report.faults.some(({ kind }) => kind === "file")) return damagedFiles(report, options);
  const where = data === undefined ? `--config ${config}` : `--data ${data}`;
  const nextStep = repair ? `${count(report.repaired)} of them are repaired.` : `Rebuild derived data with: quern check ${where} --repair`;
  return [`${summary}; ${counted(report.faultCount, "fault")}:`, ...listed(report), nextStep].join("\n");
}

function damagedFiles(report: VerifyReport, { data, config }: CheckOptions): string {
  return [
    `${data ?? config}: ${counted(report.faultCount, "fault")} in files of the store; its contents were not checked:`,
    ...listed(report),
    "Nothing was changed. --repair cannot fix this: it rebuilds indexes from records, and the records of damaged files are not reliable.",
    "Check the disk, then restore a backup of the whole folder.",
  ].join("\n");
}

function listed({ faults, faultCount }: VerifyReport): readonly string[] {
  const more = faultCount > faults.length ? [`  and ${count(faultCount - faults.length)} more`] : [];
  return [...faults.map(({ kind, message }) => `  ${kind}: ${message}`), ...more];
}

function count(value: number): string {
  return value.toLocaleString("en");
}
