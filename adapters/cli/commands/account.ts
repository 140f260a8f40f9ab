// quern account: the users who sign in at a running server.

import { QuernError } from "../../../core/index.ts";
import type { TokenOptions } from "../client/admin-token.ts";
import { askAdmin, type GuardianChoice, loggedInAt, memberOf } from "../client/guardian.ts";
import { readSecretFile } from "../ground/read-secret.ts";

export interface AccountOptions extends TokenOptions, GuardianChoice {
  readonly url: string;
}

export interface FieldOptions extends AccountOptions {
  /** `role=ADMIN`, several. */
  readonly set?: readonly string[];
}

export interface AddAccountOptions extends FieldOptions {
  /** Path of a file with the password. Default: `QUERN_NEW_PASSWORD`. Without one the user gets a mail. */
  readonly newPasswordFile?: string;
  /** Where the link of the mail leads. */
  readonly page?: string;
}

export interface SetAccountOptions extends FieldOptions {
  readonly newPasswordFile?: string;
  readonly disable?: boolean;
  readonly enable?: boolean;
}

async function ask(options: AccountOptions, query: string, variables: Readonly<Record<string, unknown>>): Promise<unknown> {
  return await askAdmin(await loggedInAt(options), query, variables).catch((thrown: unknown) => {
    if (thrown instanceof QuernError && /Cannot query field|Unknown type/.test(thrown.message)) throw withoutAccounts;
    throw thrown;
  });
}

const withoutAccounts = new QuernError(
  "REQUEST_REFUSED",
  "No users sign in at this server: start it with QUERN_ACCOUNTS=true, or give it accountsPlugin().",
);

export async function listAccounts(options: AccountOptions): Promise<void> {
  for (let offset = 0, count = pageSize; count === pageSize; offset += count) {
    const data = await ask(
      options,
      "query ($first: Int, $offset: Int) { accounts(first: $first, offset: $offset) { email disabled emailVerified providers signedInAt sessions } }",
      { first: pageSize, offset },
    );
    const accounts = memberOf(data, "accounts");
    const page: readonly unknown[] = Array.isArray(accounts) ? accounts : [];
    for (const account of page) console.log(lineOf(account));
    count = page.length;
  }
}

const pageSize = 500;

function lineOf(account: unknown): string {
  const of = (name: string) => memberOf(account, name);
  const state = of("disabled") === true ? "disabled" : of("emailVerified") === true ? "confirmed" : "not confirmed";
  return [of("email"), state, [of("providers")].flat().join(", "), `${of("sessions")} sessions`, of("signedInAt") ?? "never signed in"].join("\t");
}

export async function addAccount(email: string, { set = [], page, ...options }: AddAccountOptions): Promise<void> {
  const password = await newPassword(options);
  await ask(
    options,
    "mutation ($email: String!, $fields: [AccountFieldInput!], $password: String, $page: String) { addAccount(email: $email, fields: $fields, password: $password, page: $page) { email } }",
    { email, fields: set.map(fieldOf), password, page },
  );
  console.log(password === undefined ? `The user ${email} is added, and gets a mail to set a password.` : `The user ${email} is added.`);
}

export async function setAccount(email: string, { set = [], disable, enable, ...options }: SetAccountOptions): Promise<void> {
  const [password, disabled] = [await newPassword(options), disable ? true : enable ? false : undefined];
  await ask(
    options,
    "mutation ($email: String!, $fields: [AccountFieldInput!], $password: String, $disabled: Boolean) { setAccount(email: $email, fields: $fields, password: $password, disabled: $disabled) { email } }",
    { email, fields: set.map(fieldOf), password, disabled },
  );
  console.log(`The user ${email} is changed.`);
}

export interface ActOptions extends AccountOptions {
  readonly minutes: number;
}

/** The token alone, for a file. */
export async function actAsAccount(email: string, { minutes, ...options }: ActOptions): Promise<void> {
  const query = "mutation ($email: String!, $minutes: Int!) { actAsAccount(email: $email, minutes: $minutes) { id token expiresAt } }";
  const session = memberOf(await ask(options, query, { email, minutes }), "actAsAccount");
  console.log(memberOf(session, "token"));
  const until = memberOf(session, "expiresAt");
  console.error(`You act as ${email} until ${until}. End it with: quern account sign-out ${email} --session ${memberOf(session, "id")}`);
}

export async function listSessions(email: string, options: AccountOptions): Promise<void> {
  const query = "query ($email: String!) { accountSessions(email: $email) { id createdAt expiresAt from userAgent actedBy } }";
  const sessions = memberOf(await ask(options, query, { email }), "accountSessions");
  for (const session of Array.isArray(sessions) ? sessions : []) console.log(sessionLine(session));
}

function sessionLine(session: unknown): string {
  const of = (name: string) => memberOf(session, name);
  const actor = of("actedBy") ?? null;
  const texts = [of("id"), of("createdAt"), of("expiresAt"), of("from") ?? "unknown address", actor === null ? "user" : `acted by ${actor}`];
  return [...texts, of("userAgent") ?? ""].join("\t");
}

export interface SignOutOptions extends AccountOptions {
  /** The ID of the one that ends. Default: all. */
  readonly session?: string;
}

export async function signOutAccount(email: string, { session, ...options }: SignOutOptions): Promise<void> {
  const query = "mutation ($email: String!, $session: String) { signOutAccount(email: $email, session: $session) }";
  const data = await ask(options, query, { email, session });
  console.log(`Sessions of ${email} that are ended: ${memberOf(data, "signOutAccount")}`);
}

function fieldOf(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf("=");
  if (at > 0) return { name: text.slice(0, at), value: text.slice(at + 1) };
  throw new QuernError("CONFIG_INVALID", `--set has ${JSON.stringify(text)}; write the field and its value: --set role=ADMIN`);
}

async function newPassword({ newPasswordFile }: { readonly newPasswordFile?: string }): Promise<string | undefined> {
  return newPasswordFile === undefined ? process.env.QUERN_NEW_PASSWORD || undefined : await readSecretFile("password", newPasswordFile);
}
