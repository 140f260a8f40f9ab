// What a server with namespaces is made of: their stores, their configuration, and who is in which of them.

import type { KernelConfig } from "../../core/index.ts";
import type { MaybePromise } from "../../core/storage.ts";
import type { HttpRequest, HttpResponse } from "../../core/transport.ts";
import type { EndpointConfig, NamespaceStores } from "../server/index.ts";

/** The namespaces of a server, for plugins: who may do this is up to them. */
export interface Namespaces {
  /** Whether there is such a namespace. */
  has(namespace: number): boolean;
  /** Answers a request there. Rejects when it cannot be opened now. */
  ask(namespace: number, request: HttpRequest): Promise<HttpResponse>;
  /** Makes a namespace, which is there for others once `prepare` has resolved, and not at all when it rejects. Resolves with its number. */
  add(prepare: (ask: (request: HttpRequest) => MaybePromise<HttpResponse>, namespace: number) => Promise<void>): Promise<number>;
  /** Deletes a namespace with all that is in it. False: there is none. */
  delete(namespace: number): Promise<boolean>;
}

/** Options of `namespacesKernel`. */
export interface NamespacesOptions {
  readonly stores: NamespaceStores;
  /** What is not the same in all namespaces, at least the plugins: one object of a plugin serves one namespace. */
  readonly configOf: (namespace: number, namespaces: Namespaces) => Pick<KernelConfig, "plugins"> & Partial<KernelConfig & EndpointConfig>;
  /** The namespace that a request is for, by its headers; the others of its handshake and its connection parameters, for a WebSocket. */
  readonly namespaceOf: (headers: HttpRequest["headers"]) => MaybePromise<number>;
  /** Namespaces beside 0 that are open at the same time. Default: 32. */
  readonly maxOpen?: number;
  /** How long a namespace stays open that nobody uses, in milliseconds. Default: 5 minutes. */
  readonly idleMs?: number;
}
