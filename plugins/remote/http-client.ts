// Requests to remote services: bounded in time, size and number, to permitted addresses only.

import { lookup } from "node:dns";
import { setMaxListeners } from "node:events";
import { isIP, type LookupFunction } from "node:net";
import type { Agent, Dispatcher } from "undici";
import { QuernError } from "../../core/plugin.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { OperationBytes } from "./operation-bytes.ts";
import { readText } from "./read-text.ts";
import { nextRequest } from "./redirect.ts";
import { failureOf, RemoteFailure } from "./remote-failure.ts";
import type { RemoteReply, RemoteRequest } from "./remote-request.ts";
import { traceHeaders } from "./trace-headers.ts";

/** The bounds of a client. */
export interface HttpClientOptions {
  /** Milliseconds for one request, redirects and the reply included. */
  readonly timeoutMs: number;
  /** Bytes of one reply. */
  readonly maxResponseBytes: number;
  /** Bytes of the replies to all requests of one operation. */
  readonly maxOperationBytes: number;
  /** Requests to one origin at the same time; further ones wait. */
  readonly maxConcurrent: number;
}

/** The bounds of one request. */
export interface SendOptions {
  /** Ends the request when it aborts. */
  readonly signal: AbortSignal;
  /** The same object for all requests of one operation, whose replies are counted together. By default the request stands alone. */
  readonly operation?: object;
  /** By default that of the options. */
  readonly timeoutMs?: number;
  /** Default: 5. With 0 a redirect is the reply. */
  readonly maxRedirects?: number;
  /** What the caller wants to know. Default: all. Of a reply whose `status` alone counts, the body is dropped unread: its text is empty. */
  readonly wants?: "all" | "status";
}

/** Sends requests to other services: to permitted addresses only, bounded in time, bytes and number. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #policy: AddressPolicy;
  readonly #operations: OperationBytes;
  #agent: Promise<Agent> | undefined;

  constructor(options: HttpClientOptions, policy: AddressPolicy) {
    this.#options = options;
    this.#policy = policy;
    this.#operations = new OperationBytes(options.maxOperationBytes);
  }

  /** @throws RemoteFailure whose message may be shown to clients */
  async send(
    request: RemoteRequest,
    { signal, operation = request, timeoutMs = this.#options.timeoutMs, maxRedirects = 5, wants = "all" }: SendOptions,
  ): Promise<RemoteReply> {
    // Before the time limit begins: it is for the remote service, not for loading the library.
    this.#agent ??= this.#open();
    const agent = await this.#agent;
    const end = new AbortController();
    const stop = () => end.abort(endedBy(signal));
    const timer = setTimeout(() => end.abort(new RemoteFailure(`no reply within ${timeoutMs} ms`)), timeoutMs);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    // One operation may ask for a thousand parents: that many listeners are no leak.
    setMaxListeners(0, signal);
    const received = this.#operations.counterOf(operation);
    try {
      const headers = { ...(await traceHeaders()), ...request.headers };
      return await this.#follow(agent, { ...request, headers }, { signal: end.signal, maxRedirects, wants, received });
    } catch (thrown) {
      throw failureOf(end.signal.aborted ? end.signal.reason : thrown);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** Breaks running requests off. */
  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  async #follow(agent: Agent, first: RemoteRequest, { signal, maxRedirects, wants, received }: Following): Promise<RemoteReply> {
    let request = first;
    for (let redirects = 0; ; redirects++) {
      const { statusCode, headers, body } = await this.#request(agent, request, signal);
      const next = maxRedirects > 0 ? nextRequest(request, statusCode, headers.location) : undefined;
      if (!next && wants === "all") {
        return {
          status: statusCode,
          text: await readText(body, { headers, maxBytes: this.#options.maxResponseBytes, received }),
        };
      }
      if (!next) {
        drop(body);
        return { status: statusCode, text: "" };
      }
      await body.dump();
      if (redirects === maxRedirects) throw new RemoteFailure(`more than ${maxRedirects} redirects`);
      request = next;
    }
  }

  async #request(agent: Agent, { method, url, headers, body }: RemoteRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { origin, host, path } = partsOf(url);
    // An address in the URL is connected to without a look-up.
    if (isIP(host) !== 0 && !this.#policy.permits(host, host)) throw new RemoteFailure(`the address ${host} is not permitted`);
    return await agent.request({ origin, path, method: method as Dispatcher.HttpMethod, headers, body: body ?? null, signal });
  }

  /** The library is loaded when something is asked: most servers ask nobody. */
  async #open(): Promise<Agent> {
    const { Agent } = await import("undici");
    const { maxConcurrent, timeoutMs } = this.#options;
    return new Agent({
      connections: maxConcurrent,
      pipelining: 1,
      allowH2: true,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { lookup: permittedLookup(this.#policy), timeout: timeoutMs },
    });
  }
}

interface Following extends Required<Omit<SendOptions, "timeoutMs" | "operation">> {
  /** Counts bytes of the reply. @throws RemoteFailure */
  readonly received: (bytes: number) => void;
}

const droppedWithinMs = 5_000;

/** Nobody waits for the body. One that is short keeps its connection; one that is long or slow loses it. */
function drop(body: Dispatcher.ResponseData["body"]): void {
  body.dump({ limit: 65_536, signal: AbortSignal.timeout(droppedWithinMs) }).catch(() => undefined);
}

/** Why a request ends with its operation. */
function endedBy({ reason }: AbortSignal): RemoteFailure {
  const isLimit = reason instanceof QuernError && reason.code === "LIMIT_REACHED";
  return new RemoteFailure(isLimit ? "no reply before the time of the operation was over (limits.maxTimeMs)" : "the request was cancelled");
}

interface UrlParts {
  readonly origin: string;
  /** Without brackets. */
  readonly host: string;
  /** As written: a URL object would resolve `..` and encode anew. */
  readonly path: string;
}

function partsOf(url: string): UrlParts {
  const { origin, hostname } = new URL(url);
  const [, path = ""] = /^[a-z]+:\/\/[^/?#]*([^#]*)/iu.exec(url) ?? [];
  return { origin, host: hostname.replace(/^\[|\]$/gu, ""), path: path.startsWith("/") ? path : `/${path}` };
}

/** Gives only addresses that the policy permits, so that the connection cannot go to another one. */
function permittedLookup(policy: AddressPolicy): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const permitted = addresses.filter(({ address }) => policy.permits(host, address));
      const [first] = permitted;
      if (!first) return callback(new RemoteFailure(`the address of ${host} is not permitted`), "", 0);
      if (options.all) callback(null, permitted);
      else callback(null, first.address, first.family);
    });
  };
}
