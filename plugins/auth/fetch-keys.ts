// Fetches a JSON Web Key Set, and reads it as Dgraph does.

import { createPublicKey, type JsonWebKey } from "node:crypto";
import type { JSONWebKeySet, JWK } from "jose";
import { isObject } from "../../core/plugin.ts";
import { type HttpClient, reasonOf } from "../remote/index.ts";

/** A key set could not be fetched. The message names URL and reason; it holds no part of the body, because callers may see it. */
export class KeySetFailure extends Error {
  override readonly name = "KeySetFailure";
}

/** @throws KeySetFailure */
export async function fetchKeys(client: HttpClient, url: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  try {
    const { status, text } = await reply(client, url, signal);
    if (status < 200 || status > 299) throw new KeySetFailure(`it answers with status ${status}`);
    return { keys: keysOf(bodyOf(text, status)) };
  } catch (cause) {
    throw new KeySetFailure(`Get "${shown(url)}": ${cause instanceof KeySetFailure ? cause.message : reasonOf(cause)}`, { cause });
  }
}

async function reply(client: HttpClient, url: string, signal: AbortSignal) {
  if (!URL.canParse(url)) throw new KeySetFailure('unsupported protocol scheme ""');
  const { protocol } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") throw new KeySetFailure(`unsupported protocol scheme "${protocol.slice(0, -1)}"`);
  return await client.send({ method: "GET", url, headers: { accept: "application/json, application/jwk-set+json" }, body: undefined }, { signal });
}

/** A password or a key in the URL is nobody's business who sends a token. */
function shown(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  [url.username, url.password, url.hash] = ["", "", ""];
  if (url.search !== "") url.search = "...";
  return url.href;
}

function bodyOf(text: string, status: number): Readonly<Record<string, unknown>> {
  if (text.trim() === "") throw new KeySetFailure(`it answers with status ${status} and an empty body`);
  const body = parsed(text);
  if (!isObject(body)) throw new KeySetFailure(`it answers with status ${status} and a body that is no JSON object`);
  return body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A body without `keys` is an empty set. One invalid key makes the whole set invalid. Of several keys with the same `kid` the first counts. */
function keysOf({ keys = [] }: Readonly<Record<string, unknown>>): JWK[] {
  if (keys !== null && !Array.isArray(keys)) throw new KeySetFailure("its `keys` are no list");
  const byId = new Map<string, JWK>();
  for (const [i, jwk] of (keys ?? []).entries()) {
    if (!isJwk(jwk)) throw new KeySetFailure(`key ${i + 1} is no object with a text \`kty\``);
    if (!isOfKnownKind(jwk)) continue;
    assertReadable(jwk, i);
    const kid = typeof jwk.kid === "string" ? jwk.kid : "";
    if (!byId.has(kid)) byId.set(kid, withoutAlgorithm({ ...jwk, kid }));
  }
  return [...byId.values()];
}

function isJwk(value: unknown): value is JWK & JsonWebKey & { readonly kty: string } {
  return isObject(value) && typeof value.kty === "string";
}

/** RFC 7517 asks to ignore keys of other kinds. A service that adds one must not lock everybody out. */
function isOfKnownKind({ kty, crv }: JWK): boolean {
  return kty === "RSA" || kty === "oct" || (typeof crv === "string" && knownCurves.has(`${kty} ${crv}`));
}

const knownCurves: ReadonlySet<string> = new Set(["EC P-256", "EC P-384", "EC P-521", "OKP Ed25519"]);

function assertReadable(jwk: JsonWebKey, i: number): void {
  if (!isReadable(jwk)) throw new KeySetFailure(`key ${i + 1} is no valid key of type ${jwk.kty}`);
}

function isReadable(jwk: JsonWebKey): boolean {
  if (jwk.kty === "oct") return typeof jwk.k === "string" && jwk.k !== "";
  try {
    createPublicKey({ key: jwk, format: "jwk" });
    return true;
  } catch {
    return false;
  }
}

/** Dgraph compares the algorithm of a token with the type of the key alone: a key with `RS256` verifies `PS256`. `jose` compares with `alg`. */
function withoutAlgorithm({ alg, ...jwk }: JWK): JWK {
  return alg === undefined || signing.test(alg) ? jwk : { ...jwk, alg };
}

const signing = /^(?:[REHP]S(?:256|384|512)|EdDSA|Ed25519)$/u;
