// What a kernel is made of: one storage, directive plugins, and the settings that go with them.

import type { Plugin as EnvelopPlugin } from "@envelop/core";
import type { Metrics } from "../contracts/metrics.ts";
import type { DirectivePlugin } from "../contracts/plugin.ts";
import type { Storage } from "../contracts/storage.ts";
import type { LimitOptions } from "../ground/limits.ts";
import type { LogConfig } from "../telemetry/log.ts";

/** What `createKernel` needs: everything that does not listen. Enough to embed Quern in an application. */
export interface KernelConfig {
  /** The database. The kernel opens and closes it. */
  readonly storage: Storage;
  /** Directive plugins, in the order in which their hooks run. Without them a schema may use no directive but `@deprecated`. */
  readonly plugins?: readonly DirectivePlugin[];
  /** Bounds on single requests; what is not named keeps its default (`defaultLimits`). */
  readonly limits?: LimitOptions;
  /**
   * For development: errors carry their hints (`extensions.hint`), a request may ask for its plan (`extensions.plan`), errors that are
   * hidden by access rules are shown. Default: false.
   */
  readonly debug?: boolean;
  /**
   * False: `__schema` and `__type` are refused, and no error suggests a name, unless the request carries the admin token or an admin key.
   * Default: true.
   */
  readonly introspection?: boolean;
  /** Plugins of `@envelop/core`, run around every operation on every transport. Default: none. */
  readonly envelop?: readonly EnvelopPlugin[];
  /** What is logged, and where to. Default: warnings and faults, on stderr. */
  readonly log?: LogConfig;
  /** Counts requests and serves `GET /metrics`, such as `prometheusMetrics()`. Default: none. */
  readonly metrics?: Metrics;
}
