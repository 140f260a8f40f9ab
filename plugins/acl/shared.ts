// What the access control of all namespaces of a process shares: the secret, the tokens, and the limits on guesses.

import { type AclOptions, type AclSettings, aclSettings } from "./acl-settings.ts";
import { Attempts } from "./attempts.ts";
import { Passwords } from "./passwords.ts";
import { Tokens } from "./token-pairs.ts";

/** 1,200 guesses in an hour: the shortest password that is allowed lasts for years. */
const refillMs = 3_000;

export class AclShared {
  readonly tokens = new Tokens(() => this.settings);
  readonly passwords = new Passwords();
  readonly #options: AclOptions;
  #settings: AclSettings | undefined;
  #attempts: LoginAttempts | undefined;

  constructor(options: AclOptions) {
    this.#options = options;
  }

  /** Read at first use, so that commands that only read a configuration need no secret. */
  get settings(): AclSettings {
    this.#settings ??= aclSettings(this.#options);
    return this.#settings;
  }

  get attempts(): LoginAttempts {
    const { maxFailedLogins: burst } = this.settings;
    this.#attempts ??= {
      perUser: new Attempts({ burst, refillMs }),
      perAddress: new Attempts({ burst: 5 * burst, refillMs: refillMs / 5 }),
    };
    return this.#attempts;
  }
}

export interface LoginAttempts {
  readonly perUser: Attempts;
  readonly perAddress: Attempts;
}
