// One JSON Web Key Set behind a URL: fetched by all who wait for it together, kept as long as its server allows, and fetched anew in
// the background while it is still good.

import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { fetchText } from "./fetch-text.ts";
import { invalid } from "./invalid.ts";
import { refused } from "./token-error.ts";

export interface KeySetOptions {
  readonly attempts: number;
  readonly pauseMs: number;
}

/** As the reference has it. */
export const patience: KeySetOptions = { attempts: 3, pauseMs: 10_000 };

/** A set that has lived this share of its life is fetched in the background. */
const ripeAge = 0.8;

interface Fetched {
  /** By `kid`; of several keys with one the first. */
  readonly keys: ReadonlyMap<string, KeyObject>;
  /** In milliseconds of `performance.now()`; infinite when the server names no age. */
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

  /** The keys at hand, another object after every fetch; undefined when they are over. A look at ripe keys fetches new ones unseen. */
  get current(): ReadonlyMap<string, KeyObject> | undefined {
    const now = performance.now();
    const fetched = this.#fetched;
    if (!fetched || now >= fetched.over) return undefined;
    if (now >= fetched.ripe) this.#refreshUnseen(fetched);
    return fetched.keys;
  }

  /** The keys that count now, fetched if need be. */
  async keys(): Promise<ReadonlyMap<string, KeyObject>> {
    return this.current ?? (await this.#refresh()).keys;
  }

  /** How long the keys at hand were said to live; 0 when there are none. */
  get livesMs(): number {
    return this.#fetched?.lifeMs ?? 0;
  }

  close(): void {
    this.#closed.abort();
  }

  /** One for all who wait. */
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

  /** The keys at hand are good: whether this succeeds nobody needs to know. */
  #refreshUnseen(fetched: Fetched): void {
    this.#fetch().catch(() => {
      this.#fetched = { ...fetched, ripe: performance.now() + this.#options.pauseMs };
    });
  }

  /** One fetch for all who ask meanwhile. */
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

/** A body without `keys` is an empty set; a key that cannot be read spoils the whole. */
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

/** The first `max-age` or `s-maxage`; infinite for none and for 0. */
function maxAgeMs(cacheControl: string | null): number {
  const [, seconds] = /(?:^|,)\s*(?:max-age|s-maxage)\s*=\s*"?(\d+)/iu.exec(cacheControl ?? "") ?? [];
  return Number(seconds ?? 0) === 0 ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Ends early when nobody needs the key set any more. Does not keep the process alive. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
