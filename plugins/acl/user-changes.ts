// `addUser`, `updateUser`, `deleteUser`, `resetPassword`: what they change.

import { isObject, QuernError } from "../../core/plugin.ts";
import { type Directory, type DirectoryChange, firstUser, type User } from "./directory.ts";
import { emptyName, mutationFailed, namedTwice, nameTaken, otherHasName, reserved, rewriteFailed } from "./failures.ts";
import { guardiansId } from "./group-table.ts";
import { nameFilter } from "./list-arguments.ts";
import { nameProblem } from "./names.ts";
import { type Passwords, passwordProblem } from "./passwords.ts";

export interface NewUser {
  readonly name: string;
  readonly password: string;
  /** Names of groups, which are created when they do not exist. Null: not a list. */
  readonly groups: readonly string[] | null;
}

export interface UserPatch {
  readonly password?: string | undefined;
  /** Null: not a list. */
  readonly groups?: readonly string[] | null | undefined;
}

export interface UserUpdate {
  readonly filter: unknown;
  readonly set: UserPatch | undefined;
  readonly remove: UserPatch | undefined;
}

const notAList = "got unsupported type for list: dgraph.user.group";

export class UserChanges {
  readonly #directory: Directory;
  readonly #passwords: Passwords;

  constructor(directory: Directory, passwords: Passwords) {
    this.#directory = directory;
    this.#passwords = passwords;
  }

  /** @returns the names of the new users */
  async add(users: readonly NewUser[]): Promise<readonly string[]> {
    const field = "addUser";
    const repeated = users.find(({ name }, i) => users.findIndex((each) => each.name === name) < i);
    if (repeated) throw rewriteFailed(field, namedTwice(repeated.name));
    for (const { name, groups } of users) for (const each of [name, ...(groups ?? [])]) assertName(field, each);
    // Hashed before the transaction, which may run several times.
    const hashes = await Promise.all(users.map(({ password }) => (passwordProblem(password) === undefined ? this.#passwords.hash(password) : "")));
    await this.#directory.change(async (change) => {
      for (const { name } of users) if (await change.user(name)) throw rewriteFailed(field, nameTaken(name, "User"));
      for (const { name, password, groups } of users) {
        if (groups === null) throw mutationFailed(field, notAList);
        const problem = passwordProblem(password) ?? (change.groups.named(name) && otherHasName(name));
        if (problem !== undefined) throw mutationFailed(field, problem);
      }
      for (const [i, { name, groups }] of users.entries()) {
        change.setUser({ name, passwordHash: hashes[i], groups: await groupIds(change, field, groups ?? []) });
      }
      for (const { name } of users) if (change.groups.named(name)) throw mutationFailed(field, otherHasName(name));
    });
    return users.map(({ name }) => name);
  }

  /** @returns the names of the users that match */
  async update({ filter, set, remove }: UserUpdate): Promise<readonly string[]> {
    const field = "updateUser";
    if (isEmpty(set) && isEmpty(remove)) return [];
    for (const name of [...(set?.groups ?? []), ...(remove?.groups ?? [])]) assertName(field, name);
    if (set?.groups === null || remove?.groups === null) throw mutationFailed(field, notAList);
    const password = set?.password;
    const problem = password === undefined ? undefined : passwordProblem(password);
    const hash = password === undefined || problem !== undefined ? undefined : await this.#passwords.hash(password);
    return await this.#changeMatching(filter, async (change, users) => {
      const removed = (remove?.groups ?? []).map((name) => change.groups.named(name)?.id);
      if (removed.includes(undefined)) throw rewriteFailed(field, "id is not provided");
      if (problem !== undefined) throw mutationFailed(field, problem);
      const losesFirst = removed.includes(guardiansId) && users.some(({ name }) => name === firstUser);
      if (losesFirst) throw mutationFailed(field, reserved);
      const added = users.length === 0 ? [] : await groupIds(change, field, set?.groups ?? []);
      for (const user of users) {
        const groups = [...new Set([...change.groupsOf(user), ...added])].filter((id) => !removed.includes(id));
        change.setUser({ ...user, groups, passwordHash: hash ?? user.passwordHash });
      }
    });
  }

  /** @param names who may be deleted; undefined: all. @returns how many were deleted */
  async remove(filter: unknown, names?: (name: string) => boolean): Promise<number> {
    const deleted = await this.#changeMatching(filter, async (change, users) => {
      if (users.some(({ name }) => name === firstUser)) throw mutationFailed("deleteUser", reserved);
      for (const { name } of users) if (names?.(name) ?? true) change.removeUser(name);
    });
    return deleted.length;
  }

  /** Rejects when there is no such user. */
  async setPassword(name: string, password: string): Promise<void> {
    const problem = passwordProblem(password);
    if (problem !== undefined && (await this.#directory.user(name))) {
      throw unfitPassword(name, this.#directory.namespace, problem);
    }
    const passwordHash = problem === undefined ? await this.#passwords.hash(password) : "";
    await this.#directory.change(async (change) => {
      const user = await change.user(name);
      if (!user) throw unknownUser();
      change.setUser({ ...user, passwordHash });
    });
  }

  async #changeMatching(filter: unknown, work: (change: DirectoryChange, users: readonly User[]) => Promise<void>): Promise<readonly string[]> {
    const names = (await this.#directory.userNames()).filter(nameFilter(filter));
    return await this.#directory.change(async (change) => {
      const users: User[] = [];
      for (const name of names) {
        const user = await change.user(name);
        if (user) users.push(user);
      }
      await work(change, users);
      return users.map(({ name }) => name);
    });
  }
}

export const unknownUser = () => new QuernError("REQUEST_REFUSED", "Failed to reset password, user doesn't exist");

export function unfitPassword(name: string, namespace: number, problem: string): QuernError {
  return new QuernError("VALUE_INVALID", `Reset password for user ${name} in namespace ${namespace}, got error:: ${problem}`);
}

function isEmpty(patch: UserPatch | undefined): boolean {
  return patch === undefined || Object.values(patch).every((value) => value === undefined);
}

function assertName(field: string, name: string): void {
  const problem = name === "" ? emptyName : nameProblem(name);
  if (problem !== undefined) throw rewriteFailed(field, problem);
}

/** Ids of groups by name; creates those that do not exist. */
async function groupIds(change: DirectoryChange, field: string, names: readonly string[]): Promise<readonly number[]> {
  const fresh = [...new Set(names)].filter((name) => change.groups.named(name) === undefined);
  for (const name of fresh) if (await change.user(name)) throw mutationFailed(field, otherHasName(name));
  if (fresh.length > 0) change.groups = change.groups.add(fresh);
  return [...new Set(names)].flatMap((name) => change.groups.named(name)?.id ?? []);
}

/** The names in `[{ name: "a" }]`; null for null, and for a list with null. */
export function groupNames(refs: unknown): readonly string[] | null | undefined {
  if (refs === undefined) return undefined;
  if (!Array.isArray(refs) || !refs.every(isObject)) return null;
  return refs.map((ref) => String(ref.name));
}
