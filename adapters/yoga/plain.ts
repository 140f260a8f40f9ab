// Converts a Fetch response, which plugins may have changed, to the kernel's plain answer.

import type { HttpResponse } from "../../core/transport.ts";
import { plainHeaders } from "../fetch/index.ts";
import { streamOf } from "./stream-of.ts";

/**
 * @param known the kernel's answer, if no plugin has replaced it
 * @param onFault called when a stream of a plugin fails
 */
export async function plainResponse(
  response: Response,
  known: Pick<HttpResponse, "body" | "headers" | "pieces" | "source" | "stream"> | undefined,
  onFault: (fault: unknown) => void,
): Promise<HttpResponse> {
  const { "content-length": _transports, ...joined } = plainHeaders(response.headers);
  const cookies = response.headers.getSetCookie();
  const headers = cookies.length > 1 ? { ...joined, "set-cookie": cookies } : joined;
  const { status } = response;
  if (known?.source !== undefined) return { status, headers: { ...headers, ...lengthOf(known) }, body: "", source: known.source };
  if (known?.pieces !== undefined) return longResponse(status, headers, known.pieces);
  if (known !== undefined) return { status, headers, body: known.body, ...(known.stream && { stream: known.stream }) };
  if (response.body !== null && joined["content-type"]?.startsWith("text/event-stream")) {
    return { status, headers, body: "", stream: streamOf(response.body, onFault) };
  }
  return { status, headers, body: new Uint8Array(await response.arrayBuffer()) };
}

function longResponse(status: number, headers: HttpResponse["headers"], pieces: readonly Uint8Array[]): HttpResponse {
  return {
    status,
    headers,
    pieces,
    get body() {
      return Buffer.concat(pieces);
    },
  };
}

/** What reads the source knows its length. */
function lengthOf({ headers }: Pick<HttpResponse, "headers">): HttpResponse["headers"] {
  const length = headers["content-length"];
  return length === undefined ? {} : { "content-length": length };
}
