// The headers of a file. Nothing in it runs on the origin of the API, whatever its type says.

import { isShown } from "../schema/media-types.ts";

export interface ShownFile {
  readonly name: string | undefined;
  readonly type: string;
  /** Another one for other bytes. */
  readonly version: string;
}

export function fileHeaders({ name, type, version }: ShownFile, lastsMs: number): Readonly<Record<string, string>> {
  return {
    "content-type": type.startsWith("text/") ? `${type}; charset=utf-8` : type,
    "content-disposition": disposition(name, isShown(type) ? "inline" : "attachment"),
    "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; img-src 'self'",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "cross-origin",
    "referrer-policy": "no-referrer",
    "cache-control": `private, max-age=${Math.max(0, Math.floor(lastsMs / 1000))}, immutable`,
    "accept-ranges": "bytes",
    etag: `"${version}"`,
  };
}

/** The name twice, as RFC 6266 wants it: for old clients in ASCII, and as it is. */
function disposition(name: string | undefined, kind: "inline" | "attachment"): string {
  if (name === undefined) return kind;
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const exact = encodeURIComponent(name).replace(/['()*!]/gu, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  return plain === name ? `${kind}; filename="${plain}"` : `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
