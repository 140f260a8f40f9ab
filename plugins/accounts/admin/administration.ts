// What administrators do with users: add, import, change, disable, sign out.

import { type MaybePromise, QuernError, type RequestView } from "../../../core/plugin.ts";
import { randomId } from "../ground/random-id.ts";
import { type AccountType, emailField, valueField } from "../schema/account-type.ts";
import { plainEmail } from "../schema/email.ts";
import { creationsIn } from "../store/creations.ts";
import { type HiddenRows, is } from "../store/hidden-rows.ts";
import type { Row } from "../store/rows.ts";
import type { Users } from "../store/users.ts";
import { AccountImport, type ImportedAccount } from "./account-import.ts";
import { type ActingRequest, type ActingSession, actAs } from "./acting.ts";

/** Passwords and sessions of users, as better-auth keeps them. */
export interface Secrets {
  /** @throws QuernError `REQUEST_REFUSED` */
  checkPassword(password: string): void;
  /** It is of the right length. */
  setPassword(userId: string, password: string): Promise<void>;
  /** Sends a mail with a link to `page`, where the user sets a password. */
  sendPasswordLink(email: string, page: string): Promise<void>;
  /** The token of a session with its signature, as a client sends it. */
  signed(token: string): Promise<string>;
}

export interface AdministrationParts {
  readonly rows: HiddenRows;
  /** Undefined: no type of the schema that is served has `@account`. */
  readonly account: () => AccountType | undefined;
  readonly users: (account: AccountType) => Users;
  /** @param headers of the request that asks: links lead to where it was sent */
  readonly auth: (headers: RequestView["headers"]) => Promise<Secrets | undefined>;
  /** Who acts in the session of these headers; undefined: nobody does. */
  readonly actorOf: (headers: RequestView["headers"]) => MaybePromise<string | undefined>;
}

interface AddedAccount {
  readonly fields: ReadonlyMap<string, string>;
  readonly password: string | undefined;
  readonly page: string | undefined;
  readonly headers: RequestView["headers"];
}

interface ChangedAccount {
  readonly fields: ReadonlyMap<string, string>;
  readonly password: string | undefined;
  readonly disabled: boolean | undefined;
  readonly headers: RequestView["headers"];
}

/** Users of one answer, at most. */
const maxListed = 1_000;

/** Users of one import, at most. */
const maxImported = 1_000;

export class Administration {
  readonly #parts: AdministrationParts;

  constructor(parts: AdministrationParts) {
    this.#parts = parts;
  }

