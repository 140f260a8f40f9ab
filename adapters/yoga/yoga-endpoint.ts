// An endpoint with Yoga's plugins around the kernel's. The shared server for Node reads requests, applies limits and sends answers.

import type { Plugin } from "graphql-yoga";
import type { HttpRequest, HttpResponse, KernelEndpoint, MaybePromise, SocketAcceptance, Unsent } from "../../core/transport.ts";
import { plainHeaders } from "../fetch/index.ts";
import { kernelYoga } from "./kernel-yoga.ts";
import { plainResponse } from "./plain.ts";

/** The original request: it holds what a Fetch `Request` cannot. */
type Context = { readonly original: HttpRequest };

export class YogaEndpoint implements KernelEndpoint {
  readonly #endpoint: KernelEndpoint;
  readonly #yoga: ReturnType<typeof kernelYoga<Context>>;
  readonly #answers = new WeakMap<Response, HttpResponse>();

  constructor(endpoint: KernelEndpoint, plugins: readonly Plugin[]) {
    this.#endpoint = endpoint;
    this.#yoga = kernelYoga<Context>({
      // Plugins may have changed headers.
      answer: (request, { original }) => endpoint.http({ ...original, headers: plainHeaders(request.headers) }),
      plugins,
      made: (response, from) => this.#answers.set(response, from),
    });
  }

  get maxBodyBytes(): number {
    return this.#endpoint.maxBodyBytes;
  }

  get bodyLimit(): KernelEndpoint["bodyLimit"] {
    return this.#endpoint.bodyLimit;
  }

  get streams(): KernelEndpoint["streams"] {
    return this.#endpoint.streams;
  }

  get bodies(): KernelEndpoint["bodies"] {
    return this.#endpoint.bodies;
  }

  get overloaded(): KernelEndpoint["overloaded"] {
    return this.#endpoint.overloaded;
  }

  get unsent(): Unsent | undefined {
    return this.#endpoint.unsent;
  }

  get stallMs(): number | undefined {
    return this.#endpoint.stallMs;
  }

  get maxStarting(): number | undefined {
    return this.#endpoint.maxStarting;
  }

  get callerOf(): KernelEndpoint["callerOf"] {
    return this.#endpoint.callerOf;
  }

  bodyTooLarge(request: Omit<HttpRequest, "body">): HttpResponse {
    return this.#endpoint.bodyTooLarge(request);
  }

  /** Yoga does not support WebSockets: its plugins see HTTP only. */
  upgrade(request: Omit<HttpRequest, "body">): MaybePromise<HttpResponse | SocketAcceptance> {
    return this.#endpoint.upgrade(request);
  }

  fault(thrown: unknown): void {
    this.#endpoint.fault?.(thrown);
  }

  /** Never rejects: a plugin that throws fails its request. */
  async http(original: HttpRequest): Promise<HttpResponse> {
    try {
      const response = await this.#yoga.handleRequest(this.#request(original), { original });
      return await plainResponse(response, this.#answers.get(response), (fault) => this.fault(fault));
    } catch (fault) {
      this.fault(fault);
      return { status: 500, headers: { "content-type": "text/plain; charset=utf-8" }, body: "Internal error\n" };
    }
  }

  async dispose(): Promise<void> {
    await this.#yoga.dispose();
  }

  #request({ method, url, headers, body }: HttpRequest): Request {
    const present = Object.entries(headers).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]));
    const init = { method, headers: Object.fromEntries(present) };
    return new this.#yoga.fetchAPI.Request(absolute(url, headers.host), body.byteLength > 0 ? { ...init, body: Uint8Array.from(body) } : init);
  }
}

/** The absolute URL of the request, for plugins; a placeholder when it is not valid. */
function absolute(url: string, host = "localhost"): string {
  const text = url.startsWith("/") ? `http://${host}${url}` : url;
  return URL.canParse(text) ? text : "http://localhost/";
}
