// Users and groups in the store, as metadata: they exist before the first schema, and no schema, query or export shows them.
// A document for each user, one for all groups, and one that every change rewrites, so that changes happen one after the other.

import {
  type ChangeRecord,
  type Gap,
  isObject,
  type Json,
  type KernelAccess,
  type MaybePromise,
  QuernError,
  type Snapshot,
  type Transaction,
} from "../../core/plugin.ts";
import { GroupTable, guardiansId } from "./group-table.ts";

/** A user as stored. */
export interface User {
  readonly name: string;
  /** A bcrypt hash. Undefined: the password of the first user, as long as nobody has changed it. */
  readonly passwordHash: string | undefined;
  /** Ids; those of removed groups may be among them. */
  readonly groups: readonly number[];
}

/** The user who is always there, and the password that it has at first. */
export const firstUser = "groot";
export const firstPassword = "password";

const groupsName = "acl/groups";
const changesName = "acl/changes";
const userPrefix = "acl/users/";
const namesAtOnce = 500;
const usersAtOnce = 50;
/** A larger document would make each change of a rule slow. */
const maxGroupBytes = 4 * 2 ** 20;

export class Directory {
  /** Whose users and groups these are. */
  readonly namespace: number;
  readonly #kernel: KernelAccess;
  #table: GroupTable | undefined;
  #loading: Promise<GroupTable> | undefined;
  #stopListening: (() => void) | undefined;

  constructor(kernel: KernelAccess, namespace: number) {
    this.#kernel = kernel;
    this.namespace = namespace;
  }

  /** Follows the changes of all servers of the database. */
  async open(): Promise<void> {
    this.#stopListening?.();
    this.#stopListening = this.#kernel.changes((event) => {
      if (mayHaveMetadata(event)) void this.refresh().catch((thrown) => this.#kernel.log.fault(thrown));
    });
    await this.refresh();
    if ((await this.user(firstUser))?.passwordHash === undefined)
      this.#kernel.log.warn("acl", `the user ${firstUser} still has its first password; change it: quern user password ${firstUser}`);
  }

  /** The groups as this server knows them; synchronously when they are in memory. */
  groups(): MaybePromise<GroupTable> {
    return this.#table ?? this.refresh();
  }

  /** Reads the groups again. Live queries run again when they have changed. */
  async refresh(): Promise<GroupTable> {
    const loading = this.#viewed(readGroups);
    this.#loading = loading;
    const table = await loading;
    // A later reading has begun, and knows more.
    if (this.#loading !== loading) return await this.#loading;
    const before = this.#table;
    // Permissions are cached by the object.
    if (before?.isEqual(table)) return before;
    this.#table = table;
    if (before !== undefined) this.#kernel.rerunLiveQueries();
    return table;
  }

  user(name: string): Promise<User | undefined> {
    return this.#viewed((snapshot) => readUser(snapshot, name));
  }

  /** Names of all users, ascending by UTF-8 bytes. */
  async userNames(): Promise<readonly string[]> {
    const found = new Set([firstUser]);
    for (let after: string | undefined; ; ) {
      const names = await this.#kernel.metaNames({ prefix: userPrefix, first: namesAtOnce, ...(after !== undefined && { after }) });
      for (const name of names) found.add(decodeURIComponent(name.slice(userPrefix.length)));
      after = names.at(-1);
      if (names.length < namesAtOnce) break;
    }
    return [...found].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  /** The users with these names; unknown names are left out. */
  users(names: readonly string[]): Promise<readonly User[]> {
    return this.#viewed(async (snapshot) => {
      const users: User[] = [];
      for (let start = 0; start < names.length; start += usersAtOnce) {
        const read = await Promise.all(names.slice(start, start + usersAtOnce).map((name) => readUser(snapshot, name)));
        users.push(...read.filter((user) => user !== undefined));
      }
      return users;
    });
  }

  /** Changes users and groups in one transaction. This server knows the result when the promise resolves. */
  async change<T>(work: (change: DirectoryChange) => Promise<T>): Promise<T> {
    const { result } = await this.#kernel.transact(async (transaction) => {
      const change = new DirectoryChange(transaction, await readGroups(transaction));
      const made = await work(change);
      await change.write();
      return made;
    });
    await this.refresh();
    return result;
  }

  async #viewed<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = this.#kernel.snapshot();
    try {
      return await read(snapshot);
    } finally {
      snapshot.close();
    }
  }
}

/** Users and groups within a transaction. */
export class DirectoryChange {
  /** As of now, the changes so far included. */
  groups: GroupTable;
  readonly #before: GroupTable;
  readonly #transaction: Transaction;
  readonly #users = new Map<string, User | undefined>();

  constructor(transaction: Transaction, groups: GroupTable) {
    this.#transaction = transaction;
    this.#before = groups;
    this.groups = groups;
  }

  async user(name: string): Promise<User | undefined> {
    return this.#users.has(name) ? this.#users.get(name) : await readUser(this.#transaction, name);
  }

  /** The ids of the groups that still exist. */
  groupsOf(user: User): readonly number[] {
    return user.groups.filter((id) => this.groups.withId(id) !== undefined);
  }

  setUser(user: User): void {
    this.#users.set(user.name, user);
  }

  removeUser(name: string): void {
    this.#users.set(name, undefined);
  }

  async write(): Promise<void> {
    const hasGroups = this.groups !== this.#before;
    if (this.#users.size === 0 && !hasGroups) return;
    for (const [name, user] of this.#users) await this.#transaction.setMeta(userPrefix + encodeURIComponent(name), user ? userJson(user) : null);
    if (hasGroups) await this.#writeGroups();
    await this.#transaction.setMeta(changesName, Number((await this.#transaction.meta(changesName)) ?? 0) + 1);
  }

  async #writeGroups(): Promise<void> {
    const stored = this.groups.toJson();
    const bytes = Buffer.byteLength(JSON.stringify(stored));
    if (bytes > maxGroupBytes)
      throw new QuernError("LIMIT_REACHED", `All groups with their rules may take ${maxGroupBytes} bytes, and would take ${bytes}`);
    await this.#transaction.setMeta(groupsName, stored);
  }
}

type Metadata = Pick<Snapshot, "meta">;

async function readGroups(view: Metadata): Promise<GroupTable> {
  return GroupTable.from(await view.meta(groupsName));
}

async function readUser(view: Metadata, name: string): Promise<User | undefined> {
  if (!name.isWellFormed()) return undefined;
  const stored = await view.meta(userPrefix + encodeURIComponent(name));
  if (isObject(stored) && Array.isArray(stored.groups)) {
    return { name, passwordHash: typeof stored.password === "string" ? stored.password : undefined, groups: stored.groups.map(Number) };
  }
  return name === firstUser ? { name, passwordHash: undefined, groups: [guardiansId] } : undefined;
}

function userJson({ passwordHash, groups }: User): Json {
  return { password: passwordHash ?? null, groups };
}

/** A commit that changes no node may have changed metadata. */
function mayHaveMetadata(event: ChangeRecord | Gap): boolean {
  switch (event.kind) {
    case "gap":
      return true;
    case "detailed":
      return event.nodes.length + event.edges.length + event.entries.length === 0;
    case "coarse":
      return event.types.length + event.fields.length + event.ends.length === 0;
  }
}
