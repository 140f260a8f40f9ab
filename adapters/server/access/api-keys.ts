// API keys in `X-Auth-Token`. An admin key replaces the admin token. Without anonymous access every request needs a key.

import { timingSafeEqual } from "node:crypto";
import type { HttpRequest } from "../../../core/transport.ts";
import type { ApiKey, EndpointConfig } from "../config/config.ts";
import { digest } from "./digest.ts";

type Headers = Pick<HttpRequest, "headers">;

interface KnownKey {
  readonly name: string;
  readonly kind: ApiKey["kind"];
  readonly digest: Buffer;
}

export class ApiKeys {
  readonly #anonymous: boolean;
  readonly #known: readonly KnownKey[];

  constructor({ apiKeys = [], anonymousAccess = true }: Pick<EndpointConfig, "apiKeys" | "anonymousAccess">) {
    this.#anonymous = anonymousAccess;
    this.#known = apiKeys.map(({ name, kind, hash }) => ({ name, kind, digest: Buffer.from(hash, "hex") }));
  }

  /** Whether the request may reach `/graphql` at all. */
  admits(request: Headers): boolean {
    return this.#anonymous || this.#keysOf(request).length > 0;
  }

  isAdmin(request: Headers): boolean {
    return this.#keysOf(request).some(({ kind }) => kind === "admin");
  }

  /** The name of the request's key; undefined: it has no known one. */
  nameOf(request: Headers): string | undefined {
    return this.#keysOf(request)[0]?.name;
  }

  /** Compares with every key, so that the time does not show which one matched. */
  #keysOf({ headers }: Headers): readonly KnownKey[] {
    const sent = headers["x-auth-token"];
    if (sent === undefined || this.#known.length === 0) return [];
    const sentDigest = digest(sent);
    return this.#known.filter((key) => timingSafeEqual(sentDigest, key.digest));
  }
}
