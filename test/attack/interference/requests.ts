// Random requests of a caller who may write what it may not read, with guesses of hidden values among their literals.

export type Random = (below: number) => number;

export function randomOf(seed: number): Random {
  let state = seed * 0x9e3779b9;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)] as T;
}

export const names = ["a", "b", "c", "d", "e", "f"];
const greatest = 2147483647;

/** A hidden value, as the setup makes them: few, so that guesses often hit. */
export const hidden = {
  sec: (random: Random) => pick(random, [0, 1, 5, greatest - 1, greatest]),
  note: (random: Random) => pick(random, ["x", "y"]),
  tags: (random: Random) => pick(random, [["t"], ["t", "u"], ["t", "u", "v"]]),
  grade: (random: Random) => random(2),
  code: (random: Random) => `k${random(10)}`,
};

const some = <T>(random: Random, parts: readonly T[]) => parts.filter(() => random(3) === 0);

function name(random: Random): string {
  return `name: "${pick(random, names)}"`;
}

function filter(random: Random, depth = 2): string {
  if (depth > 0 && random(3) === 0) return `{ not: ${filter(random, depth - 1)} }`;
  if (depth > 0 && random(3) === 0) return `{ ${pick(random, ["and", "or"])}: [${filter(random, depth - 1)}, ${filter(random, depth - 1)}] }`;
  return pick(random, [
    () => "{}",
    () => `{ name: { eq: "${pick(random, names)}" } }`,
    () => `{ name: { in: ["a", "b", "${pick(random, names)}"] } }`,
    () => `{ n: { gt: ${random(6)} } }`,
    () => `{ sec: { ${pick(random, ["eq", "le", "gt"])}: ${hidden.sec(random)} } }`,
    () => `{ note: { eq: "${hidden.note(random)}" } }`,
    () => `{ rev: { ${pick(random, ["eq", "gt"])}: ${random(4)} } }`,
    () => `{ has: ${pick(random, ["sec", "note", "tags", "pal", "boss", "n"])} }`,
    () => `{ code: { eq: "${hidden.code(random)}" } }`,
  ])();
}

function set(random: Random): string {
  const parts = [
    `n: ${random(8)}`,
    `sec: ${hidden.sec(random)}`,
    `note: "${hidden.note(random)}"`,
    `tags: ${JSON.stringify(hidden.tags(random))}`,
    `kind: "${pick(random, ["p", "q"])}"`,
    `boss: { ${name(random)} }`,
    `boss: { code: "${hidden.code(random)}" }`,
    `pal: { ${name(random)} }`,
  ];
  const chosen = some(random, parts).filter((part, i, all) => all.findIndex((each) => each.split(":")[0] === part.split(":")[0]) === i);
  return `{ ${(chosen.length > 0 ? chosen : [`n: ${random(8)}`]).join(", ")} }`;
}

function remove(random: Random): string {
  const parts = [
    `note: "${hidden.note(random)}"`,
    `sec: ${hidden.sec(random)}`,
    `tags: ["${pick(random, ["t", "u"])}"]`,
    `pal: { ${name(random)} }`,
    "grade: null",
    "note: null",
  ];
  return `{ ${pick(random, parts)} }`;
}

function increment(random: Random): string {
  return pick(random, [`{ sec: ${pick(random, [1, -1, greatest, -greatest])} }`, `{ n: ${pick(random, [1, -1])} }`]);
}

function nested(random: Random): string {
  const steps = [
    `update: [{ filter: ${filter(random)}, set: ${set(random)} }]`,
    `update: [{ filter: ${filter(random)}, remove: ${remove(random)} }]`,
    `remove: ${filter(random)}`,
    `delete: ${filter(random)}`,
  ];
  return `{ staff: { ${pick(random, steps)} } }`;
}

const shown = "{ name n sec note tags rev boss { name n } pal { name } staff { name } staffAggregate { count nMax secSum } }";

function update(random: Random): string {
  const patch = pick(random, [
    () => `set: ${set(random)}`,
    () => `remove: ${remove(random)}`,
    () => `set: ${set(random)}, remove: ${remove(random)}`,
    () => `increment: ${increment(random)}`,
    () => `links: ${nested(random)}`,
  ])();
  return `updateItem(input: { filter: ${filter(random)}, ${patch} }) { numUids item ${shown} }`;
}

function add(random: Random): string {
  const links = pick(random, ["", `, boss: { ${name(random)} }`, `, boss: { code: "${hidden.code(random)}" }`]);
  const upsert = pick(random, ["", ", upsert: true"]);
  return `addItem(input: [{ ${name(random)}, n: ${random(8)}, open: ${random(2) === 0}${links} }]${upsert}) { numUids item ${shown} }`;
}

function mutation(random: Random): string {
  const roll = random(10);
  if (roll === 0) return `deleteItem(filter: ${filter(random)}) { numUids msg item { name sec } }`;
  return roll < 3 ? add(random) : update(random);
}

function query(random: Random): string {
  return pick(random, [
    () => `queryItem(filter: ${filter(random)}, order: { asc: ${pick(random, ["sec", "note", "n", "name"])} }, first: ${1 + random(5)}) ${shown}`,
    () => `aggregateItem(filter: ${filter(random)}) { count nSum secMax noteMin }`,
    () => `getItem(name: "${pick(random, names)}") ${shown}`,
    () => `getItem(code: "${hidden.code(random)}") { name }`,
  ])();
}

export function request(random: Random): string {
  const count = 1 + random(3);
  const fields = (make: (random: Random) => string) => Array.from({ length: count }, (_, i) => `f${i}: ${make(random)}`).join(" ");
  if (random(4) === 0) return `{ ${fields(query)} }`;
  return `mutation ${random(2) === 0 ? "@transaction " : ""}{ ${fields(mutation)} }`;
}
