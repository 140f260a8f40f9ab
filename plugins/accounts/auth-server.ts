// better-auth for one schema and one origin. It is imported when the first request needs it: it takes a third of a second and 38 MB.

import type { BetterAuthOptions } from "better-auth";
import { isObject, type KernelAccess, QuernError } from "../../core/plugin.ts";
import type { Secrets } from "./admin/administration.ts";
import { renewHash, withForeignHashes } from "./hashes/renewal.ts";
import type { Mailing } from "./mail/mails.ts";
import type { AccountsOptions } from "./options.ts";
import type { AccountType } from "./schema/account-type.ts";
import type { FoundSession } from "./sessions.ts";
import { adapterOf } from "./store/adapter.ts";
import { creationsIn, updates } from "./store/creations.ts";
import type { HiddenRows } from "./store/hidden-rows.ts";
import type { Users } from "./store/users.ts";
import { actingGuard } from "./web/acting-guard.ts";
import { addressHeader } from "./web/auth-route.ts";
import type { Credential } from "./web/credential.ts";

export interface AuthServer extends Secrets {
  handle(request: Request): Promise<Response>;
  /** The session that a cookie or a token names, when its signature is right and it has not ended. */
  session(credential: Credential): Promise<FoundSession | undefined>;
}

export interface AuthParts {
  readonly options: AccountsOptions;
  readonly secret: string;
  readonly kernel: KernelAccess;
  readonly rows: HiddenRows;
  readonly users: Users;
  readonly account: AccountType;
  readonly mailing: Mailing;
  /** Under which browsers reach the server. */
  readonly origin: string;
  readonly listed: readonly string[];
}

export async function authServer(parts: AuthParts): Promise<AuthServer> {
  const [{ betterAuth }, { createAdapterFactory }, { bearer }, { APIError }, { makeSignature }] = await Promise.all([
    import("better-auth/minimal"),
    import("better-auth/adapters"),
    import("better-auth/plugins/bearer"),
    import("better-auth/api"),
    import("better-auth/crypto"),
  ]);
  const { options, rows, users, secret } = parts;
  const factors = options.twoFactor === true ? [await twoFactorPlugin()] : [];
  // The last one reads which session the others have left in the answer.
  const plugins = [await actingGuard(rows), ...factors, ...(options.plugins ?? []), bearer({ requireSignature: true })];
  const auth = betterAuth({
    ...(await authOptions(parts)),
    plugins,
    database: adapterOf(createAdapterFactory, {
      rows,
      users,
      creations: creationsIn(rows),
      updates,
      // With this status it answers as for every known e-mail.
      taken: (cause) => new APIError("FORBIDDEN", { code: "USER_ALREADY_EXISTS", message: "A user has this e-mail.", cause }),
    }),
  });
  const { internalAdapter, password: passwords } = await auth.$context;
  return {
    handle: (request) => auth.handler(request),
    session: async ({ by, header }) => {
      const headers = new Headers({ [by]: header });
      const found = await auth.api.getSession({ headers, query: { disableRefresh: true } });
      return found ? { id: found.session.id, userId: found.session.userId, expiresAt: new Date(found.session.expiresAt) } : undefined;
    },
    signed: async (token) => encodeURIComponent(`${token}.${await makeSignature(token, secret)}`),
    checkPassword: (password) => assertLength(password, passwords.config),
    setPassword: async (userId, password) => {
      const hash = await passwords.hash(password);
      const accounts = await internalAdapter.findAccounts(userId);
      if (accounts.some(({ providerId }) => providerId === "credential")) await internalAdapter.updatePassword(userId, hash);
      else await internalAdapter.linkAccount({ userId, providerId: "credential", accountId: userId, password: hash });
    },
    sendPasswordLink: async (email, page) => {
      if (parts.mailing.emailAndPassword(parts.account).sendResetPassword === undefined) throw refused("Nothing sends mails. Give a password.");
      await auth.api.requestPasswordReset({ body: { email, redirectTo: page } });
    },
  };
}

function assertLength(password: string, { minPasswordLength: least, maxPasswordLength: most }: Lengths): void {
  if (password.length >= least && password.length <= most) return;
  throw refused(`A password has ${least} to ${most} characters.`);
}

interface Lengths {
  readonly minPasswordLength: number;
  readonly maxPasswordLength: number;
}

function refused(message: string): QuernError {
  return new QuernError("REQUEST_REFUSED", message);
}

async function twoFactorPlugin() {
  const { twoFactor } = await import("better-auth/plugins/two-factor");
  return twoFactor();
}

