// What is measured in each interval, how it is printed, and what counts as flat.

import type { Latencies } from "../bench/hostile-probe.ts";

export interface Sample {
  readonly minute: number;
  /** At its lowest and at its highest, looked at every second. */
  readonly residentMiB: number;
  readonly peakMiB: number;
  /** Processor time of the server for each request, deploys and sweeps included. */
  readonly cpuMs: number;
  /** What a fixed piece of work takes beside the server, 1 on an idle machine of today: how much of the machine others take. */
  readonly pace: number;
  readonly readsMs: readonly number[];
  readonly writesMs: readonly number[];
  /** `/health`, asked from another process. */
  readonly health: Latencies;
  readonly storeMiB: number;
  readonly nodes: number;
  /** What hostile callers began. */
  readonly hostile: readonly string[];
}

const columns: readonly (readonly [heading: string, width: number, (sample: Sample) => string])[] = [
  ["minute", 6, ({ minute }) => minute.toFixed(1)],
  ["RSS MiB", 8, ({ residentMiB }) => String(residentMiB)],
  ["peak MiB", 8, ({ peakMiB }) => String(peakMiB)],
  ["CPU ms", 6, ({ cpuMs }) => cpuMs.toFixed(2)],
  ["pace", 5, ({ pace }) => pace.toFixed(1)],
  ["reads", 7, ({ readsMs }) => String(readsMs.length)],
  ["p50 ms", 7, ({ readsMs }) => percentile(readsMs, 0.5).toFixed(2)],
  ["p99 ms", 8, ({ readsMs }) => percentile(readsMs, 0.99).toFixed(1)],
  ["writes", 7, ({ writesMs }) => String(writesMs.length)],
  ["p50 ms", 7, ({ writesMs }) => percentile(writesMs, 0.5).toFixed(2)],
  ["p99 ms", 8, ({ writesMs }) => percentile(writesMs, 0.99).toFixed(1)],
  ["health p99", 10, ({ health }) => health.p99Ms.toFixed(1)],
  ["store MiB", 9, ({ storeMiB }) => storeMiB.toFixed(1)],
  ["nodes", 7, ({ nodes }) => String(nodes)],
  ["B/node", 7, (sample) => bytesPerNode(sample).toFixed(0)],
];

export const headings = columns.map(([heading, width]) => heading.padStart(width)).join(" ");

export function lineOf(sample: Sample): string {
  const cells = columns.map(([, width, cell]) => cell(sample).padStart(width)).join(" ");
  return sample.hostile.length === 0 ? cells : `${cells}  ${sample.hostile.join("; ")}`;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function bytesPerNode({ storeMiB, nodes }: Sample): number {
  return nodes === 0 ? 0 : (storeMiB * 2 ** 20) / nodes;
}

interface Measure {
  readonly name: string;
  readonly of: (sample: Sample) => number;
  /** The last quarter may be so many times the second one, and `slack` more. */
  readonly factor: number;
  readonly slack: number;
  /** Not of a run with hostile callers: what they cost counts too. */
  readonly honestOnly?: boolean;
}

/** Medians of quarters are compared: a pause of the machine or of the collector is no climb. Latencies are taken by the machine's pace. */
const measures: readonly Measure[] = [
  { name: "resident memory, MiB", of: ({ residentMiB }) => residentMiB, factor: 1.15, slack: 16 },
  { name: "resident memory at its highest, MiB", of: ({ peakMiB }) => peakMiB, factor: 1.15, slack: 64 },
  { name: "processor time a request, ms", of: ({ cpuMs }) => cpuMs, factor: 1.25, slack: 0.1, honestOnly: true },
  { name: "reads, p50 ms", of: ({ readsMs, pace }) => percentile(readsMs, 0.5) / pace, factor: 1.5, slack: 0.5 },
  { name: "reads, p99 ms", of: ({ readsMs, pace }) => percentile(readsMs, 0.99) / pace, factor: 2, slack: 10 },
  { name: "writes, p50 ms", of: ({ writesMs, pace }) => percentile(writesMs, 0.5) / pace, factor: 1.5, slack: 1 },
  { name: "writes, p99 ms", of: ({ writesMs, pace }) => percentile(writesMs, 0.99) / pace, factor: 2, slack: 10 },
  { name: "health, p99 ms", of: ({ health, pace }) => health.p99Ms / pace, factor: 2, slack: 10 },
  // LevelDB's levels come and go: between two compactions a store may hold several times its data.
  { name: "store, bytes per live node", of: bytesPerNode, factor: 1.5, slack: 512 },
];

export interface Verdict {
  readonly lines: readonly string[];
  readonly flat: boolean;
}

/** Compares the last quarter with the second one; the first is for warming up. */
export function judge(samples: readonly Sample[], { hostile }: { readonly hostile: boolean }): Verdict {
  const quarter = Math.floor(samples.length / 4);
  const applied = measures.filter(({ honestOnly }) => !(hostile && honestOnly));
  const judged = applied.map(({ name, of, factor, slack }) => {
    const before = median(samples.slice(quarter, 2 * quarter).map(of));
    const after = median(samples.slice(-quarter).map(of));
    const flat = quarter > 0 && after <= before * factor + slack;
    return { flat, line: `${flat ? "flat " : "CLIMBS"} ${name}: ${before.toFixed(2)} in the second quarter, ${after.toFixed(2)} in the last` };
  });
  return { lines: judged.map(({ line }) => line), flat: judged.every(({ flat }) => flat) };
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
