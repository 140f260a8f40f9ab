// Random nodes, links, predicates, orders and pages over the `library` layout. All chance comes from one function, so that a seed or a
// shrinking test library can drive it.

import {
  and,
  type Change,
  type Comparison,
  not,
  type Order,
  or,
  type Page,
  type Predicate,
  type Stored,
  type Uid,
  type Value,
} from "../../../core/storage.ts";

/** A whole number from 0 to below `count`. */
export type Pick = (count: number) => number;

/** A small generator with a seed: the same everywhere. */
export function seeded(seed: number): Pick {
  let state = seed >>> 0 || 1;
  return (count) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % count;
  };
}

function oneOf<T>(pick: Pick, values: readonly [T, ...T[]]): T {
  return values[pick(values.length)] ?? values[0];
}

const texts = ["", "a", "A", "ab", "b", "é", "\u{1f600}", "\uffee", "a b", "Post", "PostTag", "zz z"] as const;
const numbers = [-2_147_483_648, -1, 0, 1, 2, 3, 255, 256, 2_147_483_647] as const;
const longs = [-(2n ** 63n), -1n, 0n, 1n, 9_007_199_254_740_993n, 9_007_199_254_740_992n, 2n ** 63n - 1n] as const;
const floats = [-1.5, -0.25, 0, 0.1, 0.2, 1e300, -1e300, 2] as const;
const dates = [
  "0000-01-01T00:00:00Z",
  "1969-12-31T23:59:59.999999999Z",
  "1970-01-01T00:00:00Z",
  "1970-01-01T02:00:00+02:00",
  "2031-04-09T06:00:00.5Z",
  "9999-12-31T23:59:59Z",
] as const;

const fields: readonly { readonly name: string; readonly list?: true; readonly value: (pick: Pick) => Value }[] = [
  { name: "Post.title", value: (pick) => oneOf(pick, texts) },
  { name: "Post.name", value: (pick) => oneOf(pick, texts) },
  { name: "Post.plain", value: (pick) => oneOf(pick, texts) },
  { name: "Post.text", value: (pick) => `${oneOf(pick, texts)} ${oneOf(pick, texts)}` },
  { name: "Post.rank", value: (pick) => oneOf(pick, numbers) },
  { name: "Post.big", value: (pick) => oneOf(pick, longs) },
  { name: "Post.score", value: (pick) => oneOf(pick, floats) },
  { name: "Post.at", value: (pick) => oneOf(pick, dates) },
  { name: "Post.open", value: (pick) => pick(2) === 0 },
  { name: "Post.tags", list: true, value: (pick) => oneOf(pick, texts) },
  { name: "Post.nums", list: true, value: (pick) => oneOf(pick, numbers) },
  { name: "Named.label", value: (pick) => oneOf(pick, texts) },
];

function storedOf(pick: Pick, { list, value }: (typeof fields)[number]): Stored {
  if (!list) return value(pick);
  return [...new Set(Array.from({ length: 1 + pick(3) }, () => value(pick)))];
}

export function randomFields(pick: Pick, type: string): Record<string, Stored> {
  const values: Record<string, Stored> = {};
  for (const field of fields) {
    if (type !== "Post" && field.name !== "Named.label") continue;
    if (pick(3) > 0) values[field.name] = storedOf(pick, field);
  }
  return values;
}

/** Creates, then sets, links, unlinks and removals that keep to the rules of the layout. */
export function randomChanges(pick: Pick, uids: readonly Uid[]): Change[] {
  const changes: Change[] = [];
  const types = ["Post", "Post", "Post", "PostTag", "Author"] as const;
  const typeOf = new Map<Uid, string>();
  for (const uid of uids) {
    const type = oneOf(pick, types);
    typeOf.set(uid, type);
    changes.push({ kind: "create", uid, type, fields: type === "Author" ? { "Author.age": pick(5) } : randomFields(pick, type) });
  }
  const authorOf = new Map<Uid, Uid>();
  for (let i = 0; i < uids.length * 2; i++) {
    const from = uids[pick(uids.length)] ?? 0;
    const to = uids[pick(uids.length)] ?? 0;
    const fromType = typeOf.get(from);
    const toType = typeOf.get(to);
    if (fromType === "Post" && toType === "PostTag")
      changes.push({ kind: pick(5) === 0 ? "unlink" : "link", end: "Post.tagged", from, fromType, to, toType });
    if (fromType === "Author" && toType === "Author") changes.push({ kind: "link", end: "Author.friends", from, fromType, to, toType });
    if (fromType === "Author" && toType === "Post" && !authorOf.has(to)) {
      authorOf.set(to, from);
      changes.push({ kind: "link", end: "Author.posts", from, fromType, to, toType });
    }
    if (fromType === "Post" && pick(4) === 0)
      changes.push({ kind: "set", uid: from, type: "Post", fields: withNulls(pick, randomFields(pick, "Post")) });
  }
  for (const uid of uids) if (pick(12) === 0) changes.push({ kind: "remove", uid, type: typeOf.get(uid) ?? "" });
  return changes;
}

