// Parses the three segments of a token, without verifying them.

import { type Json, malformedTexts } from "../../core/plugin.ts";
import { unusable } from "./token-error.ts";

export interface ParsedToken {
  readonly text: string;
  readonly algorithm: string;
  readonly keyId: Json | undefined;
  readonly claims: Claims;
  /** Unix seconds; undefined: never. */
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
  /** Undefined: any audience. */
  readonly audience: readonly string[] | undefined;
}

export type Claims = Readonly<Record<string, Json>>;

/** @throws QuernError for a text that is not a token */
export function parseToken(text: string): ParsedToken {
  const [head, body, signature, ...more] = text.split(".");
  if (head === undefined || body === undefined || signature === undefined || more.length > 0)
    throw malformed("token contains an invalid number of segments");
  const header = object(head, "header");
  const claims = object(body, "claim");
  const { alg, kid } = header;
  if (typeof alg !== "string") throw unusable("token is unverifiable: signing method (alg) is unspecified");
  if (!isBase64Url(signature)) throw malformed("could not base64 decode signature: illegal base64 data");
  return {
    text,
    algorithm: alg,
    keyId: kid ?? undefined,
    claims,
    expires: instant(claims.exp),
    notBefore: instant(claims.nbf),
    audience: audienceOf(claims.aud),
  };
}

function object(segment: string, name: "header" | "claim"): Claims {
  if (!isBase64Url(segment)) throw malformed(`could not base64 decode ${name}: illegal base64 data`);
  const value = jsonOf(Buffer.from(segment, "base64url").toString("utf8"));
  const [illFormed] = malformedTexts(value);
  // Storage would replace a lone surrogate, so the caller could be taken for another user.
  if (illFormed) throw malformed(`could not JSON decode ${name}: ${illFormed.problem}`);
  if (isObject(value)) return value;
  throw malformed(`could not JSON decode ${name}: it is no JSON object`);
}

/** Base64url without padding, of a valid length. */
function isBase64Url(text: string): boolean {
  return /^[A-Za-z0-9_-]*$/u.test(text) && text.length % 4 !== 1;
}

/** Strings (`"1700000000"`) and fractions are accepted too. */
function instant(value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return value;
  if (typeof value === "string" && /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/u.test(value)) return Number(value);
  throw malformed("could not JSON decode claim: could not parse NumericData");
}

/** `""` is an audience; null and the empty list mean any. */
function audienceOf(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return [value];
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) throw malformed("could not JSON decode claim: aud is invalid");
  return value.length === 0 ? undefined : value;
}

function malformed(reason: string): Error {
  return unusable(`token is malformed: ${reason}`);
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: Json | undefined): value is Claims {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
