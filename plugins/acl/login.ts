// Logins by password or refresh token.

import { createHash } from "node:crypto";
import { QuernError } from "../../core/plugin.ts";
import type { AclSettings } from "./acl-settings.ts";
import { Attempts } from "./attempts.ts";
import { type Directory, firstUser, type User } from "./directory.ts";
import { Passwords } from "./passwords.ts";
import type { TokenPair, Tokens } from "./token-pairs.ts";

export interface Credentials {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Counts instead of user and password unless it is empty. */
  readonly refreshToken?: string | undefined;
  readonly namespace?: number | undefined;
}

/** 1,200 guesses in an hour: the shortest password that is allowed lasts for years. */
const refillMs = 3_000;

/** The only namespace of a server. */
const namespace = 0;

/** Every failure has this text, so that it discloses nothing about users. */
const loginFailed = "invalid username or password";

export class Logins {
  readonly passwords = new Passwords();
  readonly #directory: Directory;
  readonly #tokens: Tokens;
  readonly #perUser: Attempts;
  readonly #perAddress: Attempts;

  constructor(directory: Directory, tokens: Tokens, { maxFailedLogins }: Pick<AclSettings, "maxFailedLogins">) {
    this.#directory = directory;
    this.#tokens = tokens;
    this.#perUser = new Attempts({ burst: maxFailedLogins, refillMs });
    this.#perAddress = new Attempts({ burst: 5 * maxFailedLogins, refillMs: refillMs / 5 });
  }

  /** Rejects with a QuernError whose message is the reason. @param address the peer's, for the limit of attempts */
  async login(credentials: Credentials, address: string): Promise<TokenPair> {
    const { refreshToken = "" } = credentials;
    const user = await (refreshToken === "" ? this.#byPassword(credentials, address) : this.#byToken(refreshToken));
    if (user === undefined || (credentials.namespace ?? namespace) !== namespace) throw failed(loginFailed);
    const table = await this.#directory.groups();
    const groups = user.groups.flatMap((id) => table.withId(id)?.name ?? []);
    return await this.#tokens.issue({ user: user.name, groups, namespace });
  }

  async #byToken(refreshToken: string): Promise<User | undefined> {
    try {
      const subject = await this.#tokens.refreshed(refreshToken);
      return subject.namespace === namespace ? await this.#directory.user(subject.user) : undefined;
    } catch (thrown) {
      if (thrown instanceof QuernError && thrown.code === "REQUEST_REFUSED") return undefined;
      throw thrown;
    }
  }

  async #byPassword({ user: name = "", password = "" }: Credentials, address: string): Promise<User | undefined> {
    const userKey = createHash("sha256").update(`${address} ${name}`).digest("base64");
    const keys = [
      { attempts: this.#perUser, key: userKey },
      { attempts: this.#perAddress, key: address },
    ];
    const waitMs = Math.max(...keys.map(({ attempts, key }) => attempts.waitMs(key)));
    if (waitMs > 0) throw failed(`too many failed logins; try again in ${Math.ceil(waitMs / 1000)} seconds`);
    // Counted before the result is known, so that attempts at the same time count too.
    for (const { attempts, key } of keys) attempts.failed(key);
    const user = await this.#directory.user(name);
    const isFirst = user?.name === firstUser && user.passwordHash === undefined;
    if (!(await this.passwords.matches(password, isFirst ? "first" : user?.passwordHash))) return undefined;
    this.#perUser.forgiveAll(userKey);
    this.#perAddress.forgive(address);
    return user;
  }
}

function failed(reason: string): QuernError {
  return new QuernError("REQUEST_REFUSED", reason);
}
