// The mixed load: what is asked and in which proportions. Keys come from a fixed range, so that live data stay bounded.

export interface Ask {
  readonly kind: "read" | "write";
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** With and without the index of words and the order by rank: deploying them in turn builds and drops both. */
export const schemas: readonly [string, string] = [schemaText("@search(by: [term])", "@search"), schemaText("", "")];

function schemaText(words: string, rank: string): string {
  return `type Ship {
  key: Int! @id
  name: String! @search(by: [hash])
  text: String ${words}
  rank: Int ${rank}
  tags: [String] @search(by: [hash])
  changed: DateTime @search
  fleet: Fleet @hasInverse(field: ships)
  sisters: [Ship] @hasInverse(field: sisters)
}
type Fleet {
  key: Int! @id
  name: String
  ships: [Ship]
}`;
}

const words = ["stone", "mill", "harbor", "grain", "north", "wind", "sail", "copper", "lamp", "tide", "chalk", "river"];
const fleets = 50;

/** One ship with its fleet. */
export function shipOf(key: number, pick: (below: number) => number): Readonly<Record<string, unknown>> {
  return {
    key,
    name: `ship ${pick(1_000)}`,
    text: Array.from({ length: 8 }, () => words[pick(words.length)]).join(" "),
    rank: pick(10_000),
    tags: [words[pick(words.length)], `t${pick(100)}`],
    changed: new Date(1.9e12 + pick(1e9)).toISOString(),
    fleet: { key: pick(fleets) },
  };
}

/** With two sisters, which are made where they are missing. */
function withSisters(key: number, keys: number, pick: (below: number) => number): Readonly<Record<string, unknown>> {
  const sisters = [key + 1, key + 2].map((sister) => ({ key: sister % keys, name: `ship ${pick(1_000)}` }));
  return { ...shipOf(key, pick), sisters };
}

export const upsert = "mutation ($input: [AddShipInput!]!) { addShip(input: $input, upsert: true) { numUids } }";

interface Part {
  readonly weight: number;
  readonly ask: (keys: number, pick: (below: number) => number) => Ask;
}

const parts: readonly Part[] = [
  read(20, "query ($key: Int!) { getShip(key: $key) { key name rank fleet { name } } }", (keys, pick) => ({ key: pick(keys) })),
  read(
    15,
    "query ($tag: String) { queryShip(filter: {tags: {eq: $tag}}, order: {desc: rank}, first: 10) { key name fleet { key ships(first: 3) { name } } } }",
    (_keys, pick) => ({ tag: `t${pick(100)}` }),
  ),
  read(5, "query ($name: String) { aggregateShip(filter: {name: {eq: $name}}) { count rankAvg rankMax } }", (_keys, pick) => ({
    name: `ship ${pick(1_000)}`,
  })),
  read(
    5,
    "query ($key: Int!) { getFleet(key: $key) { shipsAggregate { count } ships(order: {asc: changed}, first: 5) { key sisters { key } } } }",
    (_, pick) => ({
      key: pick(fleets),
    }),
  ),
  // Its text differs from request to request: what is kept by document must be bounded.
  { weight: 5, ask: (keys, pick) => ({ kind: "read", query: `{ a${pick(1e9)}: getShip(key: ${pick(keys)}) { name } }`, variables: {} }) },
  write(15, upsert, (keys, pick) => ({ input: [withSisters(pick(keys), keys, pick)] })),
  write(
    15,
    "mutation ($key: Int!, $set: ShipPatch, $remove: ShipPatch) { updateShip(input: {filter: {key: {eq: $key}}, set: $set, remove: $remove}) { ship { key rank } } }",
    (keys, pick) => ({
      key: pick(keys),
      set: { rank: pick(10_000), tags: [`t${pick(100)}`], fleet: { key: pick(fleets) } },
      remove: { tags: [`t${pick(100)}`], sisters: null },
    }),
  ),
  write(10, "mutation ($key: Int!) { deleteShip(filter: {key: {eq: $key}}) { numUids } }", (keys, pick) => ({ key: pick(keys) })),
  // Many at once, and gone again: what they leave behind is seen in the size of the store.
  write(1, upsert, (keys, pick) => ({
    input: Array.from({ length: 50 }, (_, i) => shipOf((pick(keys) + i * 97) % keys, pick)).filter(firstOfItsKey),
  })),
  write(1, "mutation ($name: [String]) { deleteShip(filter: {name: {in: $name}}) { numUids } }", (_keys, pick) => ({
    name: [`ship ${pick(1_000)}`, `ship ${pick(1_000)}`],
  })),
];
const total = parts.reduce((sum, part) => sum + part.weight, 0);

export function nextAsk(keys: number, pick: (below: number) => number): Ask {
  let at = pick(total);
  for (const part of parts) {
    if (at < part.weight) return part.ask(keys, pick);
    at -= part.weight;
  }
  throw new RangeError("the weights do not add up");
}

type Variables = (keys: number, pick: (below: number) => number) => Readonly<Record<string, unknown>>;

function read(weight: number, query: string, variables: Variables): Part {
  return { weight, ask: (keys, pick) => ({ kind: "read", query, variables: variables(keys, pick) }) };
}

function write(weight: number, query: string, variables: Variables): Part {
  return { weight, ask: (keys, pick) => ({ kind: "write", query, variables: variables(keys, pick) }) };
}

function firstOfItsKey(ship: Readonly<Record<string, unknown>>, at: number, all: readonly Readonly<Record<string, unknown>>[]): boolean {
  return all.findIndex((other) => other.key === ship.key) === at;
}
