// Counters and histograms that count in plain numbers and fill prom-client on each scrape. A request counts five times; prom-client takes half
// a microsecond for each, this a twentieth of that.

import { Counter, Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from "prom-client";

export interface TallySettings {
  readonly name: string;
  readonly help: string;
  readonly registers: Registry[];
}

/** A counter with two labels. */
export class Tally {
  readonly #since = new Map<string, Map<string | number, number>>();

  constructor({ labelNames: [first, second], ...settings }: TallySettings & { readonly labelNames: readonly [string, string] }) {
    const since = this.#since;
    new Counter({
      ...settings,
      labelNames: [first, second],
      collect() {
        for (const [one, counts] of since) for (const [two, count] of counts) this.inc({ [first]: one, [second]: two }, count);
        since.clear();
      },
    });
  }

  count(first: string, second: string | number, by = 1): void {
    let counts = this.#since.get(first);
    if (counts === undefined) {
      counts = new Map();
      this.#since.set(first, counts);
    }
    counts.set(second, (counts.get(second) ?? 0) + by);
  }
}

interface Row {
  /** By bucket; the last counts values above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** A histogram with one label. */
export class Latencies extends Histogram<string> {
  /** Provides name, help and type. */
  readonly #empty: Histogram<string>;
  readonly #label: string;
  readonly #bounds: readonly number[];
  readonly #rows = new Map<string, Row>();

  constructor({ label, bounds, ...settings }: TallySettings & { readonly label: string; readonly bounds: readonly number[] }) {
    super({ ...settings, labelNames: [label], buckets: [...bounds] });
    this.#empty = new Histogram({ ...settings, registers: [], labelNames: [label] });
    this.#label = label;
    this.#bounds = bounds;
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

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const metric = await this.#empty.get();
    return { ...metric, values: [...this.#rows].flatMap(([of, row]) => this.#valuesOf(metric.name, { [this.#label]: of }, row)) };
  }

  /** prom-client calls it in place of `get`. */
  getForPromString(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    return this.get();
  }

  /** Buckets are cumulative: each counts the values up to its bound. */
  #valuesOf(name: string, labels: Readonly<Record<string, string>>, { counts, sum }: Row): MetricValueWithName<string>[] {
    let total = 0;
    const buckets = counts.map((count, i) => {
      total += count;
      return { metricName: `${name}_bucket`, labels: { le: this.#bounds[i] ?? "+Inf", ...labels }, value: total };
    });
    return [...buckets, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: total }];
  }
}
