// The fields of the admin API about users, groups and logins.

import { type AdminAdditions, type AdminResolver, type HttpRequest, isObject, QuernError } from "../../core/plugin.ts";
import { callerOf, callerProblem } from "./caller-identity.ts";
import { type Directory, firstPassword } from "./directory.ts";
import { currentUserFailed, mutationFailed, queryFailed, unauthenticated } from "./failures.ts";
import { GroupChanges, type Rule } from "./group-changes.ts";
import { chosenNames } from "./list-arguments.ts";
import type { LoginDesk } from "./login-desk.ts";
import type { Passwords } from "./passwords.ts";
import { deniedPredicates, typePredicate } from "./rights.ts";
import type { Tenants } from "./tenants.ts";
import type { Identity, Tokens } from "./token-pairs.ts";
import { groupNames, UserChanges, type UserPatch, unknownUser } from "./user-changes.ts";
import { isGuardian, Views } from "./views.ts";

export interface AdminParts {
  readonly directory: Directory;
  readonly tokens: Tokens;
  readonly passwords: Passwords;
  readonly desk: LoginDesk;
  /** Undefined: the server has one namespace. */
  readonly tenants: Tenants | undefined;
}

type Request = Omit<HttpRequest, "body">;

export function adminFields({ directory, tokens, passwords, desk, tenants }: AdminParts): AdminAdditions {
  const own = directory.namespace;
  const users = new UserChanges(directory, passwords);
  const groups = new GroupChanges(directory);

  const identified = async ({ headers }: Request, failed: (reason: string) => QuernError): Promise<Identity> => {
    const caller = await callerOf(headers, tokens);
    if (caller.kind === "user") return caller;
    throw failed(callerProblem(caller) ?? "");
  };
  const reader = async (field: string, request: Request) =>
    Views.for(await identified(request, (reason) => queryFailed(field, unauthenticated(reason))), directory);
  /** The caller of a mutation. Who is no guardian may not write the predicates. */
  const writer = async (field: string, request: Request, predicates: readonly string[]): Promise<Views> => {
    const identity = await identified(request, (reason) => mutationFailed(field, unauthenticated(reason)));
    if (predicates.length > 0 && !isGuardian(identity, own)) throw denied(field, predicates);
    return await Views.for(identity, directory);
  };
  const listed = <T>(field: string, read: () => T): T => {
    try {
      return read();
    } catch (thrown) {
      throw thrown instanceof QuernError && thrown.path === undefined ? queryFailed(field, thrown.message) : thrown;
    }
  };
  const shownUsers = async (request: Request, field: string, names: readonly string[]) => {
    const views = await reader(field, request);
    return { user: (await Promise.all(names.map((name) => views.user(name)))).filter((view) => view !== null) };
  };
  const shownGroups = async (request: Request, field: string, names: readonly string[]) => {
    const views = await reader(field, request);
    return { group: names.flatMap((name) => views.group(name) ?? []) };
  };

  const queries: Readonly<Record<string, AdminResolver>> = {
    getUser: async ({ name }, request) => (await reader("getUser", request)).user(String(name)),
    getGroup: async ({ name }, request) => (await reader("getGroup", request)).group(String(name)),
    queryUser: async (args, request) => {
      const views = await reader("queryUser", request);
      listed("queryUser", () => chosenNames([], args));
      return views.users(args);
    },
    queryGroup: async (args, request) => {
      const views = await reader("queryGroup", request);
      return listed("queryGroup", () => views.groups(args));
    },
    getCurrentUser: async (_args, request) => {
      const identity = await identified(request, currentUserFailed);
      return (await Views.for(identity, directory)).user(identity.user);
    },
  };

  const mutations: Readonly<Record<string, AdminResolver>> = {
    async login({ userId, password, refreshToken, namespace }, request) {
      const credentials = { user: textOf(userId), password: textOf(password), refreshToken: textOf(refreshToken), namespace: numberOf(namespace) };
      return { response: await desk.login(credentials, request) };
    },
    async addUser({ input }, request) {
      const given = objectsIn(input).map(({ name, password, groups: refs }) => {
        const named = refs === undefined ? [] : (groupNames(refs) ?? null);
        return { name: String(name), password: String(password), groups: named };
      });
      const hasGroups = given.some((each) => each.groups === null || each.groups.length > 0);
      await writer("addUser", request, ["dgraph.password", typePredicate, ...(hasGroups ? ["dgraph.user.group"] : []), "dgraph.xid"]);
      return shownUsers(request, "addUser", await users.add(given));
    },
    async updateUser({ input }, request) {
      const { filter, set, remove } = objectIn(input);
      const [setPatch, removePatch] = [userPatch(set), userPatch(remove)];
      const predicates = [
        ...(setPatch?.password === undefined && removePatch?.password === undefined ? [] : ["dgraph.password"]),
        ...(setPatch?.groups === undefined && removePatch?.groups === undefined ? [] : ["dgraph.user.group"]),
      ];
      await writer("updateUser", request, predicates);
      return shownUsers(request, "updateUser", await users.update({ filter, set: setPatch, remove: removePatch }));
    },
    async deleteUser({ filter }, request) {
      const identity = await identified(request, (reason) => mutationFailed("deleteUser", unauthenticated(reason)));
      if (isGuardian(identity, own)) return deleted(await users.remove(filter));
      // Others see only themselves, and may not delete that.
      if (chosenNames([identity.user], { filter }).length === 0 || identity.namespace !== own || !(await directory.user(identity.user)))
        return deleted(0);
      throw denied("deleteUser", ["dgraph.password", typePredicate, "dgraph.user.group", "dgraph.xid"]);
    },
    async addGroup({ input }, request) {
      const given = objectsIn(input).map(({ name, rules }) => ({ name: String(name), rules: rulesIn(rules) }));
      const hasRules = given.some(({ rules }) => rules.length > 0);
      await writer("addGroup", request, [...(hasRules ? rulePredicates : []), typePredicate, "dgraph.xid"]);
      return shownGroups(request, "addGroup", await groups.add(given));
    },
    async updateGroup({ input }, request) {
      const { filter, set, remove } = objectIn(input);
      const update = { filter, set: rulesIn(objectIn(set).rules), remove: textsIn(objectIn(remove).rules) };
      await writer("updateGroup", request, update.set.length + update.remove.length > 0 ? [...rulePredicates, typePredicate] : []);
      return shownGroups(request, "updateGroup", await groups.update(update));
    },
    async deleteGroup({ filter }, request) {
      await writer("deleteGroup", request, ["dgraph.user.group"]);
      return deleted(await groups.remove(filter));
    },
    async resetPassword({ input }, request) {
      const { userId, password, namespace } = objectIn(input);
      const change = { user: String(userId), password: String(password) };
      if (namespace === own) await users.setPassword(change.user, change.password);
      else if (tenants === undefined) throw unknownUser();
      else await tenants.setPassword(Number(namespace), change, request);
      return { userId, message: "Reset password is successful", namespace };
    },
    async addNamespace({ input }, request) {
      if (tenants === undefined) throw oneNamespace;
      const namespaceId = await tenants.add(textOf(objectIn(input).password) || firstPassword, request);
      return { namespaceId, message: "Created namespace successfully" };
    },
    async deleteNamespace({ input }) {
      const namespaceId = Number(objectIn(input).namespaceId);
      if (namespaceId === 0) throw new QuernError("REQUEST_REFUSED", "Cannot delete default namespace");
      if (tenants === undefined || !(await tenants.delete(namespaceId))) {
        throw new QuernError("REQUEST_REFUSED", `error deleting non-existing namespace 0x${namespaceId.toString(16)}`);
      }
      return { namespaceId, message: "Deleted namespace successfully" };
    },
  };
  return { queries, mutations };
}

const oneNamespace = new QuernError(
  "REQUEST_REFUSED",
  "this server has one namespace; start it with namespaces for others: quern start --acl-secret <file> --namespaces",
);

const rulePredicates = ["dgraph.acl.rule", "dgraph.rule.permission", "dgraph.rule.predicate"];

function deleted(count: number) {
  return { msg: count === 0 ? "No nodes were deleted" : "Deleted", numUids: count };
}

type Member = Readonly<Record<string, unknown>>;

function userPatch(patch: unknown): UserPatch | undefined {
  if (!isObject(patch)) return undefined;
  return { password: textOf(patch.password), groups: groupNames(patch.groups) };
}

/** A list without nulls; null is no rules. */
function rulesIn(value: unknown): readonly Rule[] {
  return objectsIn(value).map(({ predicate, permission }) => ({ predicate: String(predicate), permission: Number(permission) }));
}

function objectsIn(value: unknown): readonly Member[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}

function objectIn(value: unknown): Member {
  return isObject(value) ? value : {};
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function denied(field: string, predicates: readonly string[]): QuernError {
  const { message, compatible } = deniedPredicates("mutate", predicates);
  return mutationFailed(field, message, compatible);
}
