// Random mutations over teams and players, and their texts.

import type { Random } from "../model/random.ts";
import { type LinkEnd, linksOf, type TypeName } from "./schema.ts";
import type { Filter, Given, Made, Mutation, Patch, Steps, World } from "./world.ts";

/** Links that an update goes down. */
const nesting = 2;

const tags = ["a", "b", "ab", "abc", "c-c", ""] as const;

export interface Scene {
  readonly random: Random;
  readonly world: World;
  /** Guests make no links: the rules about the objects that a link is taken from have a property test of their own. */
  readonly isGuest: boolean;
  /** A code that no object ever had. */
  readonly fresh: (type: TypeName) => string;
}

export function randomMutation(scene: Scene): Mutation {
  const { random, world, isGuest } = scene;
  const type = random.pick(["Team", "Player", "Player"] as const);
  const asGuest = ["update", "update", "delete"] as const;
  const asAdministrator = ["add", "add", "update", "update", "update", "delete"] as const;
  const kind = isGuest ? random.pick(asGuest) : world.things.size < 4 ? "add" : random.pick(asAdministrator);
  switch (kind) {
    case "add":
      return { kind, type, code: scene.fresh(type), given: randomGiven(scene, type, 1) };
    case "update":
      return { kind, type, filter: randomFilter(scene, type), patch: atLeast(randomPatch(scene, type, nesting)) };
    case "delete":
      return { kind, type, filter: randomFilter(scene, type) };
  }
}

/** An update that asks for nothing does nothing, and says that it was about no object. */
function atLeast(patch: Patch): Patch {
  return Object.keys(patch).length > 0 ? patch : { set: { open: true } };
}

function randomNumber(random: Random): number {
  return random.chance(4) ? 2_147_483_647 : random.below(9) - 2;
}

function randomGiven(scene: Scene, type: TypeName, depth: number): Given {
  const { random, isGuest } = scene;
  const links = isGuest ? [] : random.some(linksOf[type], 35).filter(({ many }) => !many);
  return {
    ...(random.chance(50) && { n: randomNumber(random) }),
    ...(type === "Player" && random.chance(50) && { tag: random.pick(tags) }),
    ...(random.chance(60) && { open: random.chance(60) }),
    ...(links.length > 0 && { links: Object.fromEntries(links.map((link) => [link.name, randomTarget(scene, link, depth)])) }),
  };
}

/** One that is there, or a new one. */
function randomTarget(scene: Scene, { target }: LinkEnd, depth: number): Made | undefined {
  const there = scene.world.of(target);
  if (there.length > 0 && scene.random.chance(75)) return { code: scene.random.pick(there).code };
  return depth > 0 ? { code: scene.fresh(target), given: randomGiven(scene, target, 0) } : undefined;
}

function randomPatch(scene: Scene, type: TypeName, depth: number): Patch {
  const { random, isGuest } = scene;
  const given = random.chance(60) ? randomGiven(scene, type, 1) : {};
  const clear = random.some(type === "Player" ? (["n", "tag"] as const) : (["n"] as const), 15).filter((field) => given[field] === undefined);
  // Only the objects of the update itself are incremented.
  const counts = depth === nesting && random.chance(40) && given.n === undefined && !clear.includes("n");
  const link = depth > 0 && random.chance(50) ? random.pick(linksOf[type]) : undefined;
  return {
    ...(Object.keys(given).length > 0 && { set: given }),
    ...(clear.length > 0 && { clear }),
    ...(counts && { increment: random.below(7) - 3 }),
    // `set` and steps through the same link would contend for it.
    ...(link && given.links?.[link.name] === undefined && { links: randomSteps(scene, link, { depth, isGuest }) }),
  };
}

function randomSteps(scene: Scene, link: LinkEnd, { depth, isGuest }: { readonly depth: number; readonly isGuest: boolean }): Steps {
  const { random } = scene;
  const { target, many } = link;
  const filter = () => (many ? randomFilter(scene, target) : everything);
  const made = (count: number) =>
    Array.from({ length: count }, () => randomTarget(scene, link, 1)).flatMap((each, i, all) =>
      each && all.findIndex((other) => other?.code === each.code) === i ? [each] : [],
    );
  if (!isGuest && random.chance(15)) return { link, replace: made(many ? random.below(3) : 1) };
  const update = () => ({ filter: filter(), patch: randomPatch(scene, target, depth - 1) });
  const updates = random.chance(50) ? Array.from({ length: many ? 1 + random.below(2) : 1 }, update) : [];
  return {
    link,
    ...(random.chance(30) && { remove: filter() }),
    ...(random.chance(25) && { delete: filter() }),
    ...(updates.length > 0 && { update: updates }),
    ...(!isGuest && many && random.chance(35) && { add: made(1 + random.below(2)) }),
  };
}

