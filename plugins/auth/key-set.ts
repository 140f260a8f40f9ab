// A remote JSON Web Key Set. `jose` keeps it for ten minutes, fetches it once for concurrent callers, and fetches it again for an unknown `kid`.

import { createSecretKey, type KeyObject } from "node:crypto";
import type { CryptoKey, ExportedJWKSCache, JWK, RemoteJWKSet } from "jose";
import type { HttpClient } from "../remote/index.ts";
import { fetchKeys, KeySetFailure } from "./fetch-keys.ts";
import { invalid } from "./invalid.ts";
import type { ParsedToken } from "./parse-token.ts";
import { refused, shownAlgorithm, unusable, unverifiable } from "./token-error.ts";

/** A key that is revoked counts for so long. */
export const keySetLifeMs = 600_000;
/** From this age on the set is fetched in the background, so that no caller waits and a short outage has no effect. */
const ripeMs = 0.8 * keySetLifeMs;
/** An unknown `kid` makes one fetch in this time. */
const cooldownMs = 30_000;
/** After a fetch that failed, callers get its error for so long. */
const pauseMs = 1_000;

type Key = CryptoKey | KeyObject;

export class KeySet {
  readonly #url: string;
  readonly #client: HttpClient;
  readonly #closed = new AbortController();
  /** Filled by `jose` at the moment at which the keys of a fetch begin to count. */
  readonly #cache: ExportedJWKSCache = { jwks: { keys: [] }, uat: 0 };
  #remote: Promise<RemoteJWKSet> | undefined;
  #failed: { readonly failure: KeySetFailure; readonly until: number } | undefined;

  constructor(url: string, client: HttpClient) {
    this.#url = url;
    this.#client = client;
  }

  /** Fetches the set. @throws QuernError `SCHEMA_INVALID` with the reason */
  async open(): Promise<void> {
    try {
      await (await this.#opened()).reload();
    } catch (thrown) {
      // The first token after a restart is another attempt.
      this.#failed = undefined;
      throw thrown instanceof KeySetFailure ? invalid(thrown.message, { cause: thrown }) : thrown;
    }
  }

  close(): void {
    this.#closed.abort();
  }

  /** The fetched set, another object after each fetch; undefined when it is too old. Starts a fetch in the background when it soon will be. */
  get current(): object | undefined {
    const { uat, jwks } = this.#cache;
    const age = Date.now() - uat;
    // A clock that was set back would keep the set for longer.
    if (age >= ripeMs || age < 0) this.#refreshUnseen();
    return age < keySetLifeMs ? jwks : undefined;
  }

  /** Whether the set that was fetched last has the key of the token. */
  knows({ keyId }: ParsedToken): boolean {
    return this.#jwk(keyId) !== undefined;
  }

  /** The key of the token. @throws QuernError with Dgraph's text */
  async key({ algorithm, keyId }: ParsedToken): Promise<Key> {
    if (keyId === undefined) throw unverifiable("kid not present in JWT");
    if (typeof keyId !== "string") throw unverifiable("Invalid kid");
    try {
      const remote = await this.#opened();
      return algorithm.startsWith("HS") ? await this.#secret(remote, keyId) : await remote({ alg: algorithm, kid: keyId });
    } catch (thrown) {
      if (thrown instanceof KeySetFailure) throw refused(`while refreshing JWK from the URL: ${thrown.message}`);
      throw this.#jwk(keyId)
        ? unusable(`token signature is invalid: key is of invalid type: it does not verify ${shownAlgorithm(algorithm)}`)
        : unverifiable("Invalid kid");
    }
  }

  /** `jose` has no secrets in remote sets; Dgraph has. */
  async #secret(remote: RemoteJWKSet, kid: string): Promise<KeyObject> {
    if (!remote.fresh || (this.#jwk(kid) === undefined && !remote.coolingDown)) await remote.reload();
    const { kty, k, use = "sig" } = this.#jwk(kid) ?? {};
    if (kty !== "oct" || k === undefined || use !== "sig") throw new TypeError("no secret");
    return createSecretKey(Buffer.from(k, "base64url"));
  }

  #jwk(keyId: unknown): JWK | undefined {
    return this.#cache.jwks.keys.find(({ kid }) => kid === keyId);
  }

  #refreshUnseen(): void {
    this.#remote?.then((remote) => remote.reload()).catch(() => undefined);
  }

  /** Loaded with the first set: many servers have none. */
  #opened(): Promise<RemoteJWKSet> {
    this.#remote ??= import("jose").then(({ createRemoteJWKSet, customFetch, jwksCache }) =>
      // The fetch below has the address, which may be none.
      createRemoteJWKSet(new URL("keys:"), {
        cacheMaxAge: keySetLifeMs,
        cooldownDuration: cooldownMs,
        [jwksCache]: this.#cache,
        [customFetch]: () => this.#fetch(),
      }),
    );
    return this.#remote;
  }

  /** The client bounds time, bytes and addresses. */
  async #fetch(): Promise<Response> {
    if (this.#failed && performance.now() < this.#failed.until) throw this.#failed.failure;
    try {
      return Response.json(await fetchKeys(this.#client, this.#url, this.#closed.signal));
    } catch (thrown) {
      if (thrown instanceof KeySetFailure) this.#failed = { failure: thrown, until: performance.now() + pauseMs };
      throw thrown;
    }
  }
}
