// What a call says of its caller, as the headers of the HTTP surface.

import type { Metadata } from "@grpc/grpc-js";

type Headers = Readonly<Record<string, string>>;

/** The names under which clients of Dgraph send their secrets. */
const renamed: Readonly<Record<string, string>> = {
  accessjwt: "x-dgraph-accesstoken",
  "auth-token": "x-service-authtoken",
};

/** They say how a body lies in HTTP. */
const dropped: ReadonlySet<string> = new Set([
  "content-type",
  "content-encoding",
  "content-length",
  "accept-encoding",
  "connection",
  "te",
  "host",
  "origin",
]);

export function headersOf(metadata: Metadata, host: string): Headers {
  const sent = Object.entries(metadata.getMap()).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== "string" || dropped.has(name)) return [];
    return [[renamed[name] ?? name, value]];
  });
  const headers = Object.fromEntries(sent);
  return { ...secretOf(headers), ...headers, host };
}

/** `dgraph://host:9080?bearertoken=..` sends the admin token, `?apikey=..` an API key. */
function secretOf({ authorization }: Readonly<Record<string, string | undefined>>): Headers {
  if (authorization === undefined) return {};
  const [, bearer] = /^Bearer (.+)$/i.exec(authorization) ?? [];
  return bearer === undefined ? { "x-auth-token": authorization } : { "x-service-authtoken": bearer };
}
