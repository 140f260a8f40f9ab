// What all deployments of one kernel share: the rows of better-auth, sessions, and better-auth itself once it is needed.

import {
  type AdminAdditions,
  type Hooks,
  type KernelAccess,
  type ModelContext,
  QuernError,
  type RequestView,
  type ServedSchema,
  type ServerAdditions,
} from "../../core/plugin.ts";
import { adminFields } from "./admin/admin-fields.ts";
import { Administration } from "./admin/administration.ts";
import { type AuthServer, authServer } from "./auth-server.ts";
import { assertInstalled } from "./ground/optional-package.ts";
import { userHooks } from "./hooks.ts";
import type { Mail } from "./mail/mail.ts";
import { mailing } from "./mail/mails.ts";
import { type AccountsOptions, checkedOptions } from "./options.ts";
import { type AccountType, accountTypeOf } from "./schema/account-type.ts";
import { checkUses } from "./schema/check-account.ts";
import { signedIn } from "./schema/facts.ts";
import { Sessions } from "./sessions.ts";
import { HiddenRows } from "./store/hidden-rows.ts";
import { Riders } from "./store/riders.ts";
import type { Tables } from "./store/tables.ts";
import { Users } from "./store/users.ts";
import { expiryTask } from "./tasks/expiry-task.ts";
import { transferFields } from "./transfer/transfer-fields.ts";
import { authRoute } from "./web/auth-route.ts";
import { isLoopback, loopbackOrigin } from "./web/origin.ts";

/** The one whose rows are written down in `store/tables.ts`. A spec compares it with that of package.json. */
export const betterAuthVersion = "1.7.25";

/** Origins for which better-auth is kept: a server of which no `url` is known is reached under few names. */
const maxOrigins = 8;

export class AccountsService {
  readonly #options: AccountsOptions;
  readonly #rows: HiddenRows;
  readonly #riders = new Riders();
  #kernel: KernelAccess | undefined;
  #sessions: Sessions | undefined;
  #host: string | undefined;
  #secret: Promise<string> | undefined;
  #servers: { readonly of: ServedSchema; readonly byOrigin: Map<string, Promise<AuthServer>> } | undefined;

