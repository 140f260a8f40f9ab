// What a server is made of: a kernel, transports in front of it, and who may call which path.

import type { KernelConfig, Transport } from "../../../core/index.ts";

/** Who may call which path of the HTTP surface. */
export interface EndpointConfig {
  /** Who may deploy and drop over HTTP. */
  readonly admin?: AdminConfig;
  /** Keys that clients send as `X-Auth-Token`. Default: none. */
  readonly apiKeys?: readonly ApiKey[];
  /** False: a request to `/graphql` without a known key is refused. Default: true. */
  readonly anonymousAccess?: boolean;
  /** Whether a browser that opens `/graphql` gets GraphiQL. It needs no internet. Default: true. */
  readonly graphiql?: boolean;
  /**
   * A file of documents that clients name by their id; a text is the file alone. The kernel reads it when it opens; a relative path starts
   * at the working folder. Default: none.
   */
  readonly trustedDocuments?: string | TrustedDocumentsConfig;
}

export interface TrustedDocumentsConfig {
  /**
   * JSON: an object of texts by id, as the Relay compiler and GraphQL code generator write it, or Apollo's persisted query manifest, version 1.
   */
  readonly file: string;
  /** True: `/graphql` runs these documents and no other, and serves no GraphiQL. Default: false. */
  readonly only?: boolean;
}

/** The part of a server's configuration that `createKernel` takes. */
export function kernelConfigOf(config: KernelConfig & EndpointConfig & Partial<QuernConfig>): KernelConfig {
  const { transports, schema, host, port, admin, apiKeys, anonymousAccess, graphiql, trustedDocuments, ...kernelConfig } = config;
  return kernelConfig;
}

/** A server: a kernel with transports in front of it. What a config file exports. */
export interface QuernConfig extends KernelConfig, EndpointConfig {
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
