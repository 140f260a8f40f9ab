// Routes each request to the namespace of its caller, and makes and deletes namespaces.

import type { Kernel, Limits } from "../../core/index.ts";
import type { ProcessBudget } from "../../core/server.ts";
import { andThen, isPromise, type MaybePromise, QuernError, rescued } from "../../core/storage.ts";
import type { HttpRequest, HttpResponse, SocketAcceptance } from "../../core/transport.ts";
import type { ServedNamespace, ServerKernel } from "../server/index.ts";
import { holdUntilSent } from "./hold-response.ts";
import type { Namespaces, NamespacesOptions } from "./namespaces.ts";
import { type Lease, OpenNamespaces } from "./open-namespaces.ts";
import { refusalOf } from "./refusal.ts";
import { Registry } from "./registry.ts";
import { SharedCache } from "./shared-cache.ts";
import { summedGauges } from "./sum-gauges.ts";
import { type Handshake, type SocketHost, WaitingSocket } from "./waiting-socket.ts";

export interface HostOptions extends Pick<NamespacesOptions, "stores" | "namespaceOf"> {
  readonly limits: Limits;
  readonly budget: ProcessBudget;
  readonly maxOpen: number;
  readonly idleMs: number;
  /** A kernel that is not open, of a namespace other than 0. */
  readonly kernelOf: (namespace: number) => ServerKernel;
}

/** Paths about the process: namespace 0 answers them, whose administrators alone are those of the server. */
const processPaths: ReadonlySet<string> = new Set([
  "/metrics",
  "/debug/prometheus_metrics",
  "/health/live",
  "/health/ready",
  "/admin/shutdown",
  "/admin/draining",
  "/admin/config/cache_mb",
]);

/** How long a request waits until fewer namespaces are in use, in milliseconds. */
const patienceMs = 5_000;