function withNulls(pick: Pick, values: Record<string, Stored>): Record<string, Stored | null> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, pick(4) === 0 ? null : value]));
}

const comparisons: readonly [Comparison, ...Comparison[]] = ["eq", "in", "lt", "le", "gt", "ge", "between"];

export function randomPredicate(pick: Pick, depth: number, highest: Uid): Predicate {
  const leaf = depth <= 0 || pick(3) === 0;
  if (!leaf) {
    const parts = () => Array.from({ length: 1 + pick(3) }, () => randomPredicate(pick, depth - 1, highest));
    switch (pick(4)) {
      case 0:
        return and(...parts());
      case 1:
        return or(...parts());
      case 2:
        return not(randomPredicate(pick, depth - 1, highest));
      default:
        return randomLinked(pick, depth, highest);
    }
  }
  const field = fields[pick(fields.length)] ?? fields[0];
  if (field === undefined) return { kind: "all" };
  switch (pick(8)) {
    case 0:
      return { kind: "has", field: field.name };
    case 1:
      return {
        kind: "lookup",
        index: "Post.text/words",
        match: pick(2) === 0 ? "any" : "all",
        tokens: Array.from({ length: pick(3) }, () => oneOf(pick, ["a", "b", "ab", "zz", "z", "é"])),
      };
    case 2:
      return { kind: "uids", uids: [...new Set(Array.from({ length: pick(5) }, () => 1 + pick(highest)))].sort((a, b) => a - b) };
    case 3:
      return pick(2) === 0 ? { kind: "after", uid: pick(highest) } : { kind: "type", types: [oneOf(pick, ["Post", "PostTag", "Author"])] };
    case 4: {
      const needle = oneOf(pick, ["a", "b", "z"]);
      return {
        kind: "check",
        field: "Post.plain",
        test: { id: `holds ${needle}`, holds: (values) => values.some((value) => String(value).includes(needle)) },
      };
    }
    default: {
      const op = field.name === "Post.open" ? "eq" : oneOf(pick, comparisons);
      const operands = Array.from({ length: op === "between" ? 2 : op === "in" ? pick(4) : 1 }, () => field.value(pick));
      return { kind: "compare", field: field.name, op, operands };
    }
  }
}

function randomLinked(pick: Pick, depth: number, highest: Uid): Predicate {
  const end = oneOf(pick, ["Post.tagged", "~Post.tagged", "Author.posts", "Post.author", "Author.friends"]);
  return { kind: "linked", end, where: pick(2) === 0 ? { kind: "all" } : randomPredicate(pick, depth - 1, highest), atLeast: 1 + pick(2) };
}

const orderable = ["Post.rank", "Post.name", "Post.plain", "Post.big", "Post.score", "Post.at", "Named.label", "Post.open"] as const;

export function randomOrder(pick: Pick): Order {
  const names = new Set(Array.from({ length: pick(3) }, () => oneOf(pick, orderable)));
  return [...names].map((field) => ({ field, direction: pick(2) === 0 ? "asc" : "desc" }));
}

export function randomPage(pick: Pick, order: Order): Page {
  if (order.length === 0 && pick(4) === 0) return { last: 1 + pick(6) };
  return { ...(pick(3) > 0 && { first: 1 + pick(8) }), ...(pick(3) === 0 && { offset: pick(5) }) };
}
