// `/api/auth/*`: hands requests to better-auth, and sends what it answers.

import { type HttpResponse, type PluginLog, type PluginRoute, QuernError, type RouteRequest } from "../../../core/plugin.ts";
import { alike } from "./alike.ts";

/** Of a body: everybody may send one, and forms of sign-ins are small. */
const maxBytes = 64 * 1024;

export interface AuthRouteOptions {
  /** Answers with better-auth; undefined: no users sign in under the schema that is served. */
  readonly handler: (request: RouteRequest) => Promise<{ readonly origin: string; handle(request: Request): Promise<Response> } | undefined>;
  /** Origins whose pages may ask with cookies. */
  readonly listed: () => readonly string[];
  readonly log: PluginLog;
}

/** The header in which better-auth finds the client's address. No client can set it. */
export const addressHeader = "x-accounts-address";

export function authRoute(options: AuthRouteOptions): PluginRoute {
  return {
    path: "/api/auth/*",
    methods: ["*"],
    access: "everybody",
    body: "bytes",
    cors: "own",
    answer: async (request) => {
      const shared = corsHeaders(request.headers.origin, options.listed());
      if (request.method === "OPTIONS") return { status: 204, headers: shared, body: "" };
      const { headers, ...answer } = await answered(request, options);
      return { ...answer, headers: { ...headers, ...shared } };
    },
  };
}

async function answered(request: RouteRequest, { handler, log }: AuthRouteOptions): Promise<HttpResponse> {
  if (request.body.byteLength > maxBytes) return failure(413, "BODY_TOO_LARGE", `The body is larger than ${maxBytes} bytes.`);
  try {
    const auth = await handler(request);
    if (auth === undefined) return failure(404, "NO_ACCOUNTS", "No type of the schema has @account.");
    return alike(request, await responseOf(await auth.handle(requestOf(request, auth.origin))));
  } catch (thrown) {
    if (thrown instanceof QuernError && thrown.code === "CONFIG_INVALID") return failure(503, "NOT_CONFIGURED", thrown.message);
    // Its own store of rate limits throws to here.
    log.fault(thrown);
    return failure(503, "UNAVAILABLE", "Sign-in does not work at the moment. Try again.");
  }
}

const dropped: ReadonlySet<string> = new Set([
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-for",
  addressHeader,
  "content-length",
  "connection",
]);

function requestOf({ method, url, headers, body, clientAddress }: RouteRequest, origin: string): Request {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined && !dropped.has(name)) sent.set(name, value);
  if (clientAddress !== undefined) sent.set(addressHeader, clientAddress);
  const hasBody = body.byteLength > 0 && method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, origin), { method, headers: sent, ...(hasBody && { body: new Uint8Array(body) }) });
}

async function responseOf(response: Response): Promise<HttpResponse> {
  const cookies = response.headers.getSetCookie();
  const { "content-length": _length, "set-cookie": _cookies, ...headers } = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers: { "cache-control": "no-store", ...headers, ...(cookies.length > 0 && { "set-cookie": cookies }) },
    body: await response.text(),
  };
}

function failure(status: number, code: string, message: string): HttpResponse {
  return { status, headers: { "content-type": "application/json", "cache-control": "no-store" }, body: JSON.stringify({ code, message }) };
}

/** A page of a listed origin may send cookies and read the answer; the others may do neither. */
function corsHeaders(origin: string | undefined, listed: readonly string[]): Readonly<Record<string, string>> {
  if (origin === undefined || !listed.includes(origin)) return { vary: "Origin" };
  return {
    vary: "Origin",
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "GET, POST, OPTIONS",
    "access-control-allow-headers": "content-type, authorization",
    "access-control-expose-headers": "set-auth-token",
  };
}
