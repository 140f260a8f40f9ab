// Groups and their rules: one small document, which every server keeps in memory and reads again when it has changed.

import { isObject, type Json } from "../../core/plugin.ts";
import { guardians } from "./rights.ts";

export interface Group {
  readonly name: string;
  /** Never given to another group: users name their groups by it. */
  readonly id: number;
  /** Permissions by predicate. */
  readonly rules: ReadonlyMap<string, number>;
}

/** The id of the guardians, who are always there. */
export const guardiansId = 1;

export class GroupTable {
  /** Rises with each change. */
  readonly version: number;
  readonly #nextId: number;
  readonly #groups: ReadonlyMap<string, Group>;
  readonly #byId: ReadonlyMap<number, Group>;

  private constructor(version: number, nextId: number, groups: ReadonlyMap<string, Group>) {
    this.version = version;
    this.#nextId = nextId;
    this.#groups = groups;
    this.#byId = new Map([...groups.values()].map((group) => [group.id, group]));
  }

  static readonly initial = new GroupTable(0, guardiansId + 1, new Map([[guardians, { name: guardians, id: guardiansId, rules: new Map() }]]));

  /** The stored document; the initial table without one. */
  static from(stored: Json | undefined): GroupTable {
    if (!isObject(stored) || !Array.isArray(stored.groups)) return GroupTable.initial;
    const groups = stored.groups.filter(isStoredGroup).map(({ name, id, rules }): Group => ({ name, id, rules: new Map(rules) }));
    return new GroupTable(Number(stored.version), Number(stored.nextId), new Map(groups.map((group) => [group.name, group])));
  }

  toJson(): Json {
    const groups = [...this.#groups.values()].map(({ name, id, rules }) => ({ name, id, rules: [...rules] }));
    return { version: this.version, nextId: this.#nextId, groups };
  }

  isEqual(other: GroupTable): boolean {
    return this.version === other.version && JSON.stringify(this.toJson()) === JSON.stringify(other.toJson());
  }

  /** In the order of their creation. */
  get all(): readonly Group[] {
    return [...this.#groups.values()];
  }

  named(name: string): Group | undefined {
    return this.#groups.get(name);
  }

  withId(id: number): Group | undefined {
    return this.#byId.get(id);
  }

  /** With new groups. */
  add(names: readonly string[]): GroupTable {
    const made = names.map((name, i): [string, Group] => [name, { name, id: this.#nextId + i, rules: new Map() }]);
    return new GroupTable(this.version + 1, this.#nextId + names.length, new Map([...this.#groups, ...made]));
  }

  /** With other rules of one group. */
  setRules(group: Group, rules: ReadonlyMap<string, number>): GroupTable {
    return new GroupTable(this.version + 1, this.#nextId, new Map([...this.#groups, [group.name, { ...group, rules }]]));
  }

  remove(names: readonly string[]): GroupTable {
    const kept = [...this.#groups].filter(([name]) => !names.includes(name));
    return new GroupTable(this.version + 1, this.#nextId, new Map(kept));
  }
}

interface StoredGroup {
  readonly name: string;
  readonly id: number;
  readonly rules: readonly (readonly [string, number])[];
}

function isStoredGroup(value: unknown): value is StoredGroup {
  return isObject(value) && typeof value.name === "string" && typeof value.id === "number" && Array.isArray(value.rules);
}
