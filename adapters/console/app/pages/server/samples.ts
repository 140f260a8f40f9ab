// Counters of the server over the last minutes, as rates.

import { at, type Json } from "../../api/json.ts";

export interface Sample {
  /** Seconds since 1970. */
  readonly time: number;
  readonly totals: Totals;
  readonly rates: Totals | undefined;
}

export interface Totals {
  readonly commits: number;
  readonly liveRuns: number;
}

const most = 150;

/** Commits are counted by their numbers where the storage numbers them one by one. */
export function nextSample(samples: readonly Sample[], readings: Json, time: number): readonly Sample[] {
  const of = (group: string, name: string) => Number(at(readings, "data", group, name) ?? 0);
  const totals: Totals = { commits: of("statistics", "commit"), liveRuns: of("gauges", "liveRunsTotal") };
  const last = samples.at(-1);
  const elapsed = last && time - last.time;
  const rate = (name: keyof Totals) => (last && elapsed ? Math.max(0, (totals[name] - last.totals[name]) / elapsed) : 0);
  return [...samples.slice(1 - most), { time, totals, rates: last && { commits: rate("commits"), liveRuns: rate("liveRuns") } }];
}
