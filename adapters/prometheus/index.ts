export { type PrometheusOptions, prometheusMetrics } from "./prometheus-metrics.ts";
