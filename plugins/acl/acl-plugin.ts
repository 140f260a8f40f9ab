// Access control lists: users, groups, and rules of groups about predicates.

import {
  andThen,
  type DirectivePlugin,
  type Hooks,
  type KernelAccess,
  type MaybePromise,
  type Model,
  type Permissions,
  QuernError,
  type RequestView,
  type ServerAccess,
  type ServerAdditions,
} from "../../core/plugin.ts";
import { type AclOptions, type AclSettings, aclSettings } from "./acl-settings.ts";
import { adminFields } from "./admin-fields.ts";
import { serverAccess } from "./administrators.ts";
import { type Caller, callerFact, callerFrom, callerOf, callerProblem, tokenHeaders, userNamed } from "./caller-identity.ts";
import { Directory } from "./directory.ts";
import { unknownCaller } from "./failures.ts";
import type { GroupTable } from "./group-table.ts";
import { Logins } from "./login.ts";
import { loginRoute } from "./login-route.ts";
import { permissionsBy, Rights, TypesOfPredicates } from "./rights.ts";
import { Tokens } from "./token-pairs.ts";
import { isGuardian } from "./views.ts";

export type { AclOptions } from "./acl-settings.ts";

/** The member of `RequestView.facts` that holds the caller. */
const callerFactName = "acl";

/**
 * Users and groups with rules about predicates. Every request to `/graphql` needs an access token, and only guardians administrate.
 *
 *     plugins: [identityPlugin(), searchPlugin(), aclPlugin({ secretFile: "./acl-secret" })]
 */
export function aclPlugin(options: AclOptions): DirectivePlugin {
  const service = new AclService(options);
  return {
    name: "acl",
    definitions: "",
    model: ({ model }) => service.hooks(model),
    server: (kernel) => service.attach(kernel),
    access: () => service.access(),
  };
}

/** What all deployments of one kernel share. */
class AclService {
  readonly #options: AclOptions;
  readonly #tokens: Tokens;
  #settings: AclSettings | undefined;
  #directory: Directory | undefined;

  constructor(options: AclOptions) {
    this.#options = options;
    this.#tokens = new Tokens(() => this.#checkedSettings());
  }

  /** Read at first use, so that commands that only read a configuration need no secret. */
  #checkedSettings(): AclSettings {
    this.#settings ??= aclSettings(this.#options);
    return this.#settings;
  }

  attach(kernel: KernelAccess): ServerAdditions {
    // A wrong secret refuses the start, not the first request.
    const settings = this.#checkedSettings();
    const directory = new Directory(kernel);
    this.#directory = directory;
    const logins = new Logins(directory, this.#tokens, settings);
    return {
      routes: [loginRoute(logins)],
      admin: adminFields({ directory, tokens: this.#tokens, logins }),
      opened: () => directory.open(),
      erased: () => void directory.refresh().catch((thrown) => kernel.log.fault(thrown)),
    };
  }

  access(): ServerAccess {
    return serverAccess(this.#requireDirectory(), this.#tokens);
  }

  hooks(model: Model): Hooks {
    const permissions = new PermissionCache(model);
    return {
      headers: ["X-Service-AccessToken", "X-Dgraph-AccessToken"],
      request: (request) => andThen(this.#callerOf(request), (caller) => ({ [callerFactName]: callerFact(caller) })),
      permissions: (request) => {
        const groups = permittedGroups(request);
        return groups === undefined ? undefined : andThen(this.#requireDirectory().groups(), (table) => permissions.of(groups, table));
      },
      caller: ({ facts }) => {
        const caller = callerFrom(facts[callerFactName]);
        return caller.kind === "user" ? caller.user : undefined;
      },
      expiresAt: ({ facts }) => {
        const caller = callerFrom(facts[callerFactName]);
        return caller.kind === "user" ? caller.expiresAt : undefined;
      },
    };
  }

  #callerOf({ headers, facts: { claims, claimsGiven } }: RequestView): MaybePromise<Caller> {
    return claims === undefined || claimsGiven !== true ? callerOf(relevant(headers), this.#tokens) : userNamed(claims, this.#requireDirectory());
  }

  #requireDirectory(): Directory {
    if (this.#directory) return this.#directory;
    throw new QuernError("REQUEST_REFUSED", "Access control needs a server: create the kernel with createServerKernel or serve.");
  }
}

/** Reads no other header, by which live queries would otherwise differ. */
function relevant(headers: RequestView["headers"]): RequestView["headers"] {
  return Object.fromEntries(tokenHeaders.map((name) => [name, headers[name]]));
}

/** The groups whose rules count; undefined: the caller may do everything. @throws QuernError when the caller is not known */
function permittedGroups({ facts }: RequestView): readonly string[] | undefined {
  const caller: Caller = callerFrom(facts[callerFactName]);
  const problem = callerProblem(caller);
  if (caller.kind !== "user") throw unknownCaller(problem ?? "");
  if (caller.namespace !== 0) throw unknownCaller(`this server has no namespace ${caller.namespace}`);
  return isGuardian(caller) ? undefined : caller.groups;
}

/** Permissions of one deployed schema, by groups. They hold as long as the rules stay the same. */
class PermissionCache {
  static readonly #max = 1_000;
  readonly #types: TypesOfPredicates;
  readonly #known = new Map<string, Permissions>();
  #table: GroupTable | undefined;

  constructor(model: Model) {
    this.#types = new TypesOfPredicates(model);
  }

  of(groups: readonly string[], table: GroupTable): Permissions {
    if (table !== this.#table || this.#known.size >= PermissionCache.#max) this.#known.clear();
    this.#table = table;
    const key = JSON.stringify([...groups].sort());
    const made = this.#known.get(key) ?? permissionsBy(new Rights(groups, (name) => table.named(name)?.rules), this.#types);
    this.#known.set(key, made);
    return made;
  }
}