export class Host implements Namespaces {
  readonly #options: HostOptions;
  readonly #registry: Registry;
  /** Those that this server removes itself. */
  readonly #removing = new Set<number>();
  readonly #sockets = new Set<WaitingSocket>();
  #open: OpenNamespaces | undefined;
  #zero: ServerKernel | undefined;
  #cache: SharedCache | undefined;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#registry = new Registry(options.stores.registry, {
      gone: (namespaces) => void this.#removedElsewhere(namespaces),
      failed: (thrown) => this.#zero?.log.fault(thrown, { where: "namespaces" }),
    });
  }

  /** Namespace 0, through which all others are reached. */
  attachTo(zero: ServerKernel): ServerKernel {
    this.#zero = zero;
    this.#cache = new SharedCache(zero);
    zero.gauges.add("namespaces", () => this.#registry.all.length + 1);
    zero.gauges.add("namespacesOpen", () => (this.#open?.size ?? 0) + 1);
    zero.gauges.add("namespacesWaiting", () => this.#open?.waiting ?? 0);
    const { budget } = this.#options;
    zero.gauges.add("keptBytes", () => budget.longWork.keptBytes);
    zero.gauges.add("unsentBytes", () => budget.unsent.bytes);
    const read = zero.gauges.read.bind(zero.gauges);
    Object.assign(zero.gauges, { read: summedGauges(read, () => this.#open?.kernels ?? []) });
    zero.observe({ leaving: () => this.#leave() });
    const own = { open: zero.open.bind(zero), close: zero.close.bind(zero), setDraining: zero.setDraining.bind(zero) };
    const doors = { http: zero.http, upgrade: zero.upgrade };
    return Object.assign(zero, {
      open: async (options: Parameters<Kernel["open"]>[0]) => {
        await this.#start();
        await own.open(options).catch(async (thrown) => {
          await this.#stop();
          throw thrown;
        });
      },
      close: async () => {
        await this.#stop();
        await own.close();
      },
      setDraining: (on: boolean) => {
        own.setDraining(on);
        for (const kernel of this.#open?.kernels ?? []) kernel.setDraining(on);
      },
      http: (request: HttpRequest) => this.#http(request, doors.http),
      upgrade: (request: Handshake) => this.#upgrade(request, doors),
    });
  }

  served(namespace: number): ServedNamespace {
    return {
      number: namespace,
      all: () => [0, ...this.#registry.all],
      within: (other, work) => this.#within(other, work),
      registry: this.#options.stores.registry,
    };
  }

  has(namespace: number): boolean {
    return namespace === 0 || this.#registry.has(namespace);
  }

  async ask(namespace: number, request: HttpRequest): Promise<HttpResponse> {
    return await this.#within(namespace, async (kernel) => await kernel.http(request));
  }

  async add(prepare: Parameters<Namespaces["add"]>[0]): Promise<number> {
    const namespace = await this.#registry.begin();
    try {
      const lease = await this.#opened.lease(namespace);
      try {
        await prepare((request) => lease.kernel.http(request), namespace);
      } finally {
        lease.release();
      }
      await this.#registry.finish(namespace);
    } catch (thrown) {
      await this.#remove(namespace).catch((fault) => this.#zero?.log.fault(fault, { where: "namespaces", namespace }));
      throw thrown;
    }
    this.#zero?.log.info("namespace", `namespace ${namespace} is made`, { namespace });
    return namespace;
  }

  async delete(namespace: number): Promise<boolean> {
    this.#removing.add(namespace);
    try {
      if (!(await this.#registry.end(namespace))) return false;
      await this.#remove(namespace);
    } finally {
      this.#removing.delete(namespace);
    }
    this.#zero?.log.info("namespace", `namespace ${namespace} is deleted`, { namespace });
    return true;
  }

  /** What is left after a crash is removed at the next start. */
  async #remove(namespace: number): Promise<void> {
    await this.#open?.end(namespace);
    await this.#options.stores.remove(namespace);
    await this.#registry.forget(namespace);
  }

  /** Another server removes them. What this one writes until it has closed them is removed again. */
  async #removedElsewhere(namespaces: readonly number[]): Promise<void> {
    for (const namespace of namespaces) {
      if (this.#removing.has(namespace)) continue;
      try {
        await this.#open?.end(namespace);
        await this.#options.stores.remove(namespace);
      } catch (thrown) {
        this.#zero?.log.fault(thrown, { where: "namespaces", namespace });
      }
    }
  }

  async #start(): Promise<void> {
    if (this.#open !== undefined) return;
    const { kernelOf, maxOpen, idleMs, limits, stores } = this.#options;
    await this.#registry.open();
    for (const namespace of this.#registry.leftOvers) {
      await stores.remove(namespace);
      await this.#registry.forget(namespace);
    }
    this.#open = new OpenNamespaces({
      maxOpen,
      idleMs,
      patienceMs,
      maxWaiting: limits.maxWaitingRequests,
      kernelOf: (namespace) => this.#drained(kernelOf(namespace)),
      changed: (kernels) => this.#cache?.share(kernels),
      failed: (thrown, namespace) => this.#zero?.log.fault(thrown, { where: "close", namespace }),
    });
  }

  #drained(kernel: ServerKernel): ServerKernel {
    if (this.#zero?.draining) kernel.setDraining(true);
    return kernel;
  }

  async #stop(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#leave();
    await open.close();
    await this.#registry.close();
  }

  get #opened(): OpenNamespaces {
    if (this.#open) return this.#open;
    throw new QuernError("STORE_CLOSED", "The server is closing.");
  }

  async #within<T>(namespace: number, work: (kernel: ServerKernel) => Promise<T>): Promise<T> {
    if (namespace === 0 && this.#zero) return await work(this.#zero);
    if (!this.has(namespace)) throw new QuernError("NOT_FOUND", `There is no namespace ${namespace}.`);
    const lease = await this.#opened.lease(namespace);
    try {
      return await work(lease.kernel);
    } finally {
      lease.release();
    }
  }

  #http(request: HttpRequest, zero: ServerKernel["http"]): MaybePromise<HttpResponse> {
    if (processPaths.has(pathOf(request.url))) return zero(request);
    return andThen(this.#namespaceFor(request.headers), (namespace) => (namespace === 0 ? zero(request) : this.#ask(namespace, request)));
  }

  /** Namespace 0 refuses callers of a namespace that is not there. */
  #namespaceFor(headers: HttpRequest["headers"]): MaybePromise<number> {
    return andThen(this.#options.namespaceOf(headers), (namespace) => (this.has(namespace) ? namespace : 0));
  }

  #ask(namespace: number, request: HttpRequest): MaybePromise<HttpResponse> {
    return rescued<HttpResponse>(
      () => andThen(this.#opened.lease(namespace), (lease) => answerUnder(lease, request)),
      (thrown) => {
        this.#reportOpening(thrown, namespace);
        return refusalOf(thrown);
      },
    );
  }

  #reportOpening(thrown: unknown, namespace: number): void {
    if (thrown instanceof QuernError && (thrown.code === "OVERLOADED" || thrown.code === "STORE_CLOSED")) return;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    this.#zero?.log.warn("namespace", `namespace ${namespace} does not open: ${reason}`, { namespace });
  }

  /** The handshake is accepted for any namespace; its own pages, and whether it takes clients, are checked once it is known. */
  async #upgrade(request: Handshake, { http, upgrade }: Pick<ServerKernel, "http" | "upgrade">): Promise<HttpResponse | SocketAcceptance> {
    if (pathOf(request.url) !== "/graphql") return await this.#http({ ...request, body: new Uint8Array(0) }, http);
    const { origin: _origin, ...headers } = request.headers;
    const answer = await upgrade({ ...request, headers });
    const isUnspoken = "open" in answer && answer.protocol === undefined && (headers["sec-websocket-protocol"] ?? "").trim() !== "";
    if (!("open" in answer) || isUnspoken) return answer;
    if (this.#sockets.size >= this.#options.limits.maxLiveClients) return refusalOf(new QuernError("OVERLOADED", "Too many clients connect."));
    const needsInit = answer.protocol === "graphql-transport-ws";
    return { ...answer, open: (socket) => this.#entered(new WaitingSocket(this.#socketHost(upgrade), request, { socket, needsInit })) };
  }

  #socketHost(upgrade: ServerKernel["upgrade"]): SocketHost {
    return {
      initMs: this.#options.limits.socketInitMs,
      leaseFor: (headers) => this.#leaseFor(headers),
      accept: async (handshake) => await upgrade(handshake),
      failed: (thrown) => this.#zero?.log.fault(thrown, { where: "namespaces" }),
      settled: (settled) => void this.#sockets.delete(settled),
    };
  }

  #entered(socket: WaitingSocket): WaitingSocket {
    this.#sockets.add(socket);
    return socket;
  }

  async #leaseFor(headers: HttpRequest["headers"]): Promise<Lease | undefined> {
    const namespace = await this.#namespaceFor(headers);
    return namespace === 0 ? undefined : await this.#opened.lease(namespace);
  }

  #leave(): void {
    for (const socket of [...this.#sockets]) socket.leaving();
  }
}

function answerUnder({ kernel, release }: Lease, request: HttpRequest): MaybePromise<HttpResponse> {
  const answer = kernel.http(request);
  return isPromise(answer) ? answer.then((response) => holdUntilSent(request, response, release)) : holdUntilSent(request, answer, release);
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? "";
}