  constructor(options: AccountsOptions, tables: Tables) {
    this.#options = checkedOptions(options);
    this.#rows = new HiddenRows(
      () => this.#attached(),
      tables,
      (table, uids) => this.#sessions?.removed(table, uids),
    );
  }

  // ---- hooks --------------------------------------------------------------------------------------------------------------------

  hooks(context: ModelContext): Hooks | undefined {
    const uses = context.uses("account");
    if (uses.length === 0) return undefined;
    const account = () => accountTypeOf(context.model);
    const { operand, values, changes, append } = userHooks(account, { rows: this.#rows, riders: this.#riders });
    return {
      headers: ["Authorization"],
      compile: (compiling) => checkUses(uses, compiling),
      request: (request) => this.#sessions?.identify(request) ?? {},
      caller: (request) => {
        const who = signedIn(request);
        if (!who) return undefined;
        return `account ${who.user}${who.actedBy === undefined ? "" : `, acted by ${who.actedBy}`}`;
      },
      expiresAt: (request) => signedIn(request)?.ends,
      operand,
      values,
      changes,
      append,
      commit: (record) => this.#sessions?.changed(record),
      background: [expiryTask],
    };
  }

  // ---- the server ---------------------------------------------------------------------------------------------------------------

  /** @throws QuernError `CONFIG_INVALID` when others than this machine reach the server, and something is missing */
  serving(host: string): void {
    this.#host = host;
    assertInstalled("better-auth", `npm install --save-exact better-auth@${betterAuthVersion}`);
    if (this.#isDevelopment) return;
    if (this.#options.url === undefined) {
      throw invalid(
        "accountsPlugin needs url, the origin under which browsers reach this server (QUERN_ACCOUNTS_URL): links in mails and cookies depend on it.",
      );
    }
    const { emailAndPassword, sendMail } = this.#options;
    if (sendMail !== undefined || emailAndPassword === false || emailAndPassword?.requireEmailVerification === false) return;
    throw invalid(
      "accountsPlugin confirms e-mails, and nothing sends them: give sendMail (QUERN_SMTP_URL), or emailAndPassword: { requireEmailVerification: false }.",
    );
  }

  /** Nobody else reaches the server. */
  get #isDevelopment(): boolean {
    const { url } = this.#options;
    return this.#host !== undefined && isLoopback(this.#host) && (url === undefined || isLoopback(new URL(url).hostname));
  }

  attach(kernel: KernelAccess): ServerAdditions {
    if (this.#options.secret === undefined)
      throw invalid("accountsPlugin needs a secret of at least 32 characters. Make one with: openssl rand -base64 48");
    this.#kernel = kernel;
    const origin = this.#options.url ?? "http://localhost";
    this.#sessions = new Sessions({
      kernel,
      rows: this.#rows,
      find: async (credential) => await (await this.#server(origin))?.session(credential),
      accountType: () => this.#account,
      cookies: ["better-auth.session_token", "__Secure-better-auth.session_token"],
      trustedOrigins: this.#options.trustedOrigins ?? [],
    });
    return {
      opened: () => this.#sessions?.opened(),
      erased: () => this.#sessions?.erased(),
      admin: this.#adminFields(kernel),
      routes: [
        authRoute({
          listed: () => this.#listed,
          log: kernel.log,
          handler: async ({ headers }) => {
            const of = this.#originOf(headers);
            const server = await this.#server(of);
            return server && { origin: of, handle: (request) => server.handle(request) };
          },
        }),
      ],
    };
  }

  #adminFields(kernel: KernelAccess): AdminAdditions {
    const administration = new Administration({
      rows: this.#rows,
      account: () => this.#account,
      users: (account) => this.#users(account),
      auth: (headers) => this.#server(this.#originOf(headers)),
      actorOf: (headers) => this.#sessions?.actorOf(headers),
    });
    const [fields, transfer] = [adminFields(administration), transferFields(kernel)];
    const definitions = `${fields.definitions ?? ""}${transfer.definitions}`;
    return { ...fields, definitions, mutations: { ...fields.mutations, ...transfer.mutations } };
  }

  #attached(): KernelAccess {
    if (this.#kernel) return this.#kernel;
    throw new QuernError("REQUEST_REFUSED", "Accounts need a server: create the kernel with createServerKernel or serve.");
  }

  get #account(): AccountType | undefined {
    const served = this.#kernel?.served;
    return served && accountTypeOf(served.model);
  }

  get #listed(): readonly string[] {
    return [...(this.#options.trustedOrigins ?? []), ...(this.#kernel?.served?.settings.allowedOrigins ?? [])];
  }

  #originOf(headers: RequestView["headers"]): string {
    const origin = this.#options.url ?? (this.#isDevelopment ? loopbackOrigin(headers) : undefined);
    if (origin !== undefined) return origin;
    throw invalid("Ask this server as localhost, or give accountsPlugin its url (QUERN_ACCOUNTS_URL).");
  }

  /** Undefined: no users sign in under the schema that is served. */
  async #server(origin: string): Promise<AuthServer | undefined> {
    const served = this.#attached().served;
    const account = served && accountTypeOf(served.model);
    if (served === undefined || account === undefined) return undefined;
    if (this.#servers?.of !== served) this.#servers = { of: served, byOrigin: new Map() };
    const { byOrigin } = this.#servers;
    const known = byOrigin.get(origin);
    if (known) return await known;
    if (byOrigin.size >= maxOrigins) byOrigin.clear();
    const made = this.#build(account, origin);
    byOrigin.set(origin, made);
    // What is wrong may be mended while the server runs, such as a package that is missing.
    made.catch(() => byOrigin.delete(origin));
    return await made;
  }

  #users(account: AccountType): Users {
    return new Users({ kernel: this.#attached(), rows: this.#rows, riders: this.#riders, accountType: () => this.#account ?? account });
  }

  /** Asked for once. */
  async #secretText(): Promise<string> {
    const { secret } = this.#options;
    if (typeof secret !== "function") return secret ?? "";
    this.#secret ??= secret();
    this.#secret.catch(() => {
      this.#secret = undefined;
    });
    return await this.#secret;
  }

  async #build(account: AccountType, origin: string): Promise<AuthServer> {
    const kernel = this.#attached();
    return await authServer({
      options: this.#options,
      secret: await this.#secretText(),
      kernel,
      rows: this.#rows,
      users: this.#users(account),
      account,
      mailing: mailing(this.#options, this.#options.sendMail ?? (this.#isDevelopment ? (mail) => this.#print(mail) : undefined)),
      origin,
      listed: this.#listed,
    });
  }

  /** Where nobody else reaches the server, the person at it gets the mails. */
  async #print({ to, subject, text }: Mail): Promise<void> {
    const link = /https?:\S+/.exec(text)?.[0];
    console.error(`Mail to ${to}: ${subject}${link === undefined ? "" : `\n${link}`}`);
  }
}

function invalid(message: string): QuernError {
  return new QuernError("CONFIG_INVALID", message);
}
