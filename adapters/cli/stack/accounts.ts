// Users who sign in, from the environment: QUERN_ACCOUNTS=true adds the plugin to a stack that does not have it.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { QuernError } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import type { Storage } from "../../../core/storage.ts";
import { createPrivateFile, readPrivateFile } from "../ground/private-file.ts";
import { codeOf } from "../ground/read-file.ts";
import { readSwitch } from "../ground/switches.ts";

/** Options of `accountsPlugin`, without a type of better-auth: who has no accounts has not installed it. */
export interface EnvironmentAccounts {
  readonly secret: string | (() => Promise<string>);
  readonly url: string | undefined;
  readonly trustedOrigins: readonly string[];
  readonly sendMail: ((mail: MailText) => Promise<void>) | undefined;
  readonly socialProviders: Readonly<Record<string, { readonly clientId: string; readonly clientSecret: string }>>;
  readonly twoFactor: boolean;
}

interface MailText {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Why it is sent. */
  readonly kind: "verify" | "reset" | "change-email" | "existing";
}

/** The plugins with that of accounts, if the environment asks for it. */
export async function withAccounts(plugins: readonly DirectivePlugin[], storage?: Storage): Promise<readonly DirectivePlugin[]> {
  if (!isOn("QUERN_ACCOUNTS", process.env.QUERN_ACCOUNTS) || plugins.some(({ name }) => name === "accounts")) return plugins;
  const { accountsPlugin } = await import("../../../plugins/accounts/index.ts");
  return [accountsPlugin(await accountsFromEnvironment(storage)), ...plugins];
}

/** Throws again why a store did not open, and says how a command opens one whose users sign in. */
export function sayAccounts(cause: unknown): never {
  const isAbout = cause instanceof QuernError && cause.code === "PLUGIN_MISSING" && cause.message.includes('the plugin "accounts"');
  if (!isAbout) throw cause;
  throw new QuernError(cause.code, cause.message, {
    cause,
    hint: "Users sign in at this store: set QUERN_ACCOUNTS=true for every command that opens it. quern start and quern dev take --accounts as well.",
  });
}

/**
 * The options of `accountsPlugin` that the environment gives, as `quern start --accounts` uses them: for a configuration that adds some of its own.
 *
 * @param storage where a secret is kept that is made when none is given
 * @throws QuernError `CONFIG_INVALID`
 */
export async function accountsFromEnvironment(storage?: Storage): Promise<EnvironmentAccounts> {
  return {
    secret: secretOf(storage),
    url: text(process.env.QUERN_ACCOUNTS_URL),
    trustedOrigins: list(process.env.QUERN_ACCOUNTS_ORIGINS),
    sendMail: await mailer(),
    socialProviders: socialProviders(),
    twoFactor: isOn("QUERN_ACCOUNTS_TWO_FACTOR", process.env.QUERN_ACCOUNTS_TWO_FACTOR),
  };
}

/** The given one, or one that is made and kept in the folder of the store, beside the admin token. */
function secretOf(storage: Storage | undefined): EnvironmentAccounts["secret"] {
  const given = text(process.env.QUERN_ACCOUNTS_SECRET);
  if (given !== undefined) return given;
  const folder = storage?.folder;
  if (storage === undefined || folder !== undefined) return () => storedSecret(join(folder ?? ".", "accounts-secret"));
  throw new QuernError(
    "CONFIG_INVALID",
    "Set QUERN_ACCOUNTS_SECRET, the same for all servers of the database: at least 32 characters that nobody guesses. Make one with: openssl rand -base64 48",
  );
}

async function storedSecret(path: string): Promise<string> {
  const stored = await readPrivateFile(path);
  if (stored) return stored;
  const made = randomBytes(48).toString("base64url");
  try {
    await createPrivateFile(path, `${made}\n`);
    return made;
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return await storedSecret(path);
    throw new QuernError("CONFIG_INVALID", `The secret of accounts cannot be stored in ${path}.`, { cause });
  }
}

async function mailer(): Promise<EnvironmentAccounts["sendMail"]> {
  const url = text(process.env.QUERN_SMTP_URL);
  if (url === undefined) return undefined;
  const from = text(process.env.QUERN_SMTP_FROM);
  if (from === undefined) throw new QuernError("CONFIG_INVALID", "Set QUERN_SMTP_FROM, the sender of mails: Tasks <tasks@example.org>");
  const { smtpMailer } = await import("../../../plugins/accounts/index.ts");
  return smtpMailer({ url, from });
}

/** Those of better-auth that need an ID and a secret, and nothing else. */
const providers = [
  "discord",
  "facebook",
  "github",
  "gitlab",
  "google",
  "linkedin",
  "microsoft",
  "notion",
  "reddit",
  "slack",
  "spotify",
  "twitch",
  "twitter",
];

/** `GITHUB_CLIENT_ID` and `GITHUB_CLIENT_SECRET`. */
function socialProviders(): EnvironmentAccounts["socialProviders"] {
  const given = providers.flatMap((name) => {
    const [idName, secretName] = [`${name.toUpperCase()}_CLIENT_ID`, `${name.toUpperCase()}_CLIENT_SECRET`];
    const [clientId, clientSecret] = [text(process.env[idName]), text(process.env[secretName])];
    if (clientId === undefined && clientSecret === undefined) return [];
    if (clientId !== undefined && clientSecret !== undefined) return [[name, { clientId, clientSecret }] as const];
    throw new QuernError("CONFIG_INVALID", `Set ${idName} and ${secretName} both, or neither: users sign in by ${name} with both.`);
  });
  return Object.fromEntries(given);
}

function list(value: string | undefined): readonly string[] {
  return (text(value) ?? "").split(",").flatMap((each) => each.trim() || []);
}

function isOn(name: string, value: string | undefined): boolean {
  const given = text(value) ?? "false";
  const switched = readSwitch(given);
  if (switched !== undefined) return switched;
  throw new QuernError("CONFIG_INVALID", `${name} is ${JSON.stringify(given)}; set it to true or false.`);
}

/** Undefined: not set, or empty. */
function text(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}
