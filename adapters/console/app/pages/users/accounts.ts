// Users who sign in, as the admin API of accountsPlugin lists them. It shows no password, hash or token, but for that of a session in which the administrator acts.

import { at, type JsonObject, listOf, objectsIn, textOf } from "../../api/json.ts";
import type { Identity, Server } from "../../api/server.ts";

export interface Account {
  readonly email: string;
  readonly name: string;
  readonly state: "confirmed" | "not confirmed" | "disabled";
  /** By what it signs in. */
  readonly providers: readonly string[];
  /** As the server writes it; empty: never. */
  readonly signedInAt: string;
  readonly sessions: number;
}

export async function listAccounts(server: Server, first: number): Promise<readonly Account[]> {
  const { accounts } = await server.admin(
    "query ($first: Int!) { accounts(first: $first) { email name emailVerified disabled providers signedInAt sessions } }",
    { first },
  );
  return objectsIn(accounts).map(accountIn);
}

function accountIn(of: JsonObject): Account {
  return {
    email: textOf(of.email),
    name: textOf(of.name),
    state: of.disabled === true ? "disabled" : of.emailVerified === true ? "confirmed" : "not confirmed",
    providers: listOf(of.providers).map(textOf),
    signedInAt: textOf(of.signedInAt),
    sessions: Number(of.sessions),
  };
}

/** It gets a mail with a link to set a password, unless one is given. */
export async function addAccount(server: Server, email: string, password: string): Promise<void> {
  await server.admin("mutation ($email: String!, $password: String) { addAccount(email: $email, password: $password) { email } }", {
    email,
    ...(password !== "" && { password }),
  });
}

export async function setPassword(server: Server, email: string, password: string): Promise<void> {
  await server.admin("mutation ($email: String!, $password: String!) { setAccount(email: $email, password: $password) { email } }", {
    email,
    password,
  });
}

export async function setState(server: Server, email: string, state: "enabled" | "disabled"): Promise<void> {
  await server.admin("mutation ($email: String!, $disabled: Boolean!) { setAccount(email: $email, disabled: $disabled) { email } }", {
    email,
    disabled: state === "disabled",
  });
}

export async function signOut(server: Server, email: string): Promise<void> {
  await server.admin("mutation ($email: String!) { signOutAccount(email: $email) }", { email });
}

export interface AccountSession {
  readonly id: string;
  /** As the server writes them. */
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Empty: unknown. */
  readonly from: string;
  readonly userAgent: string;
  /** The administrator who acts in it; empty: none does. */
  readonly actedBy: string;
}

export async function listSessions(server: Server, email: string): Promise<readonly AccountSession[]> {
  const query = "query ($email: String!) { accountSessions(email: $email) { id createdAt expiresAt from userAgent actedBy } }";
  const { accountSessions } = await server.admin(query, { email });
  return objectsIn(accountSessions).map(({ id, createdAt, expiresAt, from, userAgent, actedBy }) => ({
    id: textOf(id),
    createdAt: textOf(createdAt),
    expiresAt: textOf(expiresAt),
    from: textOf(from),
    userAgent: textOf(userAgent),
    actedBy: textOf(actedBy),
  }));
}

export async function endSession(server: Server, email: string, session: string): Promise<void> {
  await server.admin("mutation ($email: String!, $session: String!) { signOutAccount(email: $email, session: $session) }", { email, session });
}

/** For a quarter of an hour. */
export async function actAs(server: Server, email: string): Promise<Identity> {
  const data = await server.admin("mutation ($email: String!) { actAsAccount(email: $email) { token expiresAt } }", { email });
  const [token, until] = [textOf(at(data, "actAsAccount", "token")), Date.parse(textOf(at(data, "actAsAccount", "expiresAt")))];
  return { kind: "client", headers: { authorization: `Bearer ${token}` }, acting: { email, until, inBrowser: false } };
}
