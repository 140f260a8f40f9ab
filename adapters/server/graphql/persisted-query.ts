// The protocol of persisted queries: a client may send a hash instead of a document that was sent with this hash before.

import { createHash } from "node:crypto";
import { andThen, type MaybePromise } from "../../../core/index.ts";
import type { PersistedQueries } from "../context.ts";
import { Refusal } from "../http/refusal.ts";
import type { DecodedRequest } from "./decode-graphql.ts";

/** The document to run. A new one that comes with its right hash is kept before it runs. Throws, or rejects with, a Refusal. */
export function resolveDocument(request: DecodedRequest, persisted: PersistedQueries): MaybePromise<string> {
  const { query, persistedHash: hash } = request;
  if (hash === undefined) {
    if (query === "") throw new Refusal("no query string supplied in request");
    return query;
  }
  return andThen(persisted.get(hash), (known) => {
    if (known !== undefined) {
      if (query !== "" && query !== known) throw new Refusal("query does not match persisted query");
      return known;
    }
    if (query === "") throw new Refusal("PersistedQueryNotFound");
    // The hash is that of other bytes, and the store would keep another text. The parser refuses it.
    if (!query.isWellFormed()) return query;
    if (hash !== createHash("sha256").update(query).digest("hex")) throw new Refusal("provided sha does not match query");
    return andThen(persisted.put(hash, query), () => query);
  });
}
