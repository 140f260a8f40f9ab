// Decodes the GraphQL request in an HTTP request: document, variables, operation name, persisted hash.

import { andThen, type HttpRequest, type MaybePromise, parseJsonInTurns, rescued } from "../../../core/transport.ts";
import { decompress, isGunzipFault } from "../http/gzip.ts";
import { mediaType } from "../http/media-type.ts";
import { HttpRefusal, inflatesTooLarge, noRoom, tooLarge } from "../http/refusal.ts";
import { queryOf } from "../http/url.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import { readLongBody } from "./long-body.ts";

export interface DecodedRequest {
  /** Empty when the client sent none. */
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>> | null;
  readonly persistedHash: string | undefined;
  /** The id of a trusted document: `documentId`, or Relay's `doc_id` or `id`. */
  readonly documentId: string | undefined;
  /** `"extensions": {"plan": true}`: the answer should contain the query plan. */
  readonly plan: boolean;
  /** `"extensions": {"as": {"headers": {...}}}`: an administrator asks as a client that sends these headers, and no others. Names in lower case. */
  readonly as: Readonly<Record<string, string>> | undefined;
  /** `"extensions": {"resume": "..."}`: the token of the last result that a client of a live query has. */
  readonly resume: string | undefined;
}

type DecodeContext = Pick<ServerParts, "kernel" | "bodies" | "parsed" | "bodyLimits" | "bodyOrder">;

/** Throws, or rejects with, an HttpRefusal. */
export function decodeGraphQL(request: HttpRequest, server: DecodeContext): MaybePromise<DecodedRequest> {
  if (request.body.byteLength > server.kernel.limits.maxBodyBytes) assertShort(request, server);
  if (request.method === "GET") return fromUrl(new URLSearchParams(queryOf(request.url)));
  if (request.method !== "POST") throw new HttpRefusal("Unrecognised request method.  Please use GET or POST for GraphQL requests", 405);
  const read = (body: Uint8Array) => fromBody({ request, body }, server);
  return request.headers["content-encoding"] === "gzip" ? fromGzip(request, server, read) : read(request.body);
}

function assertShort(request: HttpRequest, { bodyLimits }: DecodeContext): void {
  const { sent } = bodyLimits(request);
  if (request.body.byteLength > sent.most) throw tooLarge(sent);
}

async function fromGzip(
  request: HttpRequest,
  { bodyLimits, bodies }: DecodeContext,
  read: (body: Uint8Array) => MaybePromise<DecodedRequest>,
): Promise<DecodedRequest> {
  const { unpacked: limit } = bodyLimits(request);
  const lease = await bodies.reserve(Math.min(limit.most, request.body.byteLength * maxInflation));
  if (lease === undefined) throw noRoom();
  bodies.keep(request, lease);
  const unpacked = await decompress(request.body, limit.most);
  if (isGunzipFault(unpacked))
    throw unpacked.kind === "tooLarge" ? inflatesTooLarge(limit) : new HttpRefusal(`Unable to parse gzip: ${unpacked.reason}`);
  lease.shrink(unpacked.byteLength);
  return await read(unpacked);
}

/** The most bytes that one byte of gzip unpacks to. */
const maxInflation = 1_032;

/** What a short body becomes is little: it is parsed at once and not counted. */
const shortBytes = 8 * 1024;

interface ReceivedBody {
  readonly request: HttpRequest;
  /** Unpacked. */
  readonly body: Uint8Array;
}

function fromBody({ request, body }: ReceivedBody, server: DecodeContext): MaybePromise<DecodedRequest> {
  const type = mediaType(request.headers["content-type"]);
  if (type === "application/json" && body.byteLength <= shortBytes) return fromJson(textOf(body));
  if (type === "application/json") return fromLongJson({ request, body }, server);
  if (type === "application/graphql") return { ...nothingDecoded, query: textOf(body) };
  throw new HttpRefusal("Unrecognised Content-Type.  Please use application/json or application/graphql for GraphQL requests", 415);
}

const nothingDecoded: DecodedRequest = {
  query: "",
  operationName: null,
  variables: null,
  persistedHash: undefined,
  documentId: undefined,
  plan: false,
  as: undefined,
  resume: undefined,
};

/** Decodes UTF-8. Invalid bytes become U+FFFD; a byte-order mark stays, and the JSON parser refuses it. */
function textOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
}

