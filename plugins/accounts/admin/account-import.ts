// Users of another service, with the hashes of their passwords: they stay signed up.

import { isObject, QuernError } from "../../../core/plugin.ts";
import { assertUsableHash } from "../hashes/foreign-hash.ts";
import { type AccountType, emailField } from "../schema/account-type.ts";
import { plainEmail } from "../schema/email.ts";
import { type HiddenRows, is } from "../store/hidden-rows.ts";
import type { Row } from "../store/rows.ts";
import type { Users } from "../store/users.ts";

export interface ImportParts {
  readonly rows: HiddenRows;
  readonly users: Users;
  readonly account: AccountType;
  /** As better-auth names its rows. */
  readonly newId: () => string;
}

/** What became of each line, in their order. */
export interface ImportedAccount {
  readonly outcome: "ADDED" | "COMPLETED" | "KEPT" | "REFUSED";
  /** Why it was refused. It shows no hash. */
  readonly why: string | null;
}

/** Members of a line that are no fields of the type. */
interface OfAccount {
  readonly passwordHash: string | undefined;
  readonly emailVerified: boolean;
  readonly disabled: boolean;
}

export class AccountImport {
  readonly #parts: ImportParts;

  constructor(parts: ImportParts) {
    this.#parts = parts;
  }

  /** @param line JSON: an `Add<T>Input` with `passwordHash`, `emailVerified` and `disabled` */
  async add(line: string): Promise<ImportedAccount> {
    try {
      const { of, fields } = this.#read(line);
      if (of.passwordHash !== undefined) assertUsableHash(of.passwordHash);
      return { outcome: await this.#write(fields, of), why: null };
    } catch (thrown) {
      if (!(thrown instanceof QuernError) || thrown.code !== "REQUEST_REFUSED") throw thrown;
      return { outcome: "REFUSED", why: thrown.message };
    }
  }

  #read(line: string): { readonly of: OfAccount; readonly fields: Readonly<Record<string, unknown>> } {
    const { passwordHash, ...members } = objectIn(line);
    if (passwordHash !== undefined && typeof passwordHash !== "string") throw refused("passwordHash is a text.");
    const email = members[emailField];
    if (typeof email !== "string") throw refused(`${emailField} is missing.`);
    const { fields: declared } = this.#parts.account.type;
    const own = ["emailVerified", "disabled"].filter((name) => !declared.has(name));
    const flags = Object.fromEntries(own.map((name) => [name, flagIn(name, members[name])]));
    const fields = Object.fromEntries(Object.entries(members).filter(([name]) => !own.includes(name)));
    return {
      of: { passwordHash, emailVerified: flags.emailVerified === true, disabled: flags.disabled === true },
      fields: { ...fields, [emailField]: plainEmail(email) },
    };
  }

  /** An import that was cut has added the user and not its password: run again, it completes it. */
  async #write(fields: Readonly<Record<string, unknown>>, of: OfAccount): Promise<ImportedAccount["outcome"]> {
    const [known] = await this.#parts.users.find({ where: [is(emailField, fields[emailField])] });
    if (known) return of.passwordHash !== undefined && (await this.#givePassword(known, of.passwordHash)) ? "COMPLETED" : "KEPT";
    const now = new Date();
    const profile = { emailVerified: of.emailVerified, disabled: of.disabled, createdAt: now, updatedAt: now, unfinishedSince: null };
    const added = await this.#parts.users.add(fields, profile);
    if (of.passwordHash !== undefined) await this.#givePassword(added, of.passwordHash);
    return "ADDED";
  }

  /** False: it has one, which stays. */
  async #givePassword({ id = null }: Row, password: string): Promise<boolean> {
    const { rows, newId } = this.#parts;
    return await rows.transact(async (tx) => {
      const found = await rows.findIn(tx, "account", { where: [is("userId", id), is("providerId", "credential")] });
      if (found.length > 0) return false;
      const now = new Date();
      await rows.createIn(tx, "account", {
        id: newId(),
        userId: id,
        providerId: "credential",
        accountId: id,
        password,
        createdAt: now,
        updatedAt: now,
      });
      return true;
    });
  }
}

function objectIn(line: string): Readonly<Record<string, unknown>> {
  const value: unknown = parsed(line);
  if (isObject(value) && !Array.isArray(value)) return { ...value };
  throw refused("The line is no JSON object.");
}

/** An error of the parser would quote the line. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function flagIn(name: string, value: unknown): boolean {
  if (value === undefined || value === null || typeof value === "boolean") return value === true;
  throw refused(`${name} is true or false.`);
}

function refused(message: string): QuernError {
  return new QuernError("REQUEST_REFUSED", message);
}
