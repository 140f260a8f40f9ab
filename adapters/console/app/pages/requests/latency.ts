// Percentiles of durations that are counted in buckets.

/** The bound of the bucket that holds the value; undefined: nothing was counted. Infinite beyond the last bound. */
export function percentile(buckets: readonly number[], boundsMs: readonly number[], share: number): number | undefined {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let below = 0;
  for (const [place, count] of buckets.entries()) {
    below += count;
    if (below >= total * share) return boundsMs[place] ?? Number.POSITIVE_INFINITY;
  }
  return Number.POSITIVE_INFINITY;
}