  async list({ first, offset }: { readonly first: number; readonly offset: number }): Promise<readonly object[]> {
    const limit = Math.max(0, Math.min(first, maxListed));
    const rows = await this.#users.find({ where: [], limit, offset: Math.max(0, offset) });
    return await Promise.all(rows.map((row) => this.#shown(row)));
  }

  async add(email: string, { fields, password, page = "/", headers }: AddedAccount): Promise<object> {
    const passwords = await this.#auth(headers);
    if (password !== undefined) passwords.checkPassword(password);
    // An administrator who sets the password answers for the e-mail; who gets a mail confirms it.
    const now = new Date();
    const profile = { emailVerified: password !== undefined, createdAt: now, updatedAt: now, unfinishedSince: null };
    const row = await this.#users.add({ ...this.#values(fields), [emailField]: plainEmail(email) }, profile);
    if (password === undefined) await passwords.sendPasswordLink(String(row[emailField]), page);
    else await passwords.setPassword(String(row.id), password);
    return await this.#shown(row);
  }

  /** @param type the name of the type with `@account`, so that no users become objects of another one */
  async import(type: string, lines: readonly string[]): Promise<readonly ImportedAccount[]> {
    const account = this.#account;
    if (account.type.name !== type) throw new QuernError("REQUEST_REFUSED", `Users are of the type ${account.type.name}, not of ${type}.`);
    if (lines.length > maxImported) throw new QuernError("REQUEST_REFUSED", `Import at most ${maxImported} users at once.`);
    const work = new AccountImport({ rows: this.#parts.rows, users: this.#users, account, newId: randomId });
    const imported: ImportedAccount[] = [];
    for (const line of lines) imported.push(await work.add(line));
    return imported;
  }

  async set(email: string, { fields, password, disabled, headers }: ChangedAccount): Promise<object> {
    const [row, passwords] = [await this.#found(email), await this.#auth(headers)];
    if (password !== undefined) passwords.checkPassword(password);
    const changed = await this.#users.set(row, this.#values(fields), disabled === undefined ? {} : { disabled });
    if (password !== undefined) await passwords.setPassword(String(row.id), password);
    if (password !== undefined || disabled === true) await this.#end(row);
    return await this.#shown(changed);
  }

  /** @param session the ID of one; undefined: all */
  async signOut(email: string, session?: string): Promise<number> {
    return await this.#end(await this.#found(email), session);
  }

  async #end({ id }: Row, session?: string): Promise<number> {
    const which = [is("userId", id), ...(session === undefined ? [] : [is("id", session)])];
    return (await this.#parts.rows.remove("session", which, "all")).length;
  }

  /** The newest first. */
  async sessions(email: string): Promise<readonly object[]> {
    const rows = await this.#sessionsOf(await this.#found(email));
    return rows.map(shownSession).reverse();
  }

  async #sessionsOf({ id }: Row): Promise<readonly Row[]> {
    const where = [is("userId", id), is("expiresAt", new Date(), "gt")];
    return await this.#parts.rows.find("session", { where, sortBy: { field: "createdAt", direction: "asc" } });
  }

  async actAs(email: string, request: ActingRequest): Promise<ActingSession> {
    const { rows, actorOf } = this.#parts;
    const [user, auth] = [await this.#found(email), await this.#auth(request.headers)];
    const createSession = creationsIn(rows).session;
    return await actAs(user, request, { createSession, actorOf, signed: (token) => auth.signed(token) });
  }

  get #account(): AccountType {
    const account = this.#parts.account();
    if (account) return account;
    throw new QuernError("REQUEST_REFUSED", "No type of the schema has @account.");
  }

  get #users(): Users {
    return this.#parts.users(this.#account);
  }

  async #auth(headers: RequestView["headers"]): Promise<Secrets> {
    const auth = await this.#parts.auth(headers);
    if (auth) return auth;
    throw new QuernError("REQUEST_REFUSED", "No type of the schema has @account.");
  }

  async #found(email: string): Promise<Row> {
    const [row] = await this.#users.find({ where: [is(emailField, plainEmail(email))] });
    if (row) return row;
    throw new QuernError("REQUEST_REFUSED", `No user has the e-mail ${plainEmail(email)}.`);
  }

  #values(fields: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...fields].map(([name, text]) => [name, this.#value(name, text)]));
  }

  #value(name: string, text: string): unknown {
    const { type } = this.#account;
    const field = valueField(type, name);
    if (field === undefined || name === emailField || field.type.list) {
      throw new QuernError("REQUEST_REFUSED", `${name} is no field of ${type.name} that holds one value beside the e-mail.`);
    }
    return field.kind === "string" || field.kind === "dateTime" ? text : jsonIn(name, text);
  }

  async #shown(row: Row): Promise<object> {
    const [accounts, sessions] = await Promise.all([this.#parts.rows.find("account", { where: [is("userId", row.id)] }), this.#sessionsOf(row)]);
    return {
      email: row[emailField],
      name: row.name || null,
      emailVerified: row.emailVerified === true,
      disabled: row.disabled === true,
      createdAt: timeText(row.createdAt),
      signedInAt: timeText(row.signedInAt),
      providers: [...new Set(accounts.map(({ providerId }) => String(providerId)))],
      sessions: sessions.length,
    };
  }
}

/** Without its token. */
function shownSession({ id = null, createdAt, expiresAt, ipAddress, userAgent, actedBy = null }: Row): object {
  return { id, createdAt: timeText(createdAt), expiresAt: timeText(expiresAt), from: ipAddress || null, userAgent: userAgent || null, actedBy };
}

function timeText(value: Row[string] | undefined): string | null {
  return value instanceof Date ? value.toISOString() : null;
}

function jsonIn(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new QuernError("REQUEST_REFUSED", `${name} has the value ${text}, which is no JSON.`, { cause });
  }
}
