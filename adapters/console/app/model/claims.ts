// Claims of a token, as text that people write and read.

import { isObject, type JsonObject, parseJson, writeJson } from "../api/json.ts";

/** The claims in a text. Throws when it is no JSON object. */
export function claimsIn(text: string): JsonObject {
  const value = parsed(text.trim() === "" ? "{}" : text);
  if (!isObject(value)) throw new Error('Claims are a JSON object, such as {"USER": "ann", "ROLE": "ADMIN"}.');
  return value;
}

/** The claims that a token carries, unverified; undefined: it is no token. */
export function claimsOfToken(token: string): JsonObject | undefined {
  const [, body, signature] = token
    .trim()
    .replace(/^bearer /i, "")
    .split(".");
  if (body === undefined || signature === undefined) return undefined;
  const value = parsed(decoded(body));
  return isObject(value) ? value : undefined;
}

export function claimsText(claims: JsonObject): string {
  return writeJson(claims, 2);
}

function decoded(segment: string): string {
  try {
    const bytes = Uint8Array.from(atob(segment.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return "";
  }
}

function parsed(text: string) {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
