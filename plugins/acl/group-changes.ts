// `addGroup`, `updateGroup`, `deleteGroup`: what they change.

import type { Directory } from "./directory.ts";
import { emptyName, mutationFailed, namedTwice, nameTaken, otherHasName, reserved, rewriteFailed } from "./failures.ts";
import { nameFilter } from "./list-arguments.ts";
import { nameProblem } from "./names.ts";
import { guardians } from "./rights.ts";

export interface Rule {
  readonly predicate: string;
  readonly permission: number;
}

export interface NewGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

export interface GroupUpdate {
  readonly filter: unknown;
  readonly set: readonly Rule[];
  /** Predicates. */
  readonly remove: readonly string[];
}

/** A change of many rules is one document. */
const maxRules = 10_000;

export class GroupChanges {
  readonly #directory: Directory;

  constructor(directory: Directory) {
    this.#directory = directory;
  }

  /** Rules without a predicate are left out. @returns the names of the new groups */
  async add(groups: readonly NewGroup[]): Promise<readonly string[]> {
    const field = "addGroup";
    const repeated = groups.find(({ name }, i) => groups.findIndex((each) => each.name === name) < i);
    if (repeated) throw rewriteFailed(field, namedTwice(repeated.name));
    for (const { name, rules } of groups) {
      const problem = name === "" ? emptyName : (nameProblem(name) ?? rulesProblem(rules));
      if (problem !== undefined) throw rewriteFailed(field, problem);
    }
    await this.#directory.change(async (change) => {
      for (const { name } of groups) if (change.groups.named(name)) throw rewriteFailed(field, nameTaken(name, "Group"));
      for (const { name } of groups) if (await change.user(name)) throw mutationFailed(field, otherHasName(name));
      if (groups.length > 0) change.groups = change.groups.add(groups.map(({ name }) => name));
      for (const { name, rules } of groups) {
        const group = change.groups.named(name);
        const named = rules.filter(({ predicate }) => predicate !== "");
        if (group && named.length > 0) change.groups = change.groups.setRules(group, new Map(named.map(entryOf)));
      }
    });
    return groups.map(({ name }) => name);
  }

  /** Removes rules, then sets others. @returns the names of the groups that match; none when nothing is to be changed */
  async update({ filter, set, remove }: GroupUpdate): Promise<readonly string[]> {
    const field = "updateGroup";
    const isNothing = (predicates: readonly string[]) => predicates.length === 0 || (predicates.length === 1 && predicates[0] === "");
    const setPredicates = set.map(({ predicate }) => predicate);
    if (isNothing(setPredicates) && isNothing(remove)) return [];
    for (const [what, predicates] of [
      ["remove", remove],
      ["set", setPredicates],
    ] as const) {
      const empty = predicates.indexOf("");
      if (empty >= 0 && predicates.length > 1) {
        throw rewriteFailed(field, `failed to rewrite ${what} payload because at index ${empty}: predicate value can't be empty string`);
      }
    }
    const problem = rulesProblem(set);
    if (problem !== undefined) throw rewriteFailed(field, problem);
    return await this.#directory.change(async (change) => {
      const matching = change.groups.all.filter(({ name }) => nameFilter(filter)(name));
      if (remove.length > 0 && matching.some(({ name }) => name === guardians)) throw mutationFailed(field, reserved);
      for (const group of matching) {
        const kept = [...group.rules].filter(([predicate]) => !remove.includes(predicate));
        const rules = new Map([...kept, ...set.filter(({ predicate }) => predicate !== "").map(entryOf)]);
        if (rules.size > maxRules) throw mutationFailed(field, `a group has at most ${maxRules} rules`);
        change.groups = change.groups.setRules(group, rules);
      }
      return matching.map(({ name }) => name);
    });
  }

  /** @returns how many were deleted */
  remove(filter: unknown): Promise<number> {
    return this.#directory.change(async (change) => {
      const names = change.groups.all.map(({ name }) => name).filter(nameFilter(filter));
      if (names.includes(guardians)) throw mutationFailed("deleteGroup", reserved);
      if (names.length > 0) change.groups = change.groups.remove(names);
      return names.length;
    });
  }
}

function entryOf({ predicate, permission }: Rule): [string, number] {
  return [predicate, permission];
}

function rulesProblem(rules: readonly Rule[]): string | undefined {
  if (rules.length > maxRules) return `a group has at most ${maxRules} rules`;
  return rules.map(({ predicate }) => nameProblem(predicate)).find((problem) => problem !== undefined);
}