async function authOptions({
  options,
  secret,
  kernel,
  rows,
  users,
  account,
  mailing,
  origin,
  listed,
}: AuthParts): Promise<Omit<BetterAuthOptions, "plugins" | "database">> {
  const [{ generateRandomString, verifyPassword }, { APIError, createAuthMiddleware, isAPIError }] = await Promise.all([
    import("better-auth/crypto"),
    import("better-auth/api"),
  ]);
  const { emailAndPassword, emailVerification, user } = mailing;
  const passwords = emailAndPassword(account);
  return {
    baseURL: origin,
    basePath: "/api/auth",
    secret,
    trustedOrigins: [...listed],
    emailAndPassword: { ...passwords, password: withForeignHashes(passwords.password, verifyPassword) },
    emailVerification,
    socialProviders: options.socialProviders ?? {},
    session: { ...options.session, additionalFields: { actedBy: { type: "string", required: false, input: false, returned: true } } },
    user: { ...user, additionalFields: additionalFields(account) },
    // Somebody who has registered the e-mail of another at a provider is not that person.
    account: { accountLinking: { enabled: true, requireLocalEmailVerified: true }, encryptOAuthTokens: true },
    rateLimit: {
      enabled: true,
      storage: "database",
      ...options.rateLimit,
      customRules: { "/get-session": false, ...options.rateLimit?.customRules },
    },
    telemetry: { enabled: false },
    // By itself it prints refusals to standard error, beside the log.
    onAPIError: {
      onError: (thrown) => {
        if (!isAPIError(thrown) || thrown.status === "INTERNAL_SERVER_ERROR") kernel.log.fault(thrown);
      },
    },
    logger: { level: "warn", log: (level, message) => log(kernel, level, message) },
    advanced: {
      // Its defaults differ while specs run.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      useSecureCookies: origin.startsWith("https://"),
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: ({ model }) => (model === "user" ? false : generateRandomString(32, "a-z", "A-Z", "0-9")) },
      // A mail that is sent while the client waits would tell by the time that the address is known.
      backgroundTasks: { handler: (task) => void task.catch((thrown: unknown) => kernel.log.fault(thrown)) },
    },
    hooks: {
      before: createAuthMiddleware(async ({ path, body }) => {
        const problem = path === "/sign-up/email" && isObject(body) ? await users.problem({ ...body }) : undefined;
        if (problem !== undefined) throw new APIError("UNPROCESSABLE_ENTITY", { code: "SIGN_UP_REFUSED", message: problem });
      }),
      // Before a second factor: the password was right.
      after: createAuthMiddleware(async ({ path, body, context: { newSession, password } }) => {
        if (path !== "/sign-in/email" || !newSession || !isObject(body)) return;
        await renewHash(rows, kernel.log, { userId: newSession.user.id, password: String(body.password), hash: password.hash });
      }),
    },
    databaseHooks: {
      // Whatever way a user would come by: by a provider or a plugin of better-auth, too.
      user: {
        create: {
          before: async () => {
            if (!account.signUp) throw new APIError("FORBIDDEN", { code: "SIGN_UP_DISABLED", message: "Users are invited." });
          },
        },
      },
      session: {
        create: {
          before: async ({ userId }) => {
            const [profile] = await rows.find("profile", {
              where: [{ field: "id", operator: "eq", value: userId, connector: "AND", mode: "sensitive" }],
            });
            if (profile?.disabled === true) throw new APIError("FORBIDDEN", { code: "USER_DISABLED", message: "This user is disabled." });
          },
        },
      },
    },
  };
}

function log(kernel: KernelAccess, level: string, message: string): void {
  kernel.log.warn("better_auth", message, { level });
}

type Additional = NonNullable<NonNullable<BetterAuthOptions["user"]>["additionalFields"]>;

const core: ReadonlySet<string> = new Set(["email", "name", "image"]);

const types: Readonly<Record<string, "string" | "number" | "boolean" | "date">> = {
  int: "number",
  float: "number",
  boolean: "boolean",
  dateTime: "date",
};

/** Fields of the type that better-auth has no name for. */
function additionalFields({ writable, claims }: AccountType): Additional {
  const shown = [...claims.values()].map((field) => [field.name, field, false] as const);
  const set = [...writable.values()].map((field) => [field.name, field, true] as const);
  return Object.fromEntries(
    [...shown, ...set]
      .filter(([name]) => !core.has(name))
      .map(([name, { kind }, input]) => [name, { type: types[kind] ?? "string", required: false, input, returned: true }]),
  );
}
