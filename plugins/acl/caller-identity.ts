// Who sends a request: an identity from its access token, or the reason why there is none.

import { andThen, isObject, type Json, type MaybePromise, QuernError, rescued } from "../../core/plugin.ts";
import type { Identity, Tokens } from "./token-pairs.ts";

/** The headers that carry the access token, in lower case. The first one that is there counts. */
export const tokenHeaders = ["x-service-accesstoken", "x-dgraph-accesstoken"] as const;

export type Caller =
  | ({ readonly kind: "user" } & Identity)
  /** The token is unusable. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "nobody" };

export const noToken = "no accessJwt available";

type Headers = Readonly<Record<string, string | undefined>>;

export function callerOf(headers: Headers, tokens: Tokens): MaybePromise<Caller> {
  const token = tokenHeaders.map((name) => headers[name]?.trim()).find((text) => text !== undefined && text !== "");
  if (token === undefined) return { kind: "nobody" };
  return rescued<Caller>(
    () => andThen(tokens.identity(token), (identity) => ({ kind: "user", ...identity })),
    (thrown) => {
      if (thrown instanceof QuernError && thrown.code === "REQUEST_REFUSED") return { kind: "refused", reason: thrown.message };
      throw thrown;
    },
  );
}

/** Why the caller is not known; undefined: it is. */
export function callerProblem(caller: Caller): string | undefined {
  if (caller.kind === "user") return undefined;
  return caller.kind === "nobody" ? noToken : caller.reason;
}

/** The identity, for those who have one. @throws QuernError with the bare reason */
export function identityOf(caller: Caller): Identity {
  if (caller.kind === "user") return caller;
  throw new QuernError("REQUEST_REFUSED", callerProblem(caller) ?? noToken);
}

/** The caller as a fact of the request, which hooks read again with `callerFrom`. */
export function callerFact(caller: Caller): Json {
  return { ...caller };
}

export function callerFrom(fact: Json | undefined): Caller {
  return isCaller(fact) ? fact : { kind: "nobody" };
}

/** Facts are JSON; this one comes from `callerFact`. */
function isCaller(fact: unknown): fact is Caller {
  return isObject(fact) && (fact.kind === "user" || fact.kind === "refused");
}
