// A service on loopback that plays the remote services of recorded cases: it answers by routes and remembers what it received.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { buildSchema, type GraphQLSchema, graphql, parse, print } from "graphql";
import { parseJson } from "../../core/ground/json/parse-json.ts";
import { writeJson } from "../../core/ground/json/write-json.ts";
import { isObject } from "./compare.ts";

/** What answers a request: the first route that fits. */
export interface Route {
  /** With its query when it contains `?`; `/a/:x` binds one segment; `/a/*` is a prefix. */
  readonly path: string;
  readonly method?: string;
  /** The JSON body must have these values, by dotted place. */
  readonly when?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly delay?: number;
  /** Ends the connection without an answer. */
  readonly close?: boolean;
  readonly raw?: string;
  readonly body?: unknown;
  /** Answers with the request itself. */
  readonly echo?: boolean;
  readonly lookup?: Lookup;
  readonly graphql?: RemoteGraphQL;
}

/** Values by a key of the request; of an array one for each element. */
interface Lookup {
  /** `body`, `path`, or a dotted place in the body. */
  readonly from?: string;
  readonly key?: string;
  readonly table: Readonly<Record<string, unknown>>;
  readonly else?: unknown;
  /** Dotted place of the answer. */
  readonly wrap?: string;
}

interface RemoteGraphQL {
  readonly sdl: string;
  readonly data?: unknown;
  readonly mutation?: unknown;
}

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
}

export class RemoteService {
  readonly #server: Server;
  #routes: readonly Route[] = [];
  #seen: readonly string[] = [];
  #received: ReceivedRequest[] = [];
  readonly #schemas = new Map<string, GraphQLSchema>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async listen(): Promise<RemoteService> {
    const service = new RemoteService();
    await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get received(): readonly ReceivedRequest[] {
    return this.#received;
  }

  /** Answers by `routes` from now on, and forgets what was received. @param headers names of the headers to remember besides the content type */
  play(routes: readonly Route[], headers: readonly string[] = []): void {
    this.#routes = routes;
    this.#seen = ["content-type", ...headers];
    this.#received = [];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    const json = jsonIn(text);
    const shown = this.#shown(request);
    this.#received.push({ ...shown, ...contentOf(text, json) });
    response.shouldKeepAlive = false;
    const [route, bound] = this.#routeFor(request, json) ?? [];
    if (!route) return void response.writeHead(404).end("no route");
    if (route.delay) await sleep(route.delay);
    if (route.close) return void request.socket.destroy();
    const answer = await this.#bodyBy(route, { bound: bound ?? {}, json, shown });
    const type = answer === undefined ? {} : { "content-type": "application/json" };
    response.writeHead(route.status ?? 200, { ...type, ...route.headers }).end(answer ?? "");
  }

  #shown({ method = "", url = "", headers }: IncomingMessage): Pick<ReceivedRequest, "method" | "url" | "headers"> {
    const kept = this.#seen.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
    return { method, url, headers: Object.fromEntries(kept) };
  }

  #routeFor({ method, url = "" }: IncomingMessage, body: unknown): readonly [Route, Readonly<Record<string, string>>] | undefined {
    for (const route of this.#routes) {
      const bound = route.method === undefined || route.method === method ? match(route.path, url) : undefined;
      if (bound && Object.entries(route.when ?? {}).every(([place, value]) => at(body, place) === value)) return [route, bound];
    }
    return undefined;
  }

  async #bodyBy(route: Route, { bound, json, shown }: Asked): Promise<string | undefined> {
    if (route.raw !== undefined) return route.raw;
    if (route.echo) return writeJson({ ...shown, body: json ?? null });
    if (route.lookup) return writeJson(lookUp(route.lookup, json, bound));
    if (route.graphql) return writeJson(await this.#execute(route.graphql, isObject(json) ? json : {}));
    return route.body === undefined ? undefined : writeJson(route.body);
  }

  async #execute({ sdl, data = {}, mutation }: RemoteGraphQL, { query, variables }: Readonly<Record<string, unknown>>): Promise<unknown> {
    const schema = this.#schemas.get(sdl) ?? buildSchema(sdl, { assumeValid: true });
    this.#schemas.set(sdl, schema);
    const source = typeof query === "string" ? query : "";
    return graphql({
      schema,
      source,
      variableValues: isObject(variables) ? variables : {},
      rootValue: /^\s*mutation/.test(source) ? (mutation ?? data) : data,
      fieldResolver: (parent, args, _context, { fieldName }) => remoteValue(isObject(parent) ? parent[fieldName] : undefined, args),
      typeResolver: (value) => (isObject(value) ? String(value.__typename) : undefined),
    });
  }
}

interface Asked {
  readonly bound: Readonly<Record<string, string>>;
  readonly json: unknown;
  readonly shown: object;
}

function contentOf(text: string, json: unknown): Pick<ReceivedRequest, "body" | "text"> {
  if (text === "") return {};
  if (json === undefined) return { text };
  return { body: isObject(json) && typeof json.query === "string" ? { ...json, query: normalDocument(json.query) } : json };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The value of a remote field: `@error`, `@args` and `@lookup` stand for what a service computes. */
function remoteValue(value: unknown, args: Readonly<Record<string, unknown>>): unknown {
  if (!isObject(value)) return value;
  if ("@error" in value) throw new Error(String(value["@error"]));
  if (value["@args"]) return JSON.stringify(args);
  const found = value["@lookup"];
  if (!isObject(found) || !isObject(found.table)) return value;
  const { arg, key, table } = found;
  const one = (given: unknown) => remoteValue(table[String(key === undefined ? given : at(given, String(key)))] ?? null, args);
  const asked = args[String(arg)];
  return Array.isArray(asked) ? asked.map(one) : one(asked);
}

function match(pattern: string, url: string): Readonly<Record<string, string>> | undefined {
  const [path = ""] = url.split("?");
  if (pattern.includes("?")) return pattern === url ? {} : undefined;
  if (pattern.endsWith("*")) return path.startsWith(pattern.slice(0, -1)) ? {} : undefined;
  const [wanted, found] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== found.length) return undefined;
  const bound: Record<string, string> = {};
  for (const [i, segment] of wanted.entries()) {
    if (segment.startsWith(":")) bound[segment.slice(1)] = decodeURIComponent(found[i] ?? "");
    else if (segment !== found[i]) return undefined;
  }
  return bound;
}

function lookUp({ from = "body", key, table, else: other = null, wrap = "" }: Lookup, body: unknown, bound: unknown): unknown {
  const asked = from === "body" ? body : from === "path" ? bound : at(body, from);
  const one = (each: unknown): unknown => {
    const name = String(key === undefined ? each : at(each, key));
    return Object.hasOwn(table, name) ? table[name] : other;
  };
  const found = Array.isArray(asked) ? asked.map(one) : one(asked);
  const places = wrap.split(".").filter((place) => place !== "");
  return places.reduceRight((inner, place) => ({ [place]: inner }), found);
}

/** `variables.in.0` */
function at(value: unknown, place: string): unknown {
  const step = (inner: unknown, key: string) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined);
  return place === "" ? value : place.split(".").reduce(step, value);
}

/** The layout of a document is free; the standard introspection query too. */
function normalDocument(text: string): string {
  if (/__schema\b/.test(text)) return "(introspection)";
  try {
    return print(parse(text));
  } catch {
    return text;
  }
}
