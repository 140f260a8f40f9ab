// Builds answers of the admin paths.

import { type HttpResponse, writeJson } from "../../../core/transport.ts";
import { openCors } from "./cors.ts";

const jsonType = { "content-type": "application/json" };
const openJson = Object.freeze({ ...jsonType, ...openCors });

/** JSON with CORS headers for any origin; admin paths restrict them to the configured ones. */
export function openAnswer(value: unknown, status = 200): HttpResponse {
  return { status, headers: openJson, body: writeJson(value) };
}

/** JSON without CORS headers. */
export function plainAnswer(value: unknown, status = 200): HttpResponse {
  return { status, headers: jsonType, body: writeJson(value) };
}

/** The answer to a preflight request. */
export const openHeaders: HttpResponse = Object.freeze({ status: 200, headers: openJson, body: "" });

export const done = { data: { code: "Success", message: "Done" } };

/** Error codes of the admin API, as its clients know them. */
export type AdminCode = "Error" | "ErrorInvalidMethod" | "ErrorInvalidRequest" | "ErrorUnauthorized" | "ErrorForbidden" | "PLUGIN_TIMEOUT";

export function adminErrors(code: AdminCode, ...messages: readonly string[]): { readonly errors: readonly object[] } {
  return { errors: messages.map((message) => ({ message, extensions: { code } })) };
}

/** For a caller without the admin token: the reason, and a hint how to get access. It reveals nothing about this server. */
export function tokenRefused(reason: string, code: AdminCode, status = 200): HttpResponse {
  return openAnswer({ errors: [{ message: reason, extensions: { code, hint: tokenHint } }] }, status);
}

const tokenHint =
  "Send the admin token in the header X-Service-AuthToken (or X-Dgraph-AuthToken). It is admin.token of the server's configuration, or what quern start has made and keeps in the file admin-token of its data folder. For development, --admin-open (admin.open) lets requests from the server's own machine do without it.";

export function textAnswer(status: number, text: string): HttpResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" }, body: text };
}

/** A response with a long body. */
export function inPieces(status: number, headers: HttpResponse["headers"], pieces: readonly Uint8Array[]): HttpResponse {
  return {
    status,
    headers,
    pieces,
    get body() {
      return Buffer.concat(pieces);
    },
  };
}
