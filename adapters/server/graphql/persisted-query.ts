// Resolves the document of a request: its text, a persisted document by its hash, or a trusted one by its id.

import { andThen, type HttpRequest, type MaybePromise, QuernError, rescued, type ServerAccess } from "../../../core/plugin.ts";
import { type PersistedQueries, sha256 } from "../documents/persisted-store.ts";
import type { TrustedDocuments } from "../documents/trusted-documents.ts";
import { HttpRefusal } from "../http/refusal.ts";
import type { DecodedRequest } from "./decode-graphql.ts";

export interface DocumentSources {
  readonly persisted: PersistedQueries;
  /** Undefined: none are configured, or they do not apply to this path. */
  readonly trusted: TrustedDocuments | undefined;
}

export interface ResolvedDocument {
  readonly query: string;
  /** Stores the document under its hash. Called for a new and valid document of an authorized caller. Never rejects. */
  readonly keep?: () => MaybePromise<void>;
}

/** Throws, or rejects with, an HttpRefusal when the caller may not use persisted documents. */
export function permitPersisted(access: ServerAccess | undefined, caller: Pick<HttpRequest, "headers">): MaybePromise<void> {
  if (access?.persisted === undefined) return undefined;
  return rescued(
    () => access.persisted?.(caller),
    (thrown) => {
      if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") throw thrown;
      throw new HttpRefusal(thrown.message, 401, "REQUEST_REFUSED");
    },
  );
}

/** The document to run. Throws, or rejects with, an HttpRefusal. @param permit called before a persisted document is read or kept */
export function resolveDocument(
  request: DecodedRequest,
  { persisted, trusted }: DocumentSources,
  permit: () => MaybePromise<void>,
): MaybePromise<ResolvedDocument> {
  const kept = () =>
    request.persistedHash === undefined ? persistedDocument(request, persisted) : andThen(permit(), () => persistedDocument(request, persisted));
  if (trusted === undefined) return kept();
  const { query, documentId, persistedHash } = request;
  const id = persistedHash ?? documentId;
  const listed = id === undefined ? undefined : trusted.textOf(id);
  if (listed !== undefined) return { query: sameText(query, listed) };
  if (trusted.only) return trustedText(request, trusted);
  if (query === "" && persistedHash === undefined && documentId !== undefined) throw notFound();
  return kept();
}

function persistedDocument({ query, persistedHash: hash }: DecodedRequest, persisted: PersistedQueries): MaybePromise<ResolvedDocument> {
  if (hash === undefined) {
    if (query === "") throw nothingSent();
    return { query };
  }
  return andThen(persisted.get(hash), (known) => {
    if (known !== undefined) return { query: sameText(query, known) };
    if (query === "") throw notFound();
    // The text was decoded with replacement characters, so that its hash differs from that of the bytes. The parser refuses it.
    if (!query.isWellFormed()) return { query };
    if (hash !== sha256(query)) throw new HttpRefusal("provided sha does not match query");
    return { query, keep: () => persisted.keep(hash, query) };
  });
}

/** With `only`: a client may also send the exact text of a trusted document. */
function trustedText({ query, documentId, persistedHash }: DecodedRequest, trusted: TrustedDocuments): ResolvedDocument {
  if (trusted.hasText(query)) return { query };
  if (query !== "") throw new HttpRefusal(notTrustedText, 400, "DOCUMENT_NOT_TRUSTED");
  throw persistedHash === undefined && documentId === undefined ? nothingSent() : notFound();
}

const notTrustedText =
  "This server runs trusted documents alone (trustedDocuments.only), and this one is not among them. Send the id of a trusted document.";

function sameText(sent: string, known: string): string {
  if (sent !== "" && sent !== known) throw new HttpRefusal("query does not match persisted query");
  return known;
}

function nothingSent(): HttpRefusal {
  return new HttpRefusal("no query string supplied in request");
}

/** Clients of automatic persisted queries recognize this message or the code. */
function notFound(): HttpRefusal {
  return new HttpRefusal("PersistedQueryNotFound", 400, "PERSISTED_QUERY_NOT_FOUND");
}
