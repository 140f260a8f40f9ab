// Answers over HTTP.

import { type HttpResponse, writeJson } from "../../core/plugin.ts";

/** Dgraph answers every error with status 200. */
export function refusal(message: string): HttpResponse {
  return json(writeJson({ errors: [{ message, extensions: { code: "ErrorInvalidRequest" } }], data: null }));
}

/** A request whose parts are not where they belong has no data at all. */
export function badRequest(message: string): HttpResponse {
  return json(writeJson({ errors: [{ message, extensions: { code: "ErrorInvalidRequest" } }] }));
}

const headers = { "content-type": "application/json" };

export function json(body: string): HttpResponse {
  return { status: 200, headers, body };
}

export function long(pieces: readonly Uint8Array[]): HttpResponse {
  return {
    status: 200,
    headers,
    pieces,
    get body() {
      return Buffer.concat(pieces);
    },
  };
}
