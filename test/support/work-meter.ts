// How many nodes the store visits for a request: the cost that a spec bounds.

import type { Metrics } from "../../core/index.ts";

export interface WorkMeter {
  /** For the configuration of the kernel. */
  readonly metrics: Metrics;
  /** Nodes that the last operation read and wrote. */
  touched(): number;
}

export function workMeter(): WorkMeter {
  let touched = 0;
  return {
    metrics: {
      operation: (ended) => {
        touched = ended.touched;
      },
      expose: () => ({ contentType: "text/plain", body: String(touched) }),
    },
    touched: () => touched,
  };
}
