// Documents with variables, groups, recursion and paths, each with what a look at every town gives.

import fc from "../../support/properties.ts";
import { anyCondition, type Condition, type Town } from "./random-world.ts";

/** A document, and its answer over towns: blocks by name. Lists that have no order are compared sorted. */
export interface NaiveDocument {
  readonly text: string;
  readonly answer: (towns: readonly Town[]) => Readonly<Record<string, unknown>>;
  /** Several answers are right: whether `found` is one of them. */
  readonly accepts?: (found: Readonly<Record<string, unknown>>, towns: readonly Town[]) => boolean;
}

const matching = (towns: readonly Town[], ...conditions: readonly (Condition | undefined)[]) =>
  towns.filter((town) => conditions.every((each) => each === undefined || each.holds(town, towns)));
const filterText = (condition: Condition | undefined) => (condition ? `@filter(${condition.text})` : "");
const optionalCondition = fc.option(anyCondition, { nil: undefined, freq: 2 });
const targets = (town: Town, towns: readonly Town[]) => town.roads.flatMap((place) => towns[place] ?? []);
const without = <T extends object>(object: T) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

/** Values by node, read in another block, calculated with and aggregated. */
const variables = fc.tuple(optionalCondition, optionalCondition).map(
  ([outer, inner]): NaiveDocument => ({
    text: `{
      v as var(func: type(Town)) ${filterText(outer)} { s as Town.size  c as count(Town.roads) }
      q(func: uid(v)) ${filterText(inner)} { name: Town.name  size: val(s)  roads: val(c)  twice: math(c * 2 + 1) }
      total() { least: min(val(s))  most: max(val(s))  roads: sum(val(c)) }
    }`,
    answer: (towns) => {
      const found = matching(towns, outer);
      const sizes = found.flatMap(({ size }) => (size === undefined ? [] : [size]));
      const rows = found.filter((town) => inner?.holds(town, towns) ?? true);
      return {
        q: rows.map((town) => without({ name: town.name, size: town.size, roads: town.roads.length, twice: town.roads.length * 2 + 1 })),
        total: [
          { least: sizes.length > 0 ? Math.min(...sizes) : null },
          { most: sizes.length > 0 ? Math.max(...sizes) : null },
          { roads: found.length > 0 ? found.reduce((sum, town) => sum + town.roads.length, 0) : null },
        ],
      };
    },
  }),
);

/** The towns to which roads lead, as a variable of nodes. */
const nodeVariable = fc.tuple(optionalCondition, optionalCondition).map(
  ([outer, inner]): NaiveDocument => ({
    text: `{ var(func: type(Town)) ${filterText(outer)} { t as Town.roads ${filterText(inner)} } q(func: uid(t)) { name: Town.name } }`,
    answer: (towns) => {
      const reached = new Set(matching(towns, outer).flatMap((town) => targets(town, towns).filter((each) => inner?.holds(each, towns) ?? true)));
      return { q: towns.filter((town) => reached.has(town)).map(({ name }) => ({ name })) };
    },
  }),
);

/** The number of towns for each value of a field. */
const groups = fc.tuple(optionalCondition, fc.constantFrom("size" as const, "motto" as const, "tags" as const)).map(
  ([condition, field]): NaiveDocument => ({
    text: `{ q(func: type(Town)) ${filterText(condition)} @groupby(Town.${field}) { count(uid) } }`,
    answer: (towns) => {
      const counts = new Map<unknown, number>();
      for (const town of matching(towns, condition)) {
        const value = town[field];
        for (const key of Array.isArray(value) ? value : [value]) if (key !== undefined && key !== "") counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      return counts.size === 0 ? {} : { q: [{ "@groupby": [...counts].map(([key, count]) => ({ [`Town.${field}`]: key, count })) }] };
    },
  }),
);

/** The same by the towns to which roads lead, with the sum of a field. */
const linkGroups = optionalCondition.map(
  (condition): NaiveDocument => ({
    text: `{ q(func: type(Town)) ${filterText(condition)} @groupby(Town.roads) { count(uid)  most: max(Town.size) } }`,
    answer: (towns) => {
      const members = new Map<Town, Town[]>();
      for (const town of matching(towns, condition)) for (const to of targets(town, towns)) members.set(to, [...(members.get(to) ?? []), town]);
      const rows = [...members].map(([to, from]) => {
        const sizes = from.flatMap(({ size }) => (size === undefined ? [] : [size]));
        return without({ "Town.roads": `0x${to.uid.toString(16)}`, count: from.length, most: sizes.length > 0 ? Math.max(...sizes) : undefined });
      });
      return rows.length === 0 ? {} : { q: [{ "@groupby": rows }] };
    },
  }),
);

/** Every road is followed once, level by level. */
const recursion = fc.tuple(fc.nat(7), fc.integer({ min: 1, max: 5 })).map(
  ([start, depth]): NaiveDocument => ({
    text: `{ q(func: eq(Town.name, "t${start}")) @recurse(depth: ${depth}) { name: Town.name  roads: Town.roads } }`,
    answer: (towns) => {
      const followed = new Set<string>();
      const below = (level: readonly Town[], left: number): ReadonlyMap<Town, object> => {
        const next = new Map<Town, readonly Town[]>();
        for (const town of left > 1 ? level : []) {
          const fresh = targets(town, towns).filter((to) => !followed.has(`${town.name} ${to.name}`));
          for (const to of fresh) followed.add(`${town.name} ${to.name}`);
          next.set(town, fresh);
        }
        const reached = [...new Set([...next.values()].flat())];
        const shown = reached.length === 0 ? new Map<Town, object>() : below(reached, left - 1);
        return new Map(
          level.map((town) => {
            const roads = (next.get(town) ?? []).map((to) => shown.get(to));
            return [town, { name: town.name, ...(roads.length > 0 && { roads }) }];
          }),
        );
      };
      return {
        q: [
          ...below(
            towns.filter(({ name }) => name === `t${start}`),
            depth,
          ).values(),
        ],
      };
    },
  }),
);

/** A way of as few roads as there is. */
const paths = fc.tuple(fc.nat(7), fc.nat(7)).map(([from, to]): NaiveDocument => {
  const lengthOf = (towns: readonly Town[]): number | undefined => {
    const [start, end] = [from, to].map((each) => towns.find(({ name }) => name === `t${each}`));
    if (!start || !end) return undefined;
    let level = [start];
    const seen = new Set(level);
    for (let length = 1; level.length > 0; length++) {
      if (level.includes(end)) return length;
      level = level.flatMap((town) => targets(town, towns)).filter((town) => !seen.has(town) && seen.add(town));
    }
    return undefined;
  };
  return {
    text: `{
      a as var(func: eq(Town.name, "t${from}"))
      b as var(func: eq(Town.name, "t${to}"))
      p as shortest(from: uid(a), to: uid(b)) { Town.roads }
      q(func: uid(p)) { name: Town.name }
    }`,
    answer: (towns) => ({ towns: lengthOf(towns) ?? 0 }),
    accepts: ({ q }, towns) => {
      const names = (q as readonly { readonly name: string }[]).map(({ name }) => name);
      const way = names.map((name) => towns.find((town) => town.name === name));
      const isWay = way.slice(1).every((town, i) => town && way[i] && targets(way[i], towns).includes(town));
      return names.length === (lengthOf(towns) ?? 0) && isWay && (names.length === 0 || (names[0] === `t${from}` && names.at(-1) === `t${to}`));
    },
  };
});

export const anyDocument: fc.Arbitrary<NaiveDocument> = fc.oneof(variables, nodeVariable, groups, linkGroups, recursion, paths);
