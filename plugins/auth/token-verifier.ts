// Converts the token of a request to claims. A verified token is cached as long as its keys are the same.

import type { KeyObject } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { MaybePromise } from "../../core/plugin.ts";
import type { Authorization } from "./authorization-line.ts";
import { type FixedKey, keyObject } from "./fixed-key.ts";
import { KeySet, type KeySetOptions } from "./key-set.ts";
import { type Claims, type ParsedToken, parseToken } from "./parse-token.ts";
import { unusable } from "./token-error.ts";
import { acceptedClaims, assertTimely, suits, verifySignature } from "./verify-token.ts";

/** Cached tokens. Each is a header of a few kilobytes at most. */
const maxKept = 1_000;

interface Believed {
  readonly token: ParsedToken;
  readonly claims: Claims;
}

export class TokenVerifier {
  readonly #authorization: Authorization;
  readonly #vouchers: readonly Voucher[];

  constructor(authorization: Authorization, options?: KeySetOptions) {
    this.#authorization = authorization;
    const { trust } = authorization;
    this.#vouchers = trust.kind === "key" ? [new FixedVoucher(trust)] : trust.urls.map((url) => new SetVoucher(new KeySet(url, options)));
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
      const known = believed.get(text);
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

  async #verify(text: string): Promise<Claims> {
    const token = parseToken(text);
    let failure: unknown;
    for (const voucher of this.#vouchers) {
      try {
        await verifySignature(token, await voucher.key(token));
        const claims = acceptedClaims(token, this.#authorization);
        voucher.believed.set(text, { token, claims });
        return claims;
      } catch (thrown) {
        failure = thrown;
      }
    }
    throw failure;
  }
}

/** A source of keys, and the tokens that they have verified. */
interface Voucher {
  readonly believed: LRUCache<string, Believed>;
  open(): Promise<void>;
  close(): void;
  key(token: ParsedToken): MaybePromise<KeyObject>;
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

  key({ algorithm }: ParsedToken): KeyObject {
    if (algorithm === this.#algorithm) return this.#key;
    throw unverifiable(`unexpected signing method: Expected ${this.#algorithm} Found ${algorithm}`);
  }
}

class SetVoucher implements Voucher {
  readonly #set: KeySet;
  #keys: ReadonlyMap<string, KeyObject> = new Map();
  #believed = new LRUCache<string, Believed>({ max: maxKept });

  constructor(set: KeySet) {
    this.#set = set;
  }

  /** Empty when the keys have expired: the token is then verified again, which refreshes the keys. */
  get believed(): LRUCache<string, Believed> {
    const keys = this.#set.current;
    if (keys !== this.#keys) {
      this.#keys = keys ?? new Map();
      this.#believed = new LRUCache({ max: maxKept });
    }
    return this.#believed;
  }

  open(): Promise<void> {
    return this.#set.open();
  }

  close(): void {
    this.#set.close();
  }

  async key({ algorithm, keyId }: ParsedToken): Promise<KeyObject> {
    if (keyId === undefined) throw unverifiable("kid not present in JWT");
    const key = typeof keyId === "string" ? (await this.#set.keys()).get(keyId) : undefined;
    if (!key) throw unverifiable("Invalid kid");
    if (!suits(algorithm, key)) throw unusable(`token signature is invalid: key is of invalid type: it does not verify ${algorithm}`);
    return key;
  }
}

function unverifiable(reason: string): Error {
  return unusable(`token is unverifiable: error while executing keyfunc: ${reason}`);
}
