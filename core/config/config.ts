// What a stack is made of: one storage, transports, directive plugins, and the settings that go with them.

import type { Plugin as EnvelopPlugin } from "@envelop/core";
import type { Metrics } from "../contracts/metrics.ts";
import type { DirectivePlugin } from "../contracts/plugin.ts";
import type { Storage } from "../contracts/storage.ts";
import type { Transport } from "../contracts/transport.ts";
import type { Limits } from "../ground/limits.ts";
import type { LogConfig } from "../telemetry/log.ts";

/** What `createKernel` needs: everything that does not listen. Enough to embed Quern in an application. */
export interface KernelConfig {
  /** The database. The kernel opens and closes it. */
  readonly storage: Storage;
  /** Directive plugins, in the order in which their hooks run. Without them a schema may use no directive but `@deprecated`. */
  readonly plugins?: readonly DirectivePlugin[];
  /** Bounds on single requests; what is not named keeps its default (`defaultLimits`). */
  readonly limits?: Partial<Limits>;
  /** Who may deploy and drop over HTTP. */
  readonly admin?: AdminConfig;
  /** Keys that clients send as `X-Auth-Token`. Default: none. */
  readonly apiKeys?: readonly ApiKey[];
  /** False: a request to `/graphql` without a known key is refused. Default: true. */
  readonly anonymousAccess?: boolean;
  /**
   * For development: errors carry their hints (`extensions.hint`), a request may ask for its plan (`extensions.plan`), errors that are
   * hidden by access rules are shown. Default: false.
   */
  readonly debug?: boolean;
  /** Whether a browser that opens `/graphql` gets GraphiQL. It needs no internet. Default: true. */
  readonly graphiql?: boolean;
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

/** A server: a kernel with transports in front of it. What a config file exports. */
export interface QuernConfig extends KernelConfig {
  /** Each listens by itself: the first on `port`, the others on the ports after it. At least one. */
  readonly transports: readonly Transport[];
  /** Text of a schema, deployed at start when it differs from the deployed one. A refusal ends the start. Default: what was deployed last. */
  readonly schema?: string;
  /** The interface to listen on. Default: `127.0.0.1`, this machine only. */
  readonly host?: string;
  /** 0 to 65535; 0 is any free one. Default: 8080. */
  readonly port?: number;
}

/** The admin paths answer only to the admin token or an admin key. Without a token, an admin key and `open` they answer nobody. */
export interface AdminConfig {
  /**
   * Expected in the header `X-Service-AuthToken` (or `X-Dgraph-AuthToken`); any one of a list, such as the new one and the old one while clients
   * change over. Take it from the environment. Default: none; `quern start` makes one.
   */
  readonly token?: string | readonly string[] | undefined;
  /**
   * `"loopback"`: for development, a request from this machine needs no token. Its peer is a loopback address, its `Host` a loopback name or
   * address, its `Origin` absent, the same as `Host` or one of `origins`, and no proxy has forwarded it. Default: everybody needs the token.
   */
  readonly open?: "loopback" | undefined;
  /** Origins whose pages may read the answers of admin paths, such as `https://console.example`. `"*"`: any, with the token. Default: none. */
  readonly origins?: readonly string[];
  /**
   * Which addresses beside loopback may call the admin paths, with the token: addresses, CIDR blocks (`10.0.0.0/8`), ranges
   * (`10.0.0.1:10.0.0.9`), names of hosts, which are looked up once, at start. Default: all.
   */
  readonly allow?: readonly string[];
  /** Whether `POST /alter` may drop data. Default: only for requests from this machine, as `open` describes them. */
  readonly drop?: boolean;
}

/** A key as the server knows it. The key itself stays with its holder: 32 random bytes, say `openssl rand -hex 32`. */
export interface ApiKey {
  /** For people. */
  readonly name: string;
  /** An admin key also stands for the admin token; a client key never does. */
  readonly kind: "admin" | "client";
  /** SHA-256 of the key, 64 hexadecimal digits: `printf %s "$KEY" | sha256sum`. */
  readonly hash: string;
}

export const defaultHost = "127.0.0.1";
export const defaultPort = 8080;

/**
 * The stack of a `quern.config.mts`, checked by TypeScript as it is typed.
 *
 *     export default defineConfig({
 *       storage: leveldbStorage({ path: "./data" }),
 *       transports: [wsTransport()],
 *       plugins: [identityPlugin(), searchPlugin()],
 *     });
 */
export function defineConfig(config: QuernConfig): QuernConfig {
  return config;
}
