// The configuration of a server: the kernel, its transports, and access to the paths of the HTTP surface.

import type { Kernel, KernelConfig } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import type { Storage } from "../../../core/storage.ts";
import type { Transport } from "../../../core/transport.ts";

/** Access to the paths of the HTTP surface, and what `/graphql` serves. */
export interface EndpointConfig {
  /** Access to the admin paths. */
  readonly admin?: AdminConfig;
  /** Keys that clients send as `X-Auth-Token`. Default: none. */
  readonly apiKeys?: readonly ApiKey[];
  /** False: a request to `/graphql` without a known key is refused. Default: true. */
  readonly anonymousAccess?: boolean;
  /** Whether a browser that opens `/graphql` gets GraphiQL. It needs no internet. Default: true. */
  readonly graphiql?: boolean;
  /** Whether a browser that opens `/console` gets the console. It needs no internet, and the admin token to show anything. Default: true. */
  readonly console?: boolean;
  /**
   * Proxies in front of the server whose `X-Forwarded-For` says where a request comes from: addresses, CIDR blocks (`10.0.0.0/8`) and ranges
   * (`10.0.0.1:10.0.0.9`). For `limits.perCaller`; access to the admin paths does not depend on it. Default: none.
   */
  readonly trustProxy?: readonly string[];
  /**
   * A file of documents that clients send by id; a string is the path of the file. The kernel reads it when it opens. A relative path is
   * resolved against the working folder. Default: none.
   */
  readonly trustedDocuments?: string | TrustedDocumentsConfig;
  /** Which of the namespaces of a server this kernel serves; `quern/adapters/namespaces` sets it. Default: 0, and there are no others. */
  readonly namespace?: ServedNamespace;
}

/** One namespace of a server with several. */
export interface ServedNamespace {
  /** 0: its administrators are those of the server. Administrators of others choose no folder of the server, and see none. */
  readonly number: number;
  /** The numbers of all namespaces of the server, ascending. */
  readonly all: () => readonly number[];
  /** Runs `work` on the kernel of a namespace, which stays open until it has ended. */
  readonly within: <T>(namespace: number, work: (kernel: Kernel) => Promise<T>) => Promise<T>;
  /** Keeps which namespaces there are; absent where there is one. */
  readonly registry?: Storage;
}

export interface TrustedDocumentsConfig {
  /**
   * JSON: an object of texts by id, as the Relay compiler and GraphQL code generator write it, or Apollo's persisted query manifest, version 1.
   */
  readonly file: string;
  /** True: `/graphql` runs these documents only, and serves no GraphiQL. Default: false. */
  readonly only?: boolean;
}

/** The part of a server's configuration that `createKernel` takes. */
export function kernelConfigOf(config: KernelConfig & EndpointConfig & Partial<QuernConfig>): KernelConfig {
  const {
    transports,
    schema,
    host,
    port,
    workers,
    collectWhenIdle,
    namespaces,
    admin,
    apiKeys,
    anonymousAccess,
    graphiql,
    console,
    trustProxy,
    trustedDocuments,
    namespace,
    ...kernelConfig
  } = config;
  return kernelConfig;
}

/** The configuration of a server: what a config file exports. */
export interface QuernConfig extends KernelConfig, EndpointConfig {
  /** At least one. The first listens on `port`, the others on the following ports. */
  readonly transports: readonly Transport[];
  /** A schema, deployed at start when it differs from the deployed one. A refusal ends the start. Default: the schema that was deployed last. */
  readonly schema?: string;
  /** The interface to listen on. Default: `127.0.0.1`, this machine only. */
  readonly host?: string;
  /** 0 to 65535; 0: any free port. Default: 8080. */
  readonly port?: number;
  /**
   * Threads beside the main one in which `quern start` runs long queries; 0: none. For storages that several threads can read, as LevelDB. Default: one less
   * than there are cores. An application that calls `serve` passes `readWorkers` instead.
   */
  readonly workers?: number;
  /**
   * Whether `quern start` collects garbage once when memory has grown and the server waits: V8 keeps it otherwise until it needs the room. Default: true. An
   * application that calls `serve` calls `collectWhenIdle` itself.
   */
  readonly collectWhenIdle?: boolean;
  /** Several databases in one server, each with a schema, users and live queries of its own. `quern start --acl-secret` serves them. Default: one. */
  readonly namespaces?: NamespacesConfig;
}

