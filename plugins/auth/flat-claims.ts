// Flattens claims into one map: those at the root of the token, overridden by those of the application's namespace.

import { type Claims, isObject } from "./parse-token.ts";
import { unusable } from "./token-error.ts";

/** @throws QuernError when the namespace is a string without a JSON object */
export function flatClaims(claims: Claims, namespace: string): Claims {
  const { [namespace]: own, ...root } = claims;
  if (typeof own === "string") return { ...root, ...parsed(own) };
  return isObject(own) ? { ...root, ...own } : root;
}

function parsed(text: string): Claims {
  try {
    const value = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The error below covers it.
  }
  throw unusable("token is malformed: could not JSON decode claim: the namespace holds no JSON object");
}
