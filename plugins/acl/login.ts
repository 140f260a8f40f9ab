// Logins by password or refresh token.

import { createHash } from "node:crypto";
import { QuernError } from "../../core/plugin.ts";
import { type Directory, firstUser, type User } from "./directory.ts";
import type { AclShared } from "./shared.ts";
import type { TokenPair } from "./token-pairs.ts";

export interface Credentials {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Counts instead of user and password unless it is empty. */
  readonly refreshToken?: string | undefined;
  readonly namespace?: number | undefined;
}

/** Every failure has this text, so that it discloses nothing about users. */
const loginFailed = "invalid username or password";

/** The logins of one namespace. */
export class Logins {
  readonly #directory: Directory;
  readonly #shared: AclShared;

  constructor(directory: Directory, shared: AclShared) {
    this.#directory = directory;
    this.#shared = shared;
  }

  get #namespace(): number {
    return this.#directory.namespace;
  }

  /** Rejects with a QuernError whose message is the reason. @param address the peer's, for the limit of attempts */
  async login(credentials: Credentials, address: string): Promise<TokenPair> {
    const { refreshToken = "" } = credentials;
    const user = await (refreshToken === "" ? this.#byPassword(credentials, address) : this.#byToken(refreshToken));
    if (user === undefined || !this.#isHere(credentials)) throw failed(loginFailed);
    const table = await this.#directory.groups();
    const groups = user.groups.flatMap((id) => table.withId(id)?.name ?? []);
    return await this.#shared.tokens.issue({ user: user.name, groups, namespace: this.#namespace });
  }

  async #byToken(refreshToken: string): Promise<User | undefined> {
    try {
      const subject = await this.#shared.tokens.refreshed(refreshToken);
      return subject.namespace === this.#namespace ? await this.#directory.user(subject.user) : undefined;
    } catch (thrown) {
      if (thrown instanceof QuernError && thrown.code === "REQUEST_REFUSED") return undefined;
      throw thrown;
    }
  }

  #isHere({ namespace = this.#namespace }: Credentials): boolean {
    return namespace === this.#namespace;
  }

  async #byPassword(credentials: Credentials, address: string): Promise<User | undefined> {
    const { user: name = "", password = "" } = credentials;
    const { passwords, attempts } = this.#shared;
    const { perUser, perAddress } = attempts;
    const userKey = createHash("sha256").update(`${this.#namespace} ${address} ${name}`).digest("base64");
    const keys = [
      { attempts: perUser, key: userKey },
      { attempts: perAddress, key: address },
    ];
    const waitMs = Math.max(...keys.map(({ attempts, key }) => attempts.waitMs(key)));
    if (waitMs > 0) throw failed(`too many failed logins; try again in ${Math.ceil(waitMs / 1000)} seconds`);
    // Counted before the result is known, so that attempts at the same time count too.
    for (const { attempts, key } of keys) attempts.failed(key);
    // A login elsewhere fails as one of an unknown user, at the same cost: it says nothing of the users here.
    const user = this.#isHere(credentials) ? await this.#directory.user(name) : undefined;
    const isFirst = user?.name === firstUser && user.passwordHash === undefined;
    if (!(await passwords.matches(password, isFirst ? "first" : user?.passwordHash))) return undefined;
    perUser.forgiveAll(userKey);
    perAddress.forgive(address);
    return user;
  }
}

function failed(reason: string): QuernError {
  return new QuernError("REQUEST_REFUSED", reason);
}
