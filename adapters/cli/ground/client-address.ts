// The address that a client is given.

/** @param url where a transport listens; only those of HTTP have paths */
export function clientAddress(url: string): string {
  return url.startsWith("http") ? `${url}/graphql` : url;
}
