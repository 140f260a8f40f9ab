// Path and query of a request target.

/** `/graphql` of `/graphql?query=...`, and of the absolute form that proxies send. */
export function pathOf(url: string): string {
  const target = url.startsWith("/") ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

/** The query string, without `?`. */
export function queryOf(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}
