// Guardians alone administrate. Says so in the words of each kind of action.

import { type AdminAction, type HttpRequest, QuernError, type ServerAccess } from "../../core/plugin.ts";
import { type Caller, callerOf, callerProblem, identityOf, noToken } from "./caller-identity.ts";
import type { Directory } from "./directory.ts";
import { unauthenticated } from "./failures.ts";
import { deniedPredicates, Rights, right } from "./rights.ts";
import type { Tokens } from "./token-pairs.ts";
import { isGuardian } from "./views.ts";

/** Their resolvers check the caller, or everybody may use them. */
const open: ReadonlySet<string> = new Set([
  "login",
  "/login",
  "task",
  "getUser",
  "getGroup",
  "getCurrentUser",
  "queryUser",
  "queryGroup",
  "addUser",
  "updateUser",
  "deleteUser",
  "addGroup",
  "updateGroup",
  "deleteGroup",
  // DQL limits each caller by its permissions, and refuses those who are unknown.
  "/query",
  "/mutate",
  "/commit",
]);

/** Actions about the server as a whole, which have texts of their own. */
const clusterWide: ReadonlySet<string> = new Set([
  "config",
  "listBackups",
  "backup",
  "restore",
  "restoreStatus",
  "restoreTenant",
  "draining",
  "shutdown",
  "removeNode",
  "moveTablet",
  "assign",
  "addNamespace",
  "deleteNamespace",
  "resetPassword",
]);

export function serverAccess(directory: Directory, tokens: Tokens): ServerAccess {
  return {
    async administer(action, { headers }) {
      if (open.has(action.name)) return;
      const caller = await callerOf(headers, tokens);
      if (action.name === "/alter") return await checkErase(action, caller, directory);
      const problem = problemOf(action, caller, directory);
      if (problem !== undefined) throw new QuernError("REQUEST_REFUSED", problem);
    },
    async nameOf({ headers }: Pick<HttpRequest, "headers">) {
      const caller = await callerOf(headers, tokens);
      return caller.kind === "user" ? caller.user : undefined;
    },
    async persisted({ headers }: Pick<HttpRequest, "headers">) {
      identityOf(await callerOf(headers, tokens));
    },
  };
}

function problemOf({ name }: AdminAction, caller: Caller, directory: Directory): string | undefined {
  if (clusterWide.has(name)) return clusterProblem(caller, directory);
  const problem = guardianProblem(caller, directory);
  return problem !== undefined && (name === "health" || name === "state") ? `Error: ${problem}` : problem;
}

function guardianProblem(caller: Caller, { namespace }: Directory): string | undefined {
  switch (caller.kind) {
    case "nobody":
      return denied(noToken);
    case "refused":
      return unauthenticated(caller.reason);
    case "user":
      return isGuardian(caller, namespace) ? undefined : denied(notGuardian(caller.user));
  }
}

function clusterProblem(caller: Caller, { namespace }: Directory): string | undefined {
  switch (caller.kind) {
    case "nobody":
      return `Authorize guardian of the galaxy, extracting jwt token, error:: extracting namespace from JWT ${noToken}`;
    case "refused":
      return `Authorize guardian of the galaxy, extracting jwt token, error:: extracting namespace from JWT: ${caller.reason}`;
    case "user":
      if (caller.namespace !== 0) return denied("Only superadmin is allowed to do this operation");
      return isGuardian(caller, namespace) ? undefined : denied(`AuthSuperAdmin: failed to authorize guardians. ${notGuardian(caller.user)}`);
  }
}

/** Callers who may modify a field may drop it. Guardians may drop anything. */
async function checkErase({ erases }: AdminAction, caller: Caller, directory: Directory): Promise<void> {
  const problem = callerProblem(caller);
  if (problem !== undefined) throw new QuernError("REQUEST_REFUSED", unauthenticated(problem));
  const identity = identityOf(caller);
  const { namespace } = directory;
  if (isGuardian(identity, namespace)) return;
  if (erases?.kind !== "field") {
    throw new QuernError("REQUEST_REFUSED", `only guardians are allowed to drop all data, but the current user is ${identity.user}`);
  }
  const table = await directory.groups();
  const rights = new Rights(identity.groups, (group) => table.named(group)?.rules);
  if (identity.namespace !== namespace || !rights.has(right.modify, erases.name)) throw deniedPredicates("alter", [erases.name]);
}

const denied = (reason: string) => `rpc error: code = PermissionDenied desc = ${reason}`;
const notGuardian = (user: string) => `Only guardians are allowed access. User '${user}' is not a member of guardians group.`;
