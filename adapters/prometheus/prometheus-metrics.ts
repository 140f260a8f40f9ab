// Metrics by prom-client: counts events of the kernel in plain numbers, and reads gauges of kernel and storage on each scrape. prom-client itself is
// loaded after the first answer: it took a twentieth of a start.

import type { Registry } from "prom-client";
import type { EndedCommit, EndedExchange, EndedOperation, Metrics, Readings } from "../../core/index.ts";
import type { CountedSeconds, CountedTotals, Exporter, ExporterOptions } from "./exporter.ts";
import { Latencies, Tally } from "./tally.ts";

/** What is exported, and to whom. */
export interface PrometheusOptions {
  /** True: `GET /metrics` is public. Default: administrators only. */
  readonly open?: boolean;
  /** Upper bounds of the latency buckets, in seconds. Default: 0.5 ms to 60 s. */
  readonly buckets?: readonly number[];
  /** Memory, processor time and event loop of the process, from the first answer on. Default: true. */
  readonly process?: boolean;
  /** A registry with metrics of your own, exposed beside those of Quern. */
  readonly registry?: Registry;
}

const defaultBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Metrics in Prometheus' text format, at `GET /metrics`. */
export function prometheusMetrics({ open = false, buckets = defaultBuckets, process = true, registry }: PrometheusOptions = {}): Metrics {
  const bounds = [...buckets].sort((a, b) => a - b);
  const operations = new Tally();
  const operationSeconds = new Latencies(bounds);
  const touched = new Tally();
  const exchanges = new Tally();
  const exchangeSeconds = new Latencies(bounds);
  const commitSeconds = new Latencies(bounds);
  const totals: readonly CountedTotals[] = [
    { name: "quern_operations_total", help: "GraphQL operations by kind and outcome.", labels: ["kind", "outcome"], tally: operations },
    { name: "quern_touched_nodes_total", help: "Nodes that operations read and wrote.", labels: ["kind", "outcome"], tally: touched },
    { name: "quern_http_requests_total", help: "HTTP requests by path and status.", labels: ["path", "status"], tally: exchanges },
  ];
  const seconds: readonly CountedSeconds[] = [
    {
      name: "quern_operation_duration_seconds",
      help: "Time of GraphQL operations, waiting included.",
      label: "kind",
      latencies: operationSeconds,
    },
    {
      name: "quern_http_request_duration_seconds",
      help: "Time from a request's last byte to its answer.",
      label: "path",
      latencies: exchangeSeconds,
    },
    {
      name: "quern_commit_duration_seconds",
      help: "Time of write transactions until they are durable (ok) or have failed, waiting for the writer included.",
      label: "ok",
      latencies: commitSeconds,
    },
  ];
  const exporter = onceLoaded({ totals, seconds, bounds, process, registry });
  return {
    open,
    operation(ended: EndedOperation) {
      const kind = ended.kind ?? "unknown";
      operations.count(kind, ended.outcome);
      operationSeconds.count(kind, ended.durationMs / 1_000);
      if (ended.touched > 0) touched.count(kind, ended.outcome, ended.touched);
      exporter.begin();
    },
    exchange({ path, status, durationMs }: EndedExchange) {
      exchanges.count(path, status);
      exchangeSeconds.count(path, durationMs / 1_000);
      exporter.begin();
    },
    commit({ ok, durationMs }: EndedCommit) {
      commitSeconds.count(String(ok), durationMs / 1_000);
    },
    expose: async (readings: Readings) => await (await exporter.loaded()).expose(readings),
  };
}

interface Loading {
  /** Loads it beside what runs, unless that has begun. */
  begin(): void;
  loaded(): Promise<Exporter>;
}

function onceLoaded(options: ExporterOptions): Loading {
  let loading: Promise<Exporter> | undefined;
  const loaded = () => {
    loading ??= import("./exporter.ts").then((module) => new module.Exporter(options));
    return loading;
  };
  return {
    begin() {
      // The scrape reports a failure.
      if (loading === undefined) loaded().catch(() => undefined);
    },
    loaded,
  };
}
