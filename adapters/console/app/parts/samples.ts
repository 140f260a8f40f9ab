// Counters of the server over the last minutes.

export interface Sample {
  /** Seconds since 1970. */
  readonly time: number;
  /** By name. A counter that falls began anew. */
  readonly totals: Readonly<Record<string, number>>;
}

const most = 150;

export function withSample(samples: readonly Sample[], totals: Sample["totals"]): readonly Sample[] {
  return [...samples.slice(1 - most), { time: Date.now() / 1_000, totals }];
}

/** How much a counter rose a second, between each sample and the one before. */
export function sampleRates(samples: readonly Sample[], name: string): readonly { readonly time: number; readonly rate: number }[] {
  return samples.slice(1).flatMap(({ time, totals }, i) => {
    const before = samples[i];
    const elapsed = before && time - before.time;
    return before && elapsed ? [{ time, rate: Math.max(0, ((totals[name] ?? 0) - (before.totals[name] ?? 0)) / elapsed) }] : [];
  });
}
