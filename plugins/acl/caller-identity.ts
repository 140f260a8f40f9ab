// Who sends a request: an identity from its access token, or the reason why there is none.

import { andThen, isObject, type Json, type MaybePromise, QuernError, rescued } from "../../core/plugin.ts";
import type { Directory } from "./directory.ts";
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

/** The user that the subject of an application's claims names, in the groups of now. */
export async function userNamed(claims: Json, directory: Directory): Promise<Caller> {
  const { sub, exp } = isObject(claims) ? claims : {};
  if (typeof sub !== "string" || sub === "") return { kind: "refused", reason: "the claims name no user: give its name as `sub`" };
  const [user, table] = await Promise.all([directory.user(sub), directory.groups()]);
  if (user === undefined) return { kind: "refused", reason: `there is no user ${JSON.stringify(sub)}, whom the claims name` };
  const groups = user.groups.flatMap((id) => table.withId(id)?.name ?? []);
  return { kind: "user", user: sub, groups, namespace: directory.namespace, ...(typeof exp === "number" && { expiresAt: exp * 1_000 }) };
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
