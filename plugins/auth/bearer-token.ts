// The token in a request's header: bare, or behind `Bearer`.

import { refused } from "./token-error.ts";

/**
 * Undefined when there is none.
 *
 * @throws QuernError for `Bearer` with anything but one word behind it
 */
export function bearerToken(header: string | undefined): string | undefined {
  const value = header?.trim() ?? "";
  if (value === "") return undefined;
  if (!value.toLowerCase().startsWith("bearer ")) return value;
  const [, token, ...more] = value.split(" ");
  if (token === undefined || token === "" || more.length > 0) throw refused(`invalid Bearer-formatted header value for JWT (${value})`);
  return token;
}
