// Requests to remote services: bounded in time, size and number, to permitted addresses only.

import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, type Dispatcher } from "undici";
import type { ResolvedOptions } from "../options.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { readText } from "./read-text.ts";
import { nextRequest } from "./redirect.ts";
import { RemoteFailure, reasonOf } from "./remote-failure.ts";
import type { RemoteReply, RemoteRequest } from "./remote-request.ts";
import { traceHeaders } from "./trace-headers.ts";

export interface SendOptions {
  readonly signal: AbortSignal;
  /** By default that of the options. */
  readonly timeoutMs?: number;
}

const maxRedirects = 5;

export class HttpClient {
  readonly #options: ResolvedOptions;
  readonly #policy: AddressPolicy;
  readonly #agent: Agent;

  constructor(options: ResolvedOptions, policy: AddressPolicy) {
    this.#options = options;
    this.#policy = policy;
    this.#agent = new Agent({
      connections: options.maxConcurrent,
      pipelining: 1,
      allowH2: true,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { lookup: permittedLookup(policy), timeout: options.timeoutMs },
    });
  }

  /** @throws RemoteFailure whose message may be shown to clients */
  async send(request: RemoteRequest, { signal, timeoutMs = this.#options.timeoutMs }: SendOptions): Promise<RemoteReply> {
    const end = new AbortController();
    const stop = () => end.abort(new RemoteFailure("the request was cancelled"));
    const timer = setTimeout(() => end.abort(new RemoteFailure(`no reply within ${timeoutMs} ms`)), timeoutMs);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    try {
      return await this.#follow({ ...request, headers: { ...traceHeaders(), ...request.headers } }, end.signal);
    } catch (thrown) {
      throw thrown instanceof RemoteFailure
        ? thrown
        : new RemoteFailure(reasonOf(end.signal.aborted ? end.signal.reason : thrown), { cause: thrown });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** Breaks running requests off. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #follow(first: RemoteRequest, signal: AbortSignal): Promise<RemoteReply> {
    let request = first;
    for (let redirects = 0; ; redirects++) {
      const { statusCode, headers, body } = await this.#request(request, signal);
      const next = nextRequest(request, statusCode, headers.location);
      if (!next) return { status: statusCode, text: await readText(body, this.#options.maxResponseBytes) };
      await body.dump();
      if (redirects === maxRedirects) throw new RemoteFailure(`more than ${maxRedirects} redirects`);
      request = next;
    }
  }

  async #request({ method, url, headers, body }: RemoteRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { origin, host, path } = partsOf(url);
    // An address in the URL is connected to without a look-up.
    if (isIP(host) !== 0 && !this.#policy.permits(host, host)) throw new RemoteFailure(`the address ${host} is not permitted`);
    return await this.#agent.request({ origin, path, method: method as Dispatcher.HttpMethod, headers, body: body ?? null, signal });
  }
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
