// How a check of a transport is written, and what it asks with: a plain client of HTTP on a socket of its own.

import { type IncomingHttpHeaders, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { EndpointConfig, ServerKernel } from "../../../adapters/server/index.ts";
import type { KernelConfig, Limits } from "../../../core/index.ts";
import type { HttpRequest, HttpResponse, KernelEndpoint, Listening, Transport } from "../../../core/transport.ts";
import type { Runner } from "../storage/index.ts";
import { waitFor, within } from "./time-limit.ts";

/** What the kit tests a transport with. */
export interface TransportConformanceOptions {
  readonly test: Runner;
  readonly transport: () => Transport;
  /** A kernel on an empty store, with the given settings, not open yet. It needs no plugins. */
  readonly kernel: (config: Pick<KernelConfig & EndpointConfig, "admin" | "limits">) => Promise<ServerKernel>;
  /**
   * How long one check may take, in milliseconds; four times as long for those that open hundreds of connections. Give your runner
   * more. Default: 10,000.
   */
  readonly timeLimitMs?: number;
  /**
   * What the transport cannot promise, each with the reason, which the kit prints. In the place of the checks that an exemption names, the kit runs what
   * must hold all the same:
   *
   *     exempt: { "dot-segments": "`new Request(url)` removes them before the transport sees the path" }
   */
  readonly exempt?: Readonly<Partial<Record<Exemption, string>>>;
}

/**
 * What a transport may be exempt from:
 *
 * - `dot-segments`: the kernel sees paths as they were sent. A transport on the Fetch API gets `/graphql` for `/a/../graphql` and `/a/%2e%2e/graphql`. With the
 *   exemption such a request is answered as the kernel answers the path without them. Whoever guards paths before the transport, such as a proxy, must remove
 *   them too.
 */
export type Exemption = keyof typeof exemptions;

/** Each with what remains unproven. */
export const exemptions = {
  "dot-segments": "paths with dot segments reach the kernel as they were sent",
};

/** Time for one check, in milliseconds. */
const defaultTimeLimitMs = 10_000;
export interface Check {
  /** Stays the same for good. */
  readonly id: string;
  /** MUST: clients rely on it. SHOULD: worse without it, not wrong. */
  readonly level: "MUST" | "SHOULD";
  /** What is expected. */
  readonly title: string;
  /** Whom it would hurt. */
  readonly why: string;
  /** Opens hundreds of connections, or sends megabytes. */
  readonly heavy?: true;
  /** Beside those of the kit. */
  readonly limits?: Partial<Limits>;
  readonly run: (bench: Bench) => Promise<void>;
  /** What a transport with an exemption does in the place of it. */
  readonly exempted?: Exempted;
}

export interface Exempted {
  readonly from: Exemption;
  readonly title: string;
  readonly run: (bench: Bench) => Promise<void>;
}

/** Bytes of a body that the kernels of the kit take. */
export const maxBodyBytes = 65_536;

export const schema = "type Mill {\n  id: ID!\n  name: String!\n  power: Int64\n}\n";

export interface Question {
  readonly method?: string;
  /** As it stands in the request line. */
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A transport in front of an open kernel. */
export class Bench {
  readonly kernel: ServerKernel;
  readonly #transport: () => Transport;
  readonly #open: Listening[] = [];

  constructor(kernel: ServerKernel, transport: () => Transport) {
    this.kernel = kernel;
    this.#transport = transport;
  }

  async listen(endpoint: KernelEndpoint = this.kernel, port = 0): Promise<Listening> {
    const listening = await this.#transport().listen(endpoint, { host: "127.0.0.1", port });
    this.#open.push(listening);
    return listening;
  }

  async end(): Promise<void> {
    await Promise.all(this.#open.map((each) => each.close(0)));
    await this.kernel.close();
  }
}

/** The kernel's endpoint, with somebody who looks at each request first and may hold it up. */
export function watched(endpoint: KernelEndpoint, look: (request: HttpRequest) => Promise<void> | void): KernelEndpoint {
  return {
    maxBodyBytes: endpoint.maxBodyBytes,
    bodyTooLarge: (request) => endpoint.bodyTooLarge(request),
    upgrade: (request) => endpoint.upgrade(request),
    http: async (came): Promise<HttpResponse> => {
      await look(came);
      return await endpoint.http(came);
    },
  };
}

/** Sends one request on a connection of its own. */
export function ask(url: string, { method = "POST", target = "/graphql", headers = {}, body = "" }: Question): Promise<Reply> {
  waitFor(`the answer to ${method} ${target}`);
  const bytes = Buffer.from(body);
  const sized = bytes.length > 0 || method === "POST" ? { "content-length": String(bytes.length) } : {};
  const reply = new Promise<Reply>((resolve, reject) => {
    const sent = request(new URL(url), { method, path: target, agent: false, headers: { ...sized, ...nodeHeaders(headers) } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(bytes);
  });
  // A check that has failed before waits for it no more.
  reply.catch(() => undefined);
  return reply;
}

export function nodeHeaders(headers: NonNullable<Question["headers"]>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]));
}

/** A GraphQL request by POST. */
export function query(text: string, variables: object = {}): Question {
  return { headers: { "content-type": "application/json" }, body: JSON.stringify({ query: text, variables }) };
}

/**
 * Runs every check on a kernel of its own, with the schema deployed and two nodes in it. One that fails, or takes longer than its limit,
 * says what was expected, whom it hurts and what came.
 */
export function runChecks(checks: readonly Check[], options: TransportConformanceOptions): void {
  const { test, timeLimitMs = defaultTimeLimitMs, exempt = {} } = options;
  for (const check of checks.map((each) => withExemption(each, exempt))) {
    const { id, level, title, why, heavy } = check;
    test(`${id} ${level} ${title}`, async () => {
      const opened = await openKernel(check, options);
      const bench = new Bench(opened, options.transport);
      try {
        await within(heavy ? 4 * timeLimitMs : timeLimitMs, () => check.run(bench));
      } catch (error) {
        if (error instanceof Error) error.message = `${id} ${level}: expected: ${title}. ${why}\n${error.message}`;
        throw error;
      } finally {
        await ended(bench, timeLimitMs / 2);
      }
    });
  }
}

/** Says on the console what is not judged, and why. */
export function printExemptions(checks: readonly Check[], exempt: NonNullable<TransportConformanceOptions["exempt"]> = {}): void {
  for (const [name, reason] of Object.entries(exempt)) {
    if (!isExemption(name)) throw new TypeError(`There is no exemption ${name}. The kit knows ${Object.keys(exemptions).join(", ")}.`);
    if (reason.trim() === "") throw new TypeError(`The exemption ${name} needs a reason.`);
    const ids = checks.filter(({ exempted }) => exempted?.from === name).map(({ id }) => id);
    console.warn(`EXEMPT: ${ids.join(", ")}. It is not proven that ${exemptions[name]}. ${name}: ${reason}`);
  }
}

function isExemption(name: string): name is Exemption {
  return Object.hasOwn(exemptions, name);
}

function withExemption(check: Check, exempt: NonNullable<TransportConformanceOptions["exempt"]>): Check {
  const { exempted } = check;
  const reason = exempted && exempt[exempted.from];
  return exempted === undefined || reason === undefined
    ? check
    : { ...check, title: [exempted.title, `(EXEMPT: ${reason})`].join(" "), run: exempted.run };
}

/** A transport that does not close must not hold up the checks after this one. */
async function ended(bench: Bench, withinMs: number): Promise<void> {
  const ending = bench.end();
  ending.catch(() => undefined);
  await Promise.race([ending, pause(withinMs, undefined, { ref: false })]);
}

async function openKernel({ limits }: Check, { kernel }: TransportConformanceOptions): Promise<ServerKernel> {
  const opened = await kernel({ admin: { open: "loopback" }, limits: { maxBodyBytes, maxInflatedBytes: 4 * maxBodyBytes, ...limits } });
  await opened.open();
  await opened.deploy(schema);
  await opened.execute({ query: 'mutation { addMill(input: [{name: "Grist", power: 9007199254740993}, {name: "Möwe 🕊"}]) { numUids } }' });
  return opened;
}
