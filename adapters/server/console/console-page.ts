// The console for browsers: one page at `/console` and its files below it. They are public, as GraphiQL is: what they show needs the admin token.

import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { acceptsGzip } from "../http/gzip.ts";
import { textAnswer } from "../http/respond.ts";
import { pathOf } from "../http/url.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import { type ConsoleFile, ConsoleFiles } from "./console-files.ts";

const files = new ConsoleFiles();

export async function consolePage({ console }: Pick<ServerParts, "console">, request: HttpRequest): Promise<HttpResponse> {
  const page = console ? await files.file("index.html") : undefined;
  return page === undefined ? missing : answer(page, request, pageHeaders);
}

export async function consoleFile({ console }: Pick<ServerParts, "console">, request: HttpRequest): Promise<HttpResponse> {
  const name = pathOf(request.url).slice(consoleFolder.length);
  const file = console ? await files.file(name) : undefined;
  if (file === undefined) return missing;
  // The page names its files relative to its one address.
  if (name === "index.html") return { status: 302, headers: { ...pageHeaders, location: "../console" }, body: "" };
  return answer(file, request, hashed.test(name) ? assetHeaders : pageHeaders);
}

/** `index-Cl-aJq6X.css`: the name contains a hash of the content. */
const hashed = /-[\w-]{8}\.(?:js|css|svg|json|woff2|png)$/u;

export const consoleFolder = "/console/";

function answer({ contentType, bytes, packed }: ConsoleFile, request: HttpRequest, fixed: HttpResponse["headers"]): HttpResponse {
  const headers = { "content-type": contentType, ...fixed };
  if (!acceptsGzip(request)) return { status: 200, headers, body: bytes };
  return { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: packed };
}

/** Redirects `/` to the console. Relative, so that it works behind a proxy with a path prefix. */
export const redirectToConsole: HttpResponse = Object.freeze({
  status: 302,
  headers: Object.freeze({ location: "console", "cache-control": "no-store", vary: "Accept" }),
  body: "",
});

const missing: HttpResponse = textAnswer(404, "404 page not found\n");

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Editors set style attributes and add style elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const assetHeaders = Object.freeze({
  "cache-control": "public,max-age=31536000,immutable",
  vary: "Accept-Encoding",
  "x-content-type-options": "nosniff",
});

const pageHeaders = Object.freeze({
  "cache-control": "no-cache",
  vary: "Accept-Encoding",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": policy,
});
