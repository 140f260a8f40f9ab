// Converts between the Fetch API and the kernel's plain requests and answers.

import type { HttpRequest, HttpResponse, KernelEndpoint } from "../../core/transport.ts";
import { streamOf } from "./readable-body.ts";

/** Like `node:http`: names in lower case, repeated headers joined. */
export function plainHeaders(headers: Headers): Readonly<Record<string, string>> {
  const plain: Record<string, string> = {};
  headers.forEach((value, name) => {
    plain[name.toLowerCase()] = value;
  });
  return plain;
}

/**
 * @param known the kernel's answer, if no plugin has replaced it
 * @param onFault called when a stream of a plugin fails
 */
export async function plainResponse(
  response: Response,
  known: Pick<HttpResponse, "body" | "pieces" | "stream"> | undefined,
  onFault: (fault: unknown) => void,
): Promise<HttpResponse> {
  const { "content-length": _transports, ...joined } = plainHeaders(response.headers);
  const cookies = response.headers.getSetCookie();
  const headers = cookies.length > 1 ? { ...joined, "set-cookie": cookies } : joined;
  const { status } = response;
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

/** The body, or the kernel's answer to a body that is too long. */
export async function readBody(endpoint: KernelEndpoint, request: Request, plain: Omit<HttpRequest, "body">): Promise<Uint8Array | HttpResponse> {
  const limit = endpoint.bodyLimit?.(plain) ?? endpoint.maxBodyBytes;
  if (Number(plain.headers["content-length"] ?? 0) > limit) return endpoint.bodyTooLarge(plain);
  if (request.body === null) return new Uint8Array(0);
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength;
    if (bytes > limit) {
      await reader.cancel();
      return endpoint.bodyTooLarge(plain);
    }
    chunks.push(part.value);
  }
  return Buffer.concat(chunks, bytes);
}
