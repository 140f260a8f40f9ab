// What a request knows of its caller: the member `account` of its facts.

import { isObject, type Json, type RequestView, type Uid } from "../../../core/plugin.ts";

/** Who has signed in. */
export interface SignedIn {
  /** The node of the session. */
  readonly session: Uid;
  /** The node of the user. */
  readonly user: Uid;
  /** When the session ends, in milliseconds since 1970. */
  readonly ends: number;
}

const name = "account";

/** Null: a client that has not signed in. */
export function accountFact(who: SignedIn | null): Readonly<Record<string, Json>> {
  return { [name]: who === null ? null : { session: who.session, user: who.user, ends: who.ends } };
}

/** Null: a client that has not signed in. Undefined: no client asks, but the system, or the application with claims of its own. */
export function signedIn({ facts }: RequestView): SignedIn | null | undefined {
  const fact = facts[name];
  if (fact === undefined || fact === null) return fact;
  return isObject(fact) ? { session: Number(fact.session), user: Number(fact.user), ends: Number(fact.ends) } : null;
}
