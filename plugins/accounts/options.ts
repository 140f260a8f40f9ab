// The options of the plugin. What is better-auth's own is passed on to it.

import type { BetterAuthOptions, BetterAuthPlugin } from "better-auth";
import { assertNoProblems, checkOptions, type OptionKinds } from "../../core/plugin.ts";
import type { Mail } from "./mail/mail.ts";

/** Options of `accountsPlugin`. */
export interface AccountsOptions {
  /**
   * The origin under which browsers reach this server: `https://tasks.example`. Links in mails lead there, and cookies are `Secure` where it begins with `https`.
   * Default: what a request names, on a server that listens on loopback alone.
   */
  readonly url?: string | undefined;
  /** Signs cookies and links, at least 32 characters. Take it from the environment. A function is called once, when the first client signs in. */
  readonly secret?: string | (() => Promise<string>) | undefined;
  /** Other origins whose pages may sign in and ask with cookies, beside those of `# Service.Allow-Origin`. */
  readonly trustedOrigins?: readonly string[] | undefined;
  /** Sends mails. Without it links are printed while the server listens on loopback alone; otherwise what needs mails is refused. */
  readonly sendMail?: ((mail: Mail) => Promise<void>) | undefined;
  /** Of better-auth. Default: an e-mail is verified before its user may sign in. False: nobody has a password. */
  readonly emailAndPassword?: Partial<NonNullable<BetterAuthOptions["emailAndPassword"]>> | false | undefined;
  /** Of better-auth, by provider: `{ github: { clientId, clientSecret } }`. */
  readonly socialProviders?: BetterAuthOptions["socialProviders"] | undefined;
  /** True: users may turn on a second factor, one-time passwords of an app. */
  readonly twoFactor?: boolean | undefined;
  /** Of better-auth: how long sessions last. */
  readonly session?: Pick<NonNullable<BetterAuthOptions["session"]>, "expiresIn" | "updateAge" | "freshAge"> | undefined;
  /** Of better-auth: how many requests one address may send. */
  readonly rateLimit?: Pick<NonNullable<BetterAuthOptions["rateLimit"]>, "enabled" | "window" | "max" | "customRules"> | undefined;
  /** Plugins of better-auth. Their tables are kept in hidden types. */
  readonly plugins?: readonly BetterAuthPlugin[] | undefined;
}

const text = { fits: (value: unknown) => typeof value === "string" && value !== "", expected: "a text" };
const object = { fits: (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value), expected: "an object" };
const list = { fits: Array.isArray, expected: "a list" };

const kinds: OptionKinds<AccountsOptions> = {
  url: { fits: isOrigin, expected: "an origin, such as https://tasks.example" },
  secret: {
    fits: (value) => typeof value === "function" || (typeof value === "string" && value.length >= 32),
    expected: "a text of at least 32 characters, or a function",
  },
  trustedOrigins: { fits: (value) => Array.isArray(value) && value.every(isOrigin), expected: "a list of origins, such as https://tasks.example" },
  sendMail: { fits: (value) => typeof value === "function", expected: "a function" },
  emailAndPassword: { fits: (value) => value === false || object.fits(value), expected: "an object, or false" },
  socialProviders: object,
  twoFactor: { fits: (value) => typeof value === "boolean", expected: "true or false" },
  session: object,
  rateLimit: object,
  plugins: list,
};

function isOrigin(value: unknown): boolean {
  return text.fits(value) && URL.canParse(String(value)) && new URL(String(value)).origin === value;
}

/** @throws QuernError `CONFIG_INVALID` */
export function checkedOptions(options: AccountsOptions): AccountsOptions {
  assertNoProblems(checkOptions({ ...options }, kinds, { place: "accountsPlugin", required: [] }));
  return options;
}
