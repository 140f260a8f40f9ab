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
  /** The administrator who acts as the user, if one does. */
  readonly actedBy?: string | undefined;
}

const name = "account";

/** Null: a client that has not signed in. */
export function accountFact(who: SignedIn | null): Readonly<Record<string, Json>> {
  if (who === null) return { [name]: null };
  const { session, user, ends, actedBy } = who;
  return { [name]: { session, user, ends, ...(actedBy !== undefined && { actedBy }) } };
}

/** Null: a client that has not signed in. Undefined: no client asks, but the system, or the application with claims of its own. */
export function signedIn({ facts }: Pick<RequestView, "facts">): SignedIn | null | undefined {
  const fact = facts[name];
  if (fact === undefined || fact === null) return fact;
  if (!isObject(fact)) return null;
  const { session, user, ends, actedBy } = fact;
  return { session: Number(session), user: Number(user), ends: Number(ends), ...(typeof actedBy === "string" && { actedBy }) };
}
