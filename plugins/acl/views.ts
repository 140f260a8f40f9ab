// Users and groups as the admin API shows them. Guardians see all of them, others themselves and the groups of their token.

import type { Directory, User } from "./directory.ts";
import type { Group, GroupTable } from "./group-table.ts";
import { chosenNames, type ListArguments } from "./list-arguments.ts";
import { guardians } from "./rights.ts";
import type { Identity } from "./token-pairs.ts";

/** Links are functions: `graphql` calls them when they are selected. */
export interface UserView {
  readonly name: string;
  readonly groups: () => readonly GroupView[];
}

export interface GroupView {
  readonly name: string;
  readonly users: () => Promise<readonly UserView[]>;
  readonly rules: () => readonly { readonly predicate: string; readonly permission: number }[];
}

/** @param own the namespace that is asked about */
export function isGuardian({ groups, namespace }: Identity, own: number): boolean {
  return namespace === own && groups.includes(guardians);
}

export class Views {
  readonly #directory: Directory;
  readonly #table: GroupTable;
  /** Undefined: sees everything. */
  readonly #limitedTo: Identity | undefined;
  /** Somebody of another namespace has no user and no groups here, whatever their names are. */
  readonly #isHere: boolean;
  /** Read once for all groups that show their members. */
  #members: Promise<readonly User[]> | undefined;

  private constructor(directory: Directory, table: GroupTable, identity: Identity) {
    this.#directory = directory;
    this.#table = table;
    this.#limitedTo = isGuardian(identity, directory.namespace) ? undefined : identity;
    this.#isHere = identity.namespace === directory.namespace;
  }

  static async for(identity: Identity, directory: Directory): Promise<Views> {
    return new Views(directory, await directory.groups(), identity);
  }

  async user(name: string): Promise<UserView | null> {
    const [user] = this.#seesUser(name) ? await this.#directory.users([name]) : [];
    return user ? this.#userView(user) : null;
  }

  async users(args: ListArguments): Promise<readonly UserView[]> {
    const all = await this.#visibleNames();
    const users = await this.#directory.users(chosenNames(all, args));
    return users.map((user) => this.#userView(user));
  }

  group(name: string): GroupView | null {
    const group = this.#seesGroup(name) ? this.#table.named(name) : undefined;
    return group ? this.#groupView(group) : null;
  }

  groups(args: ListArguments): readonly GroupView[] {
    const names = this.#table.all.map(({ name }) => name).filter((name) => this.#seesGroup(name));
    const ascending = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return chosenNames(ascending, args).flatMap((name) => this.group(name) ?? []);
  }

  #seesUser(name: string): boolean {
    return this.#limitedTo === undefined || (this.#isHere && this.#limitedTo.user === name);
  }

  #seesGroup(name: string): boolean {
    return this.#limitedTo === undefined || (this.#isHere && this.#limitedTo.groups.includes(name));
  }

  #userView({ name, groups }: User): UserView {
    const shown = () => groups.flatMap((id) => this.#table.withId(id) ?? []).filter((group) => this.#seesGroup(group.name));
    return { name, groups: () => shown().map((group) => this.#groupView(group)) };
  }

  #groupView({ name, id, rules }: Group): GroupView {
    return {
      name,
      users: async () => (await this.#visibleUsers()).filter(({ groups }) => groups.includes(id)).map((user) => this.#userView(user)),
      rules: () => [...rules].map(([predicate, permission]) => ({ predicate, permission })),
    };
  }

  async #visibleNames(): Promise<readonly string[]> {
    if (this.#limitedTo === undefined) return await this.#directory.userNames();
    return this.#isHere ? [this.#limitedTo.user] : [];
  }

  #visibleUsers(): Promise<readonly User[]> {
    this.#members ??= this.#readVisible();
    return this.#members;
  }

  async #readVisible(): Promise<readonly User[]> {
    return await this.#directory.users(await this.#visibleNames());
  }
}
