// Metrics by prom-client: counts events of the kernel at once, and reads gauges of kernel and storage on each scrape.

import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { EndedCommit, EndedExchange, EndedOperation, Exposition, Metrics, Readings } from "../../core/index.ts";
import { readingsOf } from "./readings.ts";
import { Latencies, Tally } from "./tally.ts";

/** What is exported, and to whom. */
export interface PrometheusOptions {
  /** True: `GET /metrics` is public. Default: administrators only. */
  readonly open?: boolean;
  /** Upper bounds of the latency buckets, in seconds. Default: 0.5 ms to 60 s. */
  readonly buckets?: readonly number[];
  /** Memory, processor time and event loop of the process. Default: true. */
  readonly process?: boolean;
  /** A registry with metrics of your own, exposed beside those of Quern. */
  readonly registry?: Registry;
}

const defaultBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Metrics in Prometheus' text format, at `GET /metrics`. */
export function prometheusMetrics({ open = false, buckets = defaultBuckets, process = true, registry }: PrometheusOptions = {}): Metrics {
  const own = new Registry();
  const registers = [own];
  const bounds = [...buckets].sort((a, b) => a - b);
  if (process) collectDefaultMetrics({ register: own });
  const operations = new Tally({
    name: "quern_operations_total",
    help: "GraphQL operations by kind and outcome.",
    labelNames: ["kind", "outcome"],
    registers,
  });
  const operationSeconds = new Latencies({
    name: "quern_operation_duration_seconds",
    help: "Time of GraphQL operations, waiting included.",
    label: "kind",
    bounds,
    registers,
  });
  const touched = new Tally({
    name: "quern_touched_nodes_total",
    help: "Nodes that operations read and wrote.",
    labelNames: ["kind", "outcome"],
    registers,
  });
  const exchanges = new Tally({
    name: "quern_http_requests_total",
    help: "HTTP requests by path and status.",
    labelNames: ["path", "status"],
    registers,
  });
  const exchangeSeconds = new Latencies({
    name: "quern_http_request_duration_seconds",
    help: "Time from a request's last byte to its answer.",
    label: "path",
    bounds,
    registers,
  });
  const commitSeconds = new Latencies({
    name: "quern_commit_duration_seconds",
    help: "Time of write transactions until they are durable (ok) or have failed, waiting for the writer included.",
    label: "ok",
    bounds,
    registers,
  });
  return {
    open,
    operation(ended: EndedOperation) {
      const kind = ended.kind ?? "unknown";
      operations.count(kind, ended.outcome);
      operationSeconds.count(kind, ended.durationMs / 1_000);
      if (ended.touched > 0) touched.count(kind, ended.outcome, ended.touched);
    },
    exchange({ path, status, durationMs }: EndedExchange) {
      exchanges.count(path, status);
      exchangeSeconds.count(path, durationMs / 1_000);
    },
    commit({ ok, durationMs }: EndedCommit) {
      commitSeconds.count(String(ok), durationMs / 1_000);
    },
    async expose(readings: Readings): Promise<Exposition> {
      const moment = momentOf(readings);
      const all = Registry.merge(registry === undefined ? [own, moment] : [own, moment, registry]);
      return { contentType: all.contentType, body: await all.metrics() };
    },
  };
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
