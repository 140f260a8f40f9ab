// quern check: verifies a store, and repairs derived data on request.

import { kernelAccess, type OutsideCheck } from "../../../core/plugin.ts";
import { QuernError, type VerifyOptions, type VerifyReport } from "../../../core/storage.ts";
import type { QuernConfig } from "../../server/index.ts";
import { counted } from "../ground/counted.ts";
import { showSteps } from "../ground/progress.ts";
import { outsideOf } from "../stack/outside-data.ts";
import { namedStack, type StackChoice, withKernel } from "../stack/stack.ts";

export interface CheckOptions extends StackChoice {
  readonly repair?: boolean;
  readonly json?: boolean;
  /** Files of `@file` too. */
  readonly files?: boolean;
}

/** Exit code 0 only if the store has no faults at the end. */
export async function check(options: CheckOptions): Promise<void> {
  const stack = await namedStack(options);
  const steps = showSteps();
  const report = await checked(stack, { repair: options.repair ?? false, progress: steps.progress }).finally(steps.stop);
  console.log(options.json ? JSON.stringify(report) : reportText(report, options));
  if (report.faultCount > report.repaired) process.exitCode = 1;
  // What is kept outside is compared with what can be relied on.
  else if (options.files) await checkOutside(stack, { repair: options.repair ?? false });
}

/** A line for each fault. Exit code 1 when some stay. */
async function checkOutside(stack: QuernConfig, options: OutsideCheck): Promise<void> {
  const found = outsideOf(stack);
  await withKernel(stack, async (kernel) => {
    for (const each of found) {
      let faults = 0;
      for await (const { kind, message, isRepaired } of each.check(kernelAccess(kernel, each.plugin), options)) {
        faults++;
        if (!isRepaired) process.exitCode = 1;
        console.log(`  ${kind}: ${message}${isRepaired ? "; removed" : ""}`);
      }
      console.log(`${each.name}: ${faults === 0 ? "no faults" : counted(faults, "fault")}.`);
    }
  });
}

/** Opens the store only if its files are intact: indexes must not be rebuilt from damaged records. */
async function checked(stack: QuernConfig, options: VerifyOptions): Promise<VerifyReport> {
  const files = await stack.storage.verifyFiles?.(options);
  if (files !== undefined && files.faultCount > 0) return files;
  const { folder, name } = stack.storage;
  if (folder === undefined || name !== "level") return await verified(stack, options);
  const { borrowedFiles, leveldbStorage } = await import("../../level/index.ts");
  const borrowed = await borrowedFiles(folder);
  if (borrowed === undefined) return await verified(stack, options);
  try {
    if (options.repair) throw new QuernError("STORE_UNAVAILABLE", `the data folder ${folder} can only be read: it cannot be repaired`);
    return await verified({ ...stack, storage: leveldbStorage({ path: borrowed.path }) }, options);
  } finally {
    await borrowed.release();
  }
}

async function verified(stack: QuernConfig, options: VerifyOptions): Promise<VerifyReport> {
  return await withKernel(stack, (kernel) => kernel.storage.verify(options));
}

function reportText(report: VerifyReport, options: CheckOptions): string {
  const { data, config, repair } = options;
  const summary = `${data ?? config}: ${counted(report.nodes, "node")}, ${counted(report.links, "link")}, ${counted(report.entries, "index entry", "index entries")}`;
  if (report.faultCount === 0) return `${summary}; no faults.`;
  if (report.faults.some(({ kind }) => kind === "file")) return damagedFiles(report, options);
  const where = data === undefined ? `--config ${config}` : `--data ${data}`;
  const nextStep = repair ? `${count(report.repaired)} of them are repaired.` : `Rebuild derived data with: quern check ${where} --repair`;
  const nextSteps = [
    ...(repair || report.faults.some(({ kind }) => kind !== "value") ? [nextStep] : []),
    ...(report.faults.some(({ kind }) => kind === "value") ? [valuesHint] : []),
  ];
  return [`${summary}; ${counted(report.faultCount, "fault")}:`, ...listed(report), ...nextSteps].join("\n");
}

function damagedFiles(report: VerifyReport, { data, config }: CheckOptions): string {
  return [
    `${data ?? config}: ${counted(report.faultCount, "fault")} in files of the store; its contents were not checked:`,
    ...listed(report),
    "Nothing was changed. --repair cannot fix this: it rebuilds indexes from records, and the records of damaged files are not reliable.",
    "Check the disk, then restore a backup of the whole folder.",
    ...(report.faults.some(({ message }) => message.startsWith("held/")) ? [mergedHint] : []),
  ].join("\n");
}

const mergedHint =
  "LevelDB has merged the tables in the folder held into others, which may lack entries or hold earlier ones. To go on with what is left, remove these files and check again with --repair.";

const valuesHint =
  "A value of a wrong kind is not repaired, because nothing says what it should be. Write the field anew with an update mutation, or clear it with remove.";

function listed({ faults, faultCount }: VerifyReport): readonly string[] {
  const more = faultCount > faults.length ? [`  and ${count(faultCount - faults.length)} more`] : [];
  return [...faults.map(({ kind, message }) => `  ${kind}: ${message}`), ...more];
}

function count(value: number): string {
  return value.toLocaleString("en");
}
