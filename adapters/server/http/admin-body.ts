// Reads the body of an admin request: UTF-8, plain or gzip.

import type { HttpRequest } from "../../../core/transport.ts";
import type { BodyLimitsOf } from "./body-limits.ts";
import { decompress, isGunzipFault } from "./gzip.ts";
import { inflatesTooLarge, tooLarge } from "./refusal.ts";
import type { AdminCode } from "./respond.ts";

/** Why the body cannot be read, for the answer. */
export interface UnreadableBody {
  readonly status: number;
  readonly code: AdminCode;
  readonly message: string;
}

/** Decodes UTF-8 and removes a byte-order mark. */
export async function adminBody(request: HttpRequest, limits: { readonly bodyLimits: BodyLimitsOf }): Promise<string | UnreadableBody> {
  const body = await bodyBytes(request, limits);
  return isUnreadable(body) ? body : textOf(body);
}

export function isUnreadable(body: string | Uint8Array | UnreadableBody): body is UnreadableBody {
  return typeof body === "object" && "code" in body;
}

/** As sent, but for gzip. */
export async function bodyBytes(request: HttpRequest, { bodyLimits }: { readonly bodyLimits: BodyLimitsOf }): Promise<Uint8Array | UnreadableBody> {
  const { sent, unpacked } = bodyLimits(request);
  if (request.body.byteLength > sent.most) return { status: 413, code: "ErrorInvalidRequest", message: tooLarge(sent).message };
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "gzip") {
    return encoding === "identity" ? request.body : { status: 200, code: "ErrorInvalidRequest", message: "Unsupported content encoding" };
  }
  const body = await decompress(request.body, unpacked.most);
  if (!isGunzipFault(body)) return body;
  if (body.kind === "corrupt") return { status: 200, code: "Error", message: "Unable to create decompressor" };
  return { status: 413, code: "ErrorInvalidRequest", message: inflatesTooLarge(unpacked).message };
}

function textOf(bytes: Uint8Array): string | UnreadableBody {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { status: 200, code: "ErrorInvalidRequest", message: "The body is not UTF-8 text." };
  }
}