function fromJson(text: string): MaybePromise<DecodedRequest> {
  return andThen(readObject(text, "The body"), fromMembers);
}

function fromLongJson(received: ReceivedBody, server: DecodeContext): MaybePromise<DecodedRequest> {
  const value = rescued<unknown>(() => readLongBody({ ...received, wanted: memberNames }, server), invalidJson);
  return andThen(value, (body) => fromMembers(asObject(body, "The body")));
}

/** The request in a JSON object. Throws an HttpRefusal when a member has the wrong type. */
export function fromMembers(body: JsonObject | null): DecodedRequest {
  const extensions = asObject(body?.extensions, '"extensions"');
  return {
    query: textMember(body, "query") ?? "",
    operationName: textMember(body, "operationName"),
    variables: asObject(body?.variables, '"variables"'),
    persistedHash: persistedHash(extensions),
    documentId: documentId((name) => body?.[name]),
    plan: extensions?.plan === true,
    as: headersOf(extensions),
    resume: resumeToken(extensions),
  };
}

function fromUrl(parameters: URLSearchParams): MaybePromise<DecodedRequest> {
  const objectOf = (name: string) => {
    const text = parameters.get(name);
    return text === null ? null : readObject(text, `The parameter "${name}"`);
  };
  return andThen(objectOf("variables"), (variables) =>
    andThen(objectOf("extensions"), (extensions) => ({
      query: parameters.get("query") ?? "",
      operationName: parameters.get("operationName"),
      variables,
      persistedHash: persistedHash(extensions),
      documentId: documentId((name) => parameters.get(name)),
      plan: extensions?.plan === true,
      as: headersOf(extensions),
      resume: resumeToken(extensions),
    })),
  );
}

type JsonObject = Readonly<Record<string, unknown>>;

function readObject(text: string, what: string): MaybePromise<JsonObject | null> {
  if (text.trim() === "") throw invalidBody("EOF");
  const value = rescued(() => parseJsonInTurns(text), invalidJson);
  return andThen(value, (each) => asObject(each, what));
}

function invalidJson(thrown: unknown): never {
  if (thrown instanceof HttpRefusal) throw thrown;
  throw invalidBody(thrown instanceof Error ? withoutExcerpt(thrown.message) : "it is not JSON");
}

/** The parser shows the text around its position, where a token may be. */
function withoutExcerpt(message: string): string {
  return message.replace(/(?:^|, )(?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/su, "") || "it is not JSON";
}

function asObject(value: unknown, what: string): JsonObject | null {
  if (value === undefined || value === null) return null;
  if (isObject(value)) return value;
  throw invalidBody(`${what} must be an object, found ${kindOf(value)}`);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textMember(object: JsonObject | null, name: string): string | null {
  const value = object?.[name];
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  throw invalidBody(`"${name}" must be a string, found ${kindOf(value)}`);
}

function persistedHash(extensions: JsonObject | null): string | undefined {
  return textMember(asObject(extensions?.persistedQuery, '"persistedQuery"'), "sha256Hash") || undefined;
}

const idNames = ["documentId", "doc_id", "id"] as const;

/** The members of a body that are read. */
const memberNames: ReadonlySet<string> = new Set(["query", "operationName", "variables", "extensions", ...idNames]);

/** Undefined unless it is a string: other clients may use these names for other purposes. */
function documentId(member: (name: string) => unknown): string | undefined {
  for (const name of idNames) {
    const value = member(name);
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/** Undefined unless it is a string: other clients may use this name for other purposes. */
function resumeToken(extensions: JsonObject | null): string | undefined {
  const value = extensions?.resume;
  return typeof value === "string" && value !== "" ? value : undefined;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : typeof value === "bigint" ? "a number" : `a ${typeof value}`;
}

function invalidBody(reason: string): HttpRefusal {
  return new HttpRefusal(`Not a valid GraphQL request body: ${reason}`);
}

function headersOf(extensions: JsonObject | null): DecodedRequest["as"] {
  const as = asObject(extensions?.as, '"extensions.as"');
  if (as === null) return undefined;
  const headers = asObject(as.headers, '"extensions.as.headers"') ?? {};
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (typeof value !== "string") throw invalidBody(`the header ${name} in "extensions.as.headers" must be a string, found ${kindOf(value)}`);
      return [name.toLowerCase(), value];
    }),
  );
}
