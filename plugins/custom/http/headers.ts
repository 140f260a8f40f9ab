// Headers of a remote request: secrets of the schema, and headers of the client's request.

import type { Secrets } from "./secrets.ts";

/** `Remote-Name:LOCAL` or `NAME`. */
export interface HeaderEntry {
  readonly remote: string;
  readonly local: string;
}

export interface HeaderEntries {
  readonly secret: readonly HeaderEntry[];
  readonly forward: readonly HeaderEntry[];
}

export function headerEntry(text: string): HeaderEntry {
  const [remote = "", local = remote] = text.split(":");
  return { remote, local };
}

/** A header without a value is left out. A forwarded header wins over a secret of the same name. */
export function headersOf(
  { secret, forward }: HeaderEntries,
  secrets: Secrets,
  client: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  for (const { remote, local } of secret) set(headers, remote, secrets.get(local));
  for (const { remote, local } of forward) set(headers, remote, client[local.toLowerCase()]);
  return headers;
}

function set(headers: Record<string, string>, name: string, value: string | undefined): void {
  if (value !== undefined) headers[name.toLowerCase()] = value;
}
