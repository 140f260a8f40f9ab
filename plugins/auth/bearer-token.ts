// Reads the token from a request's header, with or without `Bearer`.

import { refused } from "./token-error.ts";

/**
 * @returns undefined when there is no token
 *
 * @throws QuernError when `Bearer` is not followed by exactly one word
 */
export function bearerToken(header: string | undefined): string | undefined {
  const value = header?.trim() ?? "";
  if (value === "") return undefined;
  if (!value.toLowerCase().startsWith("bearer ")) return value;
  const [, token, ...more] = value.split(" ");
  // Dgraph's text goes on with the value, which is a valid token when only a blank is too many.
  if (token === undefined || token === "" || more.length > 0) throw refused("invalid Bearer-formatted header value for JWT");
  return token;
}
