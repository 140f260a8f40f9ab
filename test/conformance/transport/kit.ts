// How a check of a transport is written, and what it asks with: a plain client of HTTP on a socket of its own.

import { type IncomingHttpHeaders, request } from "node:http";
import type { EndpointConfig, ServerKernel } from "../../../adapters/server/index.ts";
import type { Door, HttpRequest, HttpResponse, KernelConfig, Limits, Listening, Transport } from "../../../core/index.ts";
import type { Runner } from "../storage/index.ts";

export interface TransportConformanceOptions {
  readonly test: Runner;
  readonly transport: () => Transport;
  /** A kernel on an empty store, with the given settings, not open yet. It needs no plugins. */
  readonly kernel: (config: Pick<KernelConfig & EndpointConfig, "admin" | "limits">) => Promise<ServerKernel>;
}

export interface Check {
  /** Stays the same for good. */
  readonly id: string;
  /** MUST: clients rely on it. SHOULD: worse without it, not wrong. */
  readonly level: "MUST" | "SHOULD";
  readonly title: string;
  /** Beside those of the kit. */
  readonly limits?: Partial<Limits>;
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

  async listen(door: Door = this.kernel, port = 0): Promise<Listening> {
    const listening = await this.#transport().listen(door, { host: "127.0.0.1", port });
    this.#open.push(listening);
    return listening;
  }

  async end(): Promise<void> {
    await Promise.all(this.#open.map((each) => each.close(0)));
    await this.kernel.close();
  }
}

/** The kernel's door, with somebody who looks at each request first and may hold it up. */
export function watched(door: Door, look: (request: HttpRequest) => Promise<void> | void): Door {
  return {
    maxBodyBytes: door.maxBodyBytes,
    bodyTooLarge: (request) => door.bodyTooLarge(request),
    upgrade: (request) => door.upgrade(request),
    http: async (came): Promise<HttpResponse> => {
      await look(came);
      return await door.http(came);
    },
  };
}

/** Sends one request on a connection of its own. */
export function ask(url: string, { method = "POST", target = "/graphql", headers = {}, body = "" }: Question): Promise<Reply> {
  const bytes = Buffer.from(body);
  const sized = bytes.length > 0 || method === "POST" ? { "content-length": String(bytes.length) } : {};
  return new Promise((resolve, reject) => {
    const sent = request(new URL(url), { method, path: target, agent: false, headers: { ...sized, ...nodeHeaders(headers) } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(bytes);
  });
}

export function nodeHeaders(headers: NonNullable<Question["headers"]>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]));
}

/** A GraphQL request by POST. */
export function query(text: string, variables: object = {}): Question {
  return { headers: { "content-type": "application/json" }, body: JSON.stringify({ query: text, variables }) };
}

/** Runs every check on a kernel of its own, with the schema deployed and two nodes in it. */
export function runChecks(checks: readonly Check[], { test, transport, kernel }: TransportConformanceOptions): void {
  for (const check of checks) {
    test(`${check.id} ${check.level} ${check.title}`, async () => {
      const opened = await kernel({ admin: { open: "loopback" }, limits: { maxBodyBytes, maxInflatedBytes: 4 * maxBodyBytes, ...check.limits } });
      await opened.open();
      const bench = new Bench(opened, transport);
      try {
        await opened.deploy(schema);
        await opened.execute({ query: 'mutation { addMill(input: [{name: "Grist", power: 9007199254740993}, {name: "Möwe 🕊"}]) { numUids } }' });
        await check.run(bench);
      } finally {
        await bench.end();
      }
    });
  }
}