/**
 * Namespaces beside that of `storage`, which is namespace 0:
 *
 *     namespaces: { stores: leveldbNamespaces({ path: "./data" }), plugins: () => [identityPlugin(), searchPlugin()] }
 */
export interface NamespacesConfig {
  readonly stores: NamespaceStores;
  /** New plugins for a namespace, 0 too: they take the place of `plugins`. */
  readonly plugins: (namespace: number) => readonly DirectivePlugin[];
  /** Namespaces beside 0 that are open at the same time. Default: 32. */
  readonly maxOpen?: number;
  /** How long a namespace stays open that nobody uses, in milliseconds. Default: 5 minutes. */
  readonly idleMs?: number;
}

/** Where namespaces are stored: `leveldbNamespaces` and `mongodbNamespaces` are two such places. */
export interface NamespaceStores {
  /** Keeps which namespaces there are. */
  readonly registry: Storage;
  /** The store of a namespace other than 0; made when it is not there. */
  storage(namespace: number): Storage;
  /** Removes the store of a namespace, or what is left of it; nothing when nothing is. Nobody has it open. */
  remove(namespace: number): Promise<void>;
}

/** Access to the admin paths. They need the admin token or an admin key. Without a token, an admin key and `open` they refuse every request. */
export interface AdminConfig {
  /**
   * Expected in the header `X-Service-AuthToken` (or `X-Dgraph-AuthToken`). Each token of a list is valid, such as the old and the new one during
   * a rotation. Take it from the environment. A token of fewer than 32 characters is refused where the server listens beyond loopback, and logged elsewhere. Default: none; `quern start` generates one.
   */
  readonly token?: string | readonly string[] | undefined;
  /**
   * `"loopback"`: for development, a request from this machine needs no token. Its peer is a loopback address, its `Host` a loopback name or
   * address, its `Origin` absent, the same as `Host` or one of `origins`, and no proxy has forwarded it. Default: every request needs the token.
   */
  readonly open?: "loopback" | undefined;
  /** Origins whose pages may read the answers of admin paths, such as `https://console.example`. `"*"`: any, with the token. Default: none. */
  readonly origins?: readonly string[];
  /**
   * Addresses, beside loopback, that may call the admin paths, with the token: addresses, CIDR blocks (`10.0.0.0/8`), ranges
   * (`10.0.0.1:10.0.0.9`), and host names, which are resolved once, at start. Default: all.
   */
  readonly allow?: readonly string[];
  /** The folder of exports whose administrator names none. Default: `export` in the folder of the store; without one, `./export`. */
  readonly exports?: string;
  /** Whether `POST /alter` may drop data. Default: only for requests from this machine, as `open` describes them. */
  readonly drop?: boolean;
}

/** An API key. The server knows only its hash. Make keys of 32 random bytes: `openssl rand -hex 32`. */
export interface ApiKey {
  /** A name for operators. */
  readonly name: string;
  /** An admin key replaces the admin token; a client key does not. */
  readonly kind: "admin" | "client";
  /** SHA-256 of the key, 64 hexadecimal digits: `printf %s "$KEY" | sha256sum`. */
  readonly hash: string;
}

/** Where a server listens when the configuration does not say: on this machine only. */
export const defaultHost = "127.0.0.1";
/** The port when the configuration names none. */
export const defaultPort = 8080;

/**
 * Returns `config`; TypeScript checks it in the editor.
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
