// Names of headers mean the same in any case of letters, and plugins read them in lower case.

import type { RequestView } from "../contracts/plugin/request-view.ts";

/** The same object where the names are in lower case, as transports give them. */
export function lowerCased(headers: RequestView["headers"]): RequestView["headers"] {
  for (const name in headers) if (name !== name.toLowerCase()) return inLowerCase(headers);
  return headers;
}

function inLowerCase(headers: RequestView["headers"]): RequestView["headers"] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
