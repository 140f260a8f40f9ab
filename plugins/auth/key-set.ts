// A remote JSON Web Key Set. Concurrent callers share one fetch. The set is cached as long as its server allows, and refreshed in the background
// before it expires.

import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { fetchText } from "./fetch-text.ts";
import { invalid } from "./invalid.ts";
import { refused } from "./token-error.ts";

export interface KeySetOptions {
  readonly attempts: number;
  readonly pauseMs: number;
}

/** Dgraph's value. */
export const patience: KeySetOptions = { attempts: 3, pauseMs: 10_000 };

/** A background refresh starts after this share of the set's lifetime. */
const ripeAge = 0.8;

interface Fetched {
  /** By `kid`; the first of several keys with the same. */
  readonly keys: ReadonlyMap<string, KeyObject>;
  /** In milliseconds of `performance.now()`. Infinity when the server sends no max-age. */
  readonly ripe: number;
  readonly over: number;
  readonly lifeMs: number;
}

export class KeySet {
  readonly url: string;
  readonly #options: KeySetOptions;
  #fetched: Fetched | undefined;
  #fetching: Promise<Fetched> | undefined;
  #refreshing: Promise<Fetched> | undefined;
  readonly #closed = new AbortController();

  constructor(url: string, options: KeySetOptions = patience) {
    this.url = url;
    this.#options = options;
  }

  /** One attempt. @throws QuernError `SCHEMA_INVALID` with the reason */
  async open(): Promise<void> {
    try {
      await this.#fetch();
    } catch (cause) {
      throw invalid(reasonOf(cause), { cause });
    }
  }

  /** The cached keys, a new object after each fetch; undefined when they have expired. Starts a background refresh when they expire soon. */
  get current(): ReadonlyMap<string, KeyObject> | undefined {
    const now = performance.now();
    const fetched = this.#fetched;
    if (!fetched || now >= fetched.over) return undefined;
    if (now >= fetched.ripe) this.#refreshUnseen(fetched);
    return fetched.keys;
  }

  /** The current keys. Fetches them when the cache has expired. */
  async keys(): Promise<ReadonlyMap<string, KeyObject>> {
    return this.current ?? (await this.#refresh()).keys;
  }

  /** The lifetime of the cached keys; 0 when there are none. */
  get livesMs(): number {
    return this.#fetched?.lifeMs ?? 0;
  }

  close(): void {
    this.#closed.abort();
  }

  /** The running fetch, which concurrent callers share. */
  #refresh(): Promise<Fetched> {
    this.#refreshing ??= this.#fetchPatiently().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #fetchPatiently(): Promise<Fetched> {
    const { attempts, pauseMs } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#fetch();
      } catch (cause) {
        if (attempt >= attempts || this.#closed.signal.aborted) throw refused(`while refreshing JWK from the URL: ${reasonOf(cause)}`);
        await pause(pauseMs, this.#closed.signal);
      }
    }
  }

  /** The cached keys are still valid, so an error is ignored. */
  #refreshUnseen(fetched: Fetched): void {
    this.#fetch().catch(() => {
      this.#fetched = { ...fetched, ripe: performance.now() + this.#options.pauseMs };
    });
  }

  /** Concurrent callers share one fetch. */
  #fetch(): Promise<Fetched> {
    this.#fetching ??= this.#fetchOnce().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchOnce(): Promise<Fetched> {
    const { text, headers } = await fetchText(this.url, this.#closed.signal);
    const keys = keysOf(text);
    const ageMs = maxAgeMs(headers.get("cache-control"));
    const now = performance.now();
    this.#fetched = { keys, ripe: now + ageMs * ripeAge, over: now + ageMs, lifeMs: ageMs };
    return this.#fetched;
  }
}

/** A body without `keys` is an empty set. One invalid key makes the whole set invalid. */
function keysOf(text: string): ReadonlyMap<string, KeyObject> {
  const body: unknown = JSON.parse(text);
  const list = typeof body === "object" && body !== null && "keys" in body && Array.isArray(body.keys) ? body.keys : [];
  const keys = new Map<string, KeyObject>();
  for (const jwk of list) {
    const id = typeof jwk?.kid === "string" ? jwk.kid : "";
    const key = keyOf(jwk);
    if (!keys.has(id)) keys.set(id, key);
  }
  return keys;
}

function keyOf(jwk: JsonWebKey): KeyObject {
  if (jwk.kty === "oct" && typeof jwk.k === "string") return createSecretKey(Buffer.from(jwk.k, "base64url"));
  return createPublicKey({ key: jwk, format: "jwk" });
}

/** The first `max-age` or `s-maxage` in milliseconds; Infinity when absent or 0. */
function maxAgeMs(cacheControl: string | null): number {
  const [, seconds] = /(?:^|,)\s*(?:max-age|s-maxage)\s*=\s*"?(\d+)/iu.exec(cacheControl ?? "") ?? [];
  return Number(seconds ?? 0) === 0 ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Waits. Ends early when the key set is closed, and does not keep the process alive. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
