// Requests as plain data, and answers in a readable form. Hides encoding, nothing that a test is about.

import { parseJson } from "../../../../core/ground/json/parse-json.ts";
import type { HttpResponse, KernelEndpoint } from "../../../../core/transport.ts";

export interface Question {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The peer's address. Default: 127.0.0.1. */
  readonly from?: string;
}

/** Sends anything; what is not said is an empty POST to /graphql without a content type, by a process of this machine. */
export async function ask(
  kernel: KernelEndpoint,
  { method = "POST", path = "/graphql", headers = {}, body = "", from = "127.0.0.1" }: Question,
): Promise<HttpResponse> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return kernel.http({ method, url: path, headers: { host: "localhost:8080", ...headers }, body: bytes, remoteAddress: from });
}

/** A GraphQL request as JSON. */
export function askJson(kernel: KernelEndpoint, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<HttpResponse> {
  return ask(kernel, { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });
}

export function json(response: HttpResponse): unknown {
  return parseJson(typeof response.body === "string" ? response.body : Buffer.from(response.body).toString());
}

/** The messages of a response that is refused as a whole. */
export function refusals(response: HttpResponse): readonly string[] {
  const body = json(response) as { errors?: readonly { message: string }[]; data?: unknown; extensions?: unknown };
  if (body.data !== undefined || body.extensions !== undefined) throw new Error(`not refused: ${response.body}`);
  return (body.errors ?? []).map((each) => each.message);
}
