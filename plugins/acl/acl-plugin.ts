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
import type { AclOptions } from "./acl-settings.ts";
import { adminFields } from "./admin-fields.ts";
import { serverAccess } from "./administrators.ts";
import { type Caller, callerFact, callerFrom, callerOf, callerProblem, tokenHeaders, userNamed } from "./caller-identity.ts";
import { Directory } from "./directory.ts";
import { unknownCaller } from "./failures.ts";
import type { GroupTable } from "./group-table.ts";
import { Logins } from "./login.ts";
import { LoginDesk } from "./login-desk.ts";
import { loginRoute } from "./login-route.ts";
import type { Namespaces } from "./namespaces.ts";
import { permissionsBy, Rights, TypesOfPredicates } from "./rights.ts";
import { AclShared } from "./shared.ts";
import { Tenants } from "./tenants.ts";
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
  return pluginOf(new AclService(new AclShared(options), 0));
}

/** Access control of a server with namespaces: one secret for the tokens of all, and users, groups and rules of their own in each. */
export interface AclNamespaces {
  /** The namespace of the caller: that of its access token; 0 without a usable one. */
  readonly namespaceOf: (headers: RequestView["headers"]) => MaybePromise<number>;
  /** The plugin of one namespace. Only guardians of namespace 0 add and delete others. */
  readonly plugin: (namespace: number, namespaces: Namespaces) => DirectivePlugin;
}

/**
 * The access control of every namespace of a server.
 *
 *     const acl = aclNamespaces({ secretFile: "./acl-secret" });
 *     namespacesKernel({ namespaceOf: acl.namespaceOf, configOf: (namespace, all) => ({ plugins: [searchPlugin(), acl.plugin(namespace, all)] }), ... });
 */
export function aclNamespaces(options: AclOptions): AclNamespaces {
  const shared = new AclShared(options);
  return {
    namespaceOf: (headers) => andThen(callerOf(relevant(headers), shared.tokens), (caller) => (caller.kind === "user" ? caller.namespace : 0)),
    plugin: (namespace, namespaces) => pluginOf(new AclService(shared, namespace, namespaces)),
  };
}

function pluginOf(service: AclService): DirectivePlugin {
  return {
    name: "acl",
    definitions: "",
    model: ({ model }) => service.hooks(model),
    server: (kernel) => service.attach(kernel),
    access: () => service.access(),
  };
}

/** What all deployments of one kernel share: the access control of one namespace. */
class AclService {
  readonly #shared: AclShared;
  readonly #namespace: number;
  readonly #namespaces: Namespaces | undefined;
  #directory: Directory | undefined;

  /** @param namespaces undefined: the server has no others */
  constructor(shared: AclShared, namespace: number, namespaces?: Namespaces) {
    this.#shared = shared;
    this.#namespace = namespace;
    this.#namespaces = namespaces;
  }

  attach(kernel: KernelAccess): ServerAdditions {
    // A wrong secret refuses the start, not the first request.
    void this.#shared.settings;
    const directory = new Directory(kernel, this.#namespace);
    this.#directory = directory;
    const { tokens, passwords } = this.#shared;
    const desk = new LoginDesk(new Logins(directory, this.#shared), { namespace: this.#namespace, namespaces: this.#namespaces, tokens });
    const tenants = this.#namespaces && new Tenants(this.#namespaces, tokens);
    return {
      routes: [loginRoute(desk)],
      admin: adminFields({ directory, tokens, passwords, desk, tenants }),
      opened: () => directory.open(),
      erased: () => void directory.refresh().catch((thrown) => kernel.log.fault(thrown)),
    };
  }

  access(): ServerAccess {
    return serverAccess(this.#requireDirectory(), this.#shared.tokens);
  }

  hooks(model: Model): Hooks {
    const permissions = new PermissionCache(model);
    return {
      headers: ["X-Service-AccessToken", "X-Dgraph-AccessToken"],
      request: (request) => andThen(this.#callerOf(request), (caller) => ({ [callerFactName]: callerFact(caller) })),
      permissions: (request) => {
        const groups = permittedGroups(request, this.#namespace);
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
    return claims === undefined || claimsGiven !== true
      ? callerOf(relevant(headers), this.#shared.tokens)
      : userNamed(claims, this.#requireDirectory());
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
function permittedGroups({ facts }: RequestView, own: number): readonly string[] | undefined {
  const caller: Caller = callerFrom(facts[callerFactName]);
  const problem = callerProblem(caller);
  if (caller.kind !== "user") throw unknownCaller(problem ?? "");
  if (caller.namespace !== own) throw unknownCaller(`this server has no namespace ${caller.namespace}`);
  return isGuardian(caller, own) ? undefined : caller.groups;
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
