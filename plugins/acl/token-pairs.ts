// Access and refresh tokens: issues them, and reads those that clients send. The texts of errors are those that clients of Dgraph match.

import { errors, jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import { type MaybePromise, QuernError } from "../../core/plugin.ts";
import type { AclSettings } from "./acl-settings.ts";

/** Whom an access token names, or an application. */
export interface Identity {
  readonly user: string;
  /** Names of groups, as of the login. Of an application: as of now. */
  readonly groups: readonly string[];
  readonly namespace: number;
  /** In milliseconds since 1970. Absent: never. */
  readonly expiresAt?: number;
}

type Expiring = Required<Identity>;

export interface TokenPair {
  readonly accessJWT: string;
  readonly refreshJWT: string;
}

type Claims = Readonly<Record<string, unknown>>;

const algorithm = "HS256";
const maxKnown = 10_000;

export class Tokens {
  readonly #settings: () => AclSettings;
  /** Access tokens that were verified. */
  readonly #known = new LRUCache<string, Expiring>({ max: maxKnown });

  /** @param settings called at first use */
  constructor(settings: () => AclSettings) {
    this.#settings = settings;
  }

  async issue({ user, groups, namespace }: Omit<Identity, "expiresAt">): Promise<TokenPair> {
    const { accessTtlMs, refreshTtlMs } = this.#settings();
    const [accessJWT, refreshJWT] = await Promise.all([
      this.#sign({ userid: user, groups, namespace }, accessTtlMs),
      this.#sign({ userid: user, namespace, use: "refresh" }, refreshTtlMs),
    ]);
    return { accessJWT, refreshJWT };
  }

  #sign(claims: Claims, ttlMs: number): Promise<string> {
    const expires = Math.floor((Date.now() + ttlMs) / 1000);
    return new SignJWT({ ...claims, exp: expires }).setProtectedHeader({ alg: algorithm, typ: "JWT" }).sign(this.#settings().key);
  }

  /** Whom an access token names. Throws, or rejects with, a QuernError that gives the reason. */
  identity(token: string): MaybePromise<Identity> {
    const known = this.#known.get(token);
    if (known === undefined) return this.#verifyAccess(token);
    if (Date.now() < known.expiresAt) return known;
    throw unparsable("token has invalid claims: Token is expired");
  }

  async #verifyAccess(token: string): Promise<Identity> {
    const claims = await this.#verify(token);
    if (claims.use === "refresh") throw refused("a refresh token gives no access; log in with it to get an access token");
    const identity = { ...subjectOf(claims), groups: groupsOf(claims) };
    this.#known.set(token, identity);
    return identity;
  }

  /** Whom a refresh token names. Rejects with a QuernError. */
  async refreshed(token: string): Promise<Omit<Expiring, "groups">> {
    const claims = await this.#verify(token);
    if (claims.groups !== undefined) throw refused("an access token is no refresh token");
    return subjectOf(claims);
  }

  async #verify(token: string): Promise<Claims> {
    if (token.split(".").length !== 3) throw unparsable("token is malformed: token contains an invalid number of segments");
    try {
      const { payload } = await jwtVerify(token, this.#settings().key, { algorithms: [algorithm] });
      return payload;
    } catch (thrown) {
      throw unparsable(reasonOf(thrown, token), thrown);
    }
  }
}

function subjectOf({ userid, namespace, exp }: Claims): Omit<Expiring, "groups"> {
  if (typeof userid !== "string") throw refused("userid in claims is not a string:");
  if (typeof namespace !== "number" || !Number.isInteger(namespace)) throw refused(`namespace in claims is not valid:${String(namespace ?? "")}`);
  if (typeof exp !== "number") throw refused("Token is expired");
  return { user: userid, namespace, expiresAt: exp * 1000 };
}

/** Without a list: no group. */
function groupsOf({ groups }: Claims): readonly string[] {
  if (!Array.isArray(groups)) return [];
  return groups.map((group: unknown) => {
    if (typeof group === "string") return group;
    throw refused(`unable to convert group to string:${String(group)}`);
  });
}

function reasonOf(thrown: unknown, token: string): string {
  if (thrown instanceof errors.JWTExpired) return "token has invalid claims: Token is expired";
  if (thrown instanceof errors.JWTClaimValidationFailed)
    return `token has invalid claims: ${thrown.claim === "nbf" ? "token is not valid yet" : `the claim ${thrown.claim} is not valid`}`;
  if (thrown instanceof errors.JWSSignatureVerificationFailed) return "token signature is invalid: signature is invalid";
  if (thrown instanceof errors.JOSEAlgNotAllowed || thrown instanceof errors.JOSENotSupported)
    return `token is unverifiable: error while executing keyfunc: unexpected signing method in token: ${algorithmOf(token)}`;
  return "token is malformed: it cannot be decoded";
}

function algorithmOf(token: string): string {
  try {
    const { alg } = JSON.parse(Buffer.from(token.split(".", 1)[0] ?? "", "base64url").toString("utf8"));
    return typeof alg === "string" && /^\w{1,20}$/.test(alg) ? alg : "unknown";
  } catch {
    return "unknown";
  }
}

function unparsable(reason: string, cause?: unknown): QuernError {
  return refused(`unable to parse jwt token: ${reason}`, cause);
}

function refused(reason: string, cause?: unknown): QuernError {
  return new QuernError("REQUEST_REFUSED", reason, cause === undefined ? {} : { cause });
}
