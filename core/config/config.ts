// The kernel's configuration: one storage, directive plugins and their settings.

import type { Plugin as EnvelopPlugin } from "@envelop/core";
import type { Metrics } from "../contracts/metrics.ts";
import type { DirectivePlugin } from "../contracts/plugin/directive-plugin.ts";
import type { ReadWorkers } from "../contracts/read-workers.ts";
import type { Storage } from "../contracts/storage/storage.ts";
import type { ErrorStyle } from "../ground/error-style.ts";
import type { LimitOptions } from "../ground/limits.ts";
import type { ProcessBudget } from "../request/budget/process-budget.ts";
import type { ExtensionOptions } from "../request/operation/trace.ts";
import type { LogConfig } from "../telemetry/log.ts";

/** Configuration of `createKernel`: everything except the network. Sufficient to embed Quern in an application. */
export interface KernelConfig {
  /** The database. The kernel opens and closes it. */
  readonly storage: Storage;
  /** Directive plugins, in the order in which their hooks run. Without plugins a schema may only use `@deprecated`. */
  readonly plugins?: readonly DirectivePlugin[];
  /** Limits of requests, connections and caches. Absent limits have their default (`defaultLimits`). */
  readonly limits?: LimitOptions;
  /**
   * For development: errors include hints (`extensions.hint`), a request may ask for its plan (`extensions.plan`), errors that access
   * rules hide are shown, and hooks of plugins get deeply frozen arguments. Default: false.
   */
  readonly debug?: boolean;
  /**
   * `"compatible"`: errors of requests and schemas are those of Dgraph, word for word, without codes; a mutation that access rules refuse answers null and says
   * nothing. For clients that match on these texts. Default: `"plain"`, Quern's own words, with `extensions.code`.
   */
  readonly errors?: ErrorStyle;
  /**
   * False: the server refuses `__schema` and `__type`, and errors suggest no names, unless the request has the admin token or an admin key.
   * Default: true.
   */
  readonly introspection?: boolean;
  /**
   * What answers say about themselves beside their data. False: nothing but `requestID` and `commit` of mutations and `resume` of subscriptions. With `tracing`,
   * also when each root field ran, in the format of Apollo tracing. Default: `touched_uids`, without `tracing`.
   */
  readonly extensions?: false | ExtensionOptions;
  /** Plugins of `@envelop/core`; they wrap every operation on every transport. Default: none. */
  readonly envelop?: readonly EnvelopPlugin[];
  /**
   * Runs long queries outside this thread, such as `readWorkers({ count: 2, config: new URL("quern.config.js", import.meta.url) })`. The storage needs `readers`,
   * as LevelDB has. With envelop plugins every query stays here. Default: none.
   */
  readonly readWorkers?: ReadWorkers;
  /** What requests may take together with those of other kernels of the process: `processBudget` of `quern/server`. Default: a budget of its own. */
  readonly budget?: ProcessBudget;
  /** Level and destination of the log. Default: warnings and faults to stderr. */
  readonly log?: LogConfig;
  /** Records requests and serves `GET /metrics`, such as `prometheusMetrics()`. Default: none. */
  readonly metrics?: Metrics;
}
