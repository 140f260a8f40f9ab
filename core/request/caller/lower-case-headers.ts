// Names of headers mean the same in any case of letters, and plugins read them in lower case.

import type { RequestView } from "../../contracts/plugin/request-view.ts";

/** The same object where the names are in lower case, as transports give them. */
export function lowerCased(headers: RequestView["headers"]): RequestView["headers"] {
  for (const name in headers) if (hasCapital(name)) return inLowerCase(headers);
  return headers;
}

/** Letter by letter: `toLowerCase` of each name would take a hundredth of a read by key. */
function hasCapital(name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code >= 65 && code <= 90) return true;
  }
  return false;
}

function inLowerCase(headers: RequestView["headers"]): RequestView["headers"] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
