// Converts the token of a request to claims. A verified token is cached as long as its keys are the same.

import type { KeyObject } from "node:crypto";
import type { CryptoKey } from "jose";
import { LRUCache } from "lru-cache";
import type { MaybePromise } from "../../core/plugin.ts";
import type { HttpClient } from "../remote/index.ts";
import type { Authorization } from "./authorization-line.ts";
import { type FixedKey, keyObject } from "./fixed-key.ts";
import { KeySet, keySetLifeMs } from "./key-set.ts";
import { type Claims, type ParsedToken, parseToken } from "./parse-token.ts";
import { shownAlgorithm, unverifiable } from "./token-error.ts";
import { acceptedClaims, assertTimely, verifySignature } from "./verify-token.ts";

/** Cached tokens. Each is a header of a few kilobytes at most. */
const maxKept = 1_000;

interface Believed {
  readonly token: ParsedToken;
  readonly claims: Claims;
}

export class TokenVerifier {
  readonly #authorization: Authorization;
  readonly #vouchers: readonly Voucher[];

  /** @param client fetches key sets */
  constructor(authorization: Authorization, client: HttpClient) {
    this.#authorization = authorization;
    const { trust } = authorization;
    this.#vouchers = trust.kind === "key" ? [new FixedVoucher(trust)] : trust.urls.map((url) => new SetVoucher(new KeySet(url, client)));
  }

  /** Fetches all key sets. */
  async open(): Promise<void> {
    await Promise.all(this.#vouchers.map((each) => each.open()));
  }

  close(): void {
    for (const each of this.#vouchers) each.close();
  }

  /** The token's flat claims; synchronously for a cached token. @throws QuernError with the reason for an invalid token */
  claims(text: string): MaybePromise<Claims> {
    for (const { believed } of this.#vouchers) {
      const known = believed?.get(text);
      if (!known) continue;
      assertTimely(known.token);
      return known.claims;
    }
    return this.#verify(text);
  }

  /** When a valid token expires, in milliseconds since 1970; undefined: never. */
  end(text: string): number | undefined {
    const { expires } = parseToken(text);
    return expires === undefined ? undefined : expires * 1000;
  }

  /** When a token that is valid now is to be verified again, in milliseconds since 1970; undefined: its key stays. */
  get recheckAt(): number | undefined {
    return this.#authorization.trust.kind === "urls" ? Date.now() + keySetLifeMs : undefined;
  }

  async #verify(text: string): Promise<Claims> {
    const token = parseToken(text);
    const failures = new Map<Voucher, unknown>();
    for (const voucher of this.#mostLikelyFirst(token)) {
      try {
        return await this.#verifyBy(voucher, token);
      } catch (thrown) {
        failures.set(voucher, thrown);
      }
    }
    throw this.#vouchers.map((voucher) => failures.get(voucher)).at(-1);
  }

  /** A set that has the key answers at once, while another one may have to be fetched from a server that is down. */
  #mostLikelyFirst(token: ParsedToken): readonly Voucher[] {
    return [...this.#vouchers].sort((a, b) => Number(b.knows(token)) - Number(a.knows(token)));
  }

  async #verifyBy(voucher: Voucher, token: ParsedToken): Promise<Claims> {
    const { believed } = voucher;
    await verifySignature(token, await voucher.key(token));
    const claims = acceptedClaims(token, this.#authorization);
    // The key may be of a set that has been replaced meanwhile.
    if (believed === voucher.believed) believed?.set(token.text, { token, claims });
    return claims;
  }
}

/** A source of keys, and the tokens that they have verified. */
interface Voucher {
  /** Undefined while it has no keys. */
  readonly believed: LRUCache<string, Believed> | undefined;
  open(): Promise<void>;
  close(): void;
  /** Whether it has the key, without fetching anything. */
  knows(token: ParsedToken): boolean;
  key(token: ParsedToken): MaybePromise<KeyObject | CryptoKey>;
}

class FixedVoucher implements Voucher {
  readonly believed = new LRUCache<string, Believed>({ max: maxKept });
  readonly #algorithm: string;
  readonly #key: KeyObject;

  constructor(fixed: FixedKey) {
    this.#algorithm = fixed.algorithm;
    this.#key = keyObject(fixed);
  }

  async open(): Promise<void> {}
  close(): void {}

  knows(): boolean {
    return true;
  }

  key({ algorithm }: ParsedToken): KeyObject {
    if (algorithm === this.#algorithm) return this.#key;
    throw unverifiable(`unexpected signing method: Expected ${this.#algorithm} Found ${shownAlgorithm(algorithm)}`);
  }
}

class SetVoucher implements Voucher {
  readonly #set: KeySet;
  #keys: object | undefined;
  #believed: LRUCache<string, Believed> | undefined;

  constructor(set: KeySet) {
    this.#set = set;
  }

  /** When the keys are too old the token is verified again, which fetches them. */
  get believed(): LRUCache<string, Believed> | undefined {
    const keys = this.#set.current;
    if (keys !== this.#keys) {
      this.#keys = keys;
      this.#believed = keys && new LRUCache({ max: maxKept });
    }
    return this.#believed;
  }

  open(): Promise<void> {
    return this.#set.open();
  }

  close(): void {
    this.#set.close();
  }

  knows(token: ParsedToken): boolean {
    return this.#set.knows(token);
  }

  key(token: ParsedToken): Promise<KeyObject | CryptoKey> {
    return this.#set.key(token);
  }
}
