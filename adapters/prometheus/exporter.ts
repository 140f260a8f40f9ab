// The part that loads prom-client: registers what was counted, the metrics of the process and the gauges of one scrape.

import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricObjectWithValues, type MetricValueWithName, Registry } from "prom-client";
import type { Exposition, Readings } from "../../core/index.ts";
import { readingsOf } from "./readings.ts";
import type { Latencies, LatencyRow, Tally } from "./tally.ts";

interface Named {
  readonly name: string;
  readonly help: string;
}

export interface CountedTotals extends Named {
  readonly labels: readonly [string, string];
  readonly tally: Tally;
}

export interface CountedSeconds extends Named {
  readonly label: string;
  readonly latencies: Latencies;
}

export interface ExporterOptions {
  readonly totals: readonly CountedTotals[];
  readonly seconds: readonly CountedSeconds[];
  /** Upper bounds of the latency buckets, ascending. */
  readonly bounds: readonly number[];
  /** Whether the process is measured from now on. */
  readonly process: boolean;
  /** Exposed beside those of Quern. */
  readonly registry: Registry | undefined;
}

export class Exporter {
  readonly #own = new Registry();
  readonly #others: readonly Registry[];

  constructor({ totals, seconds, bounds, process, registry }: ExporterOptions) {
    this.#others = registry === undefined ? [] : [registry];
    if (process) collectDefaultMetrics({ register: this.#own });
    for (const each of totals) this.#registerTotals(each);
    for (const each of seconds) this.#own.registerMetric(new CountedHistogram(each, bounds));
  }

  async expose(readings: Readings): Promise<Exposition> {
    const all = Registry.merge([this.#own, momentOf(readings), ...this.#others]);
    return { contentType: all.contentType, body: await all.metrics() };
  }

  #registerTotals({ name, help, labels: [first, second], tally }: CountedTotals): void {
    new Counter({
      name,
      help,
      labelNames: [first, second],
      registers: [this.#own],
      collect() {
        for (const [one, counts] of tally.take()) for (const [two, count] of counts) this.inc({ [first]: one, [second]: two }, count);
      },
    });
  }
}

class CountedHistogram extends Histogram<string> {
  /** Provides name, help and type. */
  readonly #empty: Histogram<string>;
  readonly #label: string;
  readonly #bounds: readonly number[];
  readonly #latencies: Latencies;

  constructor({ name, help, label, latencies }: CountedSeconds, bounds: readonly number[]) {
    super({ name, help, labelNames: [label], buckets: [...bounds], registers: [] });
    this.#empty = new Histogram({ name, help, labelNames: [label], registers: [] });
    this.#label = label;
    this.#bounds = bounds;
    this.#latencies = latencies;
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const metric = await this.#empty.get();
    return { ...metric, values: [...this.#latencies.rows].flatMap(([of, row]) => this.#valuesOf(metric.name, { [this.#label]: of }, row)) };
  }

  /** prom-client calls it in place of `get`. */
  getForPromString(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    return this.get();
  }

  /** Buckets are cumulative: each counts the values up to its bound. */
  #valuesOf(name: string, labels: Readonly<Record<string, string>>, { counts, sum }: LatencyRow): MetricValueWithName<string>[] {
    let total = 0;
    const buckets = counts.map((count, i) => {
      total += count;
      return { metricName: `${name}_bucket`, labels: { le: this.#bounds[i] ?? "+Inf", ...labels }, value: total };
    });
    return [...buckets, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: total }];
  }
}

/** Metrics that exist for one scrape. */
function momentOf(readings: Readings): Registry {
  const registers = [new Registry()] as const;
  for (const { name, help, rises, values } of readingsOf(readings)) {
    const labelNames = [...new Set(values.flatMap(({ labels }) => Object.keys(labels)))];
    const settings = { name, help, labelNames, registers: [...registers] };
    const metric = rises ? new Counter(settings) : new Gauge(settings);
    for (const { labels, value } of values) metric.inc(labels, value);
  }
  return registers[0];
}
