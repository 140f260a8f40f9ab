// API keys in `X-Auth-Token`. An admin key replaces the admin token. Without anonymous access every request needs a key.

import { timingSafeEqual } from "node:crypto";
import type { HttpRequest } from "../../../core/index.ts";
import type { ApiKey, EndpointConfig } from "../config/config.ts";
import { digest } from "./digest.ts";

type Headers = Pick<HttpRequest, "headers">;

interface KnownKey {
  readonly kind: ApiKey["kind"];
  readonly digest: Buffer;
}

export class ApiKeys {
  readonly #anonymous: boolean;
  readonly #known: readonly KnownKey[];

  constructor({ apiKeys = [], anonymousAccess = true }: Pick<EndpointConfig, "apiKeys" | "anonymousAccess">) {
    this.#anonymous = anonymousAccess;
    this.#known = apiKeys.map(({ kind, hash }) => ({ kind, digest: Buffer.from(hash, "hex") }));
  }

  /** Whether the request may reach `/graphql` at all. */
  admits(request: Headers): boolean {
    return this.#anonymous || this.#kindsOf(request).length > 0;
  }

  isAdmin(request: Headers): boolean {
    return this.#kindsOf(request).includes("admin");
  }

  /** Compares with every key, so that the time does not show which one matched. */
  #kindsOf({ headers }: Headers): readonly ApiKey["kind"][] {
    const sent = headers["x-auth-token"];
    if (sent === undefined || this.#known.length === 0) return [];
    const sentDigest = digest(sent);
    return this.#known.filter((key) => timingSafeEqual(sentDigest, key.digest)).map(({ kind }) => kind);
  }
}