const everything: Filter = { text: "{}", holds: () => true };

function randomFilter(scene: Scene, type: TypeName): Filter {
  const { random, world } = scene;
  const k = random.below(5);
  const there = world.of(type).map(({ code }) => code);
  const tag = random.pick(tags);
  switch (random.below(type === "Player" ? 10 : 9)) {
    case 0:
      return everything;
    case 1:
      return { text: `{n: {ge: ${k}}}`, holds: ({ n }) => n !== undefined && n >= k };
    case 2:
      return { text: "{open: true}", holds: ({ open }) => open === true };
    case 3: {
      if (type === "Team") return { text: `{players: {count: {ge: ${k}}}}`, holds: (team, { partners }) => partners(team, "players").length >= k };
      return {
        text: `{team: {n: {ge: ${k}}}}`,
        holds: (player, { partners }) => partners(player, "team").some(({ n }) => n !== undefined && n >= k),
      };
    }
    case 4: {
      if (type === "Team")
        return {
          text: `{players: {every: {tag: {eq: "${tag}"}}}}`,
          holds: (team, { partners }) => partners(team, "players").every((each) => each.tag === tag),
        };
      return { text: "{not: {rival: {}}}", holds: (player, { partners }) => partners(player, "rival").length === 0 };
    }
    case 9:
      return { text: `{tag: {eq: "${tag}"}}`, holds: (player) => player.tag === tag };
    default: {
      const codes = random.shuffled(there).slice(0, 1 + random.below(3));
      const listed = codes.map((code) => JSON.stringify(code)).join(", ");
      return { text: `{code: {in: [${listed}]}}`, holds: ({ code }) => codes.includes(code) };
    }
  }
}

// ---- as GraphQL -------------------------------------------------------------------------------------------------------

/** A root field under the alias `name`. */
export function mutationText(mutation: Mutation, name: string): string {
  const { kind, type } = mutation;
  switch (mutation.kind) {
    case "add":
      return `${name}: add${type}(input: [${givenText({ ...mutation.given, code: mutation.code })}]) { numUids }`;
    case "update":
      return `${name}: update${type}(input: {filter: ${mutation.filter.text}${patchText(mutation.patch)}}) { numUids }`;
    case "delete":
      return `${name}: ${kind}${type}(filter: ${mutation.filter.text}) { numUids }`;
  }
}

function givenText({ code, n, tag, open, links = {} }: Given): string {
  const values = Object.entries({ code, n, tag, open }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  const linked = Object.entries(links).flatMap(([name, made]) => (made ? [`${name}: ${madeText(made)}`] : []));
  return `{${[...values, ...linked].join(", ")}}`;
}

function madeText({ code, given }: Made): string {
  return givenText({ ...given, code });
}

/** The members beside the filter. */
function patchText({ set, clear = [], increment, links }: Patch): string {
  const parts = [
    ...(set ? [`set: ${givenText(set)}`] : []),
    ...(clear.length > 0 ? [`remove: {${clear.map((field) => `${field}: null`).join(", ")}}`] : []),
    ...(increment === undefined ? [] : [`increment: {n: ${increment}}`]),
    ...(links ? [`links: {${links.link.name}: ${stepsText(links)}}`] : []),
  ];
  return parts.map((part) => `, ${part}`).join("");
}

function stepsText({ link, remove, delete: gone, update = [], add, replace }: Steps): string {
  const list = (made: readonly Made[]) => (link.many ? `[${made.map(madeText).join(", ")}]` : made.map(madeText).join(""));
  const [first] = update;
  const single = first && `update: {${patchText(first.patch).slice(2)}}`;
  const parts = [
    ...(remove ? [`remove: ${link.many ? remove.text : true}`] : []),
    ...(gone ? [`delete: ${link.many ? gone.text : true}`] : []),
    ...(link.many && update.length > 0
      ? [`update: [${update.map(({ filter, patch }) => `{filter: ${filter.text}${patchText(patch)}}`).join(", ")}]`]
      : []),
    ...(!link.many && single ? [single] : []),
    ...(add ? [`add: ${list(add)}`] : []),
    ...(replace && (link.many || replace.length > 0) ? [`replace: ${list(replace)}`] : []),
  ];
  return `{${parts.join(", ")}}`;
}
