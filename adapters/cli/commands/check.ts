// quern check: verifies a store from end to end, and mends what can be derived anew.

import type { VerifyReport } from "../../../core/index.ts";
import { showSteps } from "../progress.ts";
import { namedStack, type StackChoice, withKernel } from "../stack.ts";

export interface CheckOptions extends StackChoice {
  readonly repair?: boolean;
  readonly json?: boolean;
}

/** Exit code 0 only when the store is clean at the end. */
export async function check(options: CheckOptions): Promise<void> {
  const report = await withKernel(await namedStack(options), async (kernel) => {
    const steps = showSteps();
    return await kernel.storage.verify({ repair: options.repair ?? false, progress: steps.progress }).finally(steps.stop);
  });
  console.log(options.json ? JSON.stringify(report) : inWords(report, options));
  if (report.faultCount > report.repaired) process.exitCode = 1;
}

function inWords(report: VerifyReport, { data, config, repair }: CheckOptions): string {
  const count = (value: number) => value.toLocaleString("en");
  const seen = `${data ?? config}: ${count(report.nodes)} nodes, ${count(report.links)} links, ${count(report.entries)} index entries`;
  if (report.faultCount === 0) return `${seen}; clean.`;
  const where = data === undefined ? `--config ${config}` : `--data ${data}`;
  const listed = report.faults.map((fault) => `  ${fault.kind}: ${fault.message}`);
  const more = report.faultCount > listed.length ? [`  and ${count(report.faultCount - listed.length)} more`] : [];
  const way = repair ? `${count(report.repaired)} of them are repaired.` : `Mend what can be derived anew with: quern check ${where} --repair`;
  return [`${seen}; ${count(report.faultCount)} faults:`, ...listed, ...more, way].join("\n");
}
