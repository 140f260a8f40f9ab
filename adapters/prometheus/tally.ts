// Counters and histograms that count in plain numbers, which a scrape reads. A request counts five times; prom-client takes half a microsecond
// for each, this a twentieth of that.

/** A counter with two labels. */
export class Tally {
  #since = new Map<string, Map<string | number, number>>();

  count(first: string, second: string | number, by = 1): void {
    let counts = this.#since.get(first);
    if (counts === undefined) {
      counts = new Map();
      this.#since.set(first, counts);
    }
    counts.set(second, (counts.get(second) ?? 0) + by);
  }

  /** What was counted since it was last taken. */
  take(): ReadonlyMap<string, ReadonlyMap<string | number, number>> {
    const taken = this.#since;
    this.#since = new Map();
    return taken;
  }
}

/** What was counted under one label. */
export interface LatencyRow {
  /** By bucket; the last counts values above all bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

interface Row extends LatencyRow {
  readonly counts: number[];
  sum: number;
}

/** A histogram with one label. */
export class Latencies {
  readonly #bounds: readonly number[];
  readonly #rows = new Map<string, Row>();

  /** @param bounds upper bounds of the buckets, ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  get rows(): ReadonlyMap<string, LatencyRow> {
    return this.#rows;
  }

  count(of: string, seconds: number): void {
    let row = this.#rows.get(of);
    if (row === undefined) {
      row = { counts: new Array(this.#bounds.length + 1).fill(0), sum: 0 };
      this.#rows.set(of, row);
    }
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] ?? 0)) bucket++;
    row.counts[bucket] = (row.counts[bucket] ?? 0) + 1;
    row.sum += seconds;
  }
}
