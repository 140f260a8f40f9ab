// What `set` and `remove` make of present values: operations.md 3.6, row by row.

import { describe, expect, it } from "vitest";
import type { Stored } from "../../core/ground/values/value.ts";
import type { Content } from "../../core/mutation/input/input-values.ts";
import { fieldsToRead, newFields, patchedFields } from "../../core/mutation/input/patch-fields.ts";
import { schemaOf } from "./facts.ts";

const schema = schemaOf(`
type Player { id: ID! name: String! alias: String age: Int fee: Int64 pay: Float active: Boolean since: DateTime home: Point skills: [String!] times: [DateTime!] }
`);
const type = schema.type("Player");

type Values = Readonly<Record<string, Stored | null>>;

function content(values: Values, extra: Partial<Pick<Content, "whenCreated" | "whenUpdated">> = {}): Content {
  const none = new Map<string, Stored>();
  return { values: new Map(Object.entries(values)), whenCreated: none, whenUpdated: none, faults: [], ...extra };
}

const point = (longitude: number, latitude: number) => ({ type: "Point" as const, coordinates: [longitude, latitude] as const });

interface Case {
  readonly name: string;
  readonly before: Readonly<Record<string, Stored>>;
  readonly set?: Values;
  readonly remove?: Values;
  readonly changes: Values;
}

const cases: readonly Case[] = [
  { name: "set overwrites a scalar", before: { alias: "a" }, set: { alias: "" }, changes: { alias: "" } },
  { name: "set null changes nothing", before: { alias: "a" }, set: { alias: null, skills: null }, changes: {} },
  {
    name: "set adds to a list, each value once",
    before: { skills: ["oboe"] },
    set: { skills: ["flute", "oboe"] },
    changes: { skills: ["oboe", "flute"] },
  },
  { name: "set fills a list that is not there", before: {}, set: { skills: ["a", "a"] }, changes: { skills: ["a"] } },
  { name: "set of an empty list changes nothing", before: { skills: ["a"] }, set: { skills: [] }, changes: {} },
  {
    name: "remove null clears",
    before: { alias: "a", skills: ["a"] },
    remove: { alias: null, skills: null, age: null },
    changes: { alias: null, skills: null, age: null },
  },
  { name: "remove of an equal value", before: { age: 60 }, remove: { age: 60 }, changes: { age: null } },
  { name: "remove of another value", before: { alias: "al" }, remove: { alias: "other" }, changes: {} },
  { name: "remove of the empty text leaves a text", before: { name: "Ann" }, remove: { name: "" }, changes: {} },
  { name: "remove of the empty text takes it", before: { alias: "" }, remove: { alias: "" }, changes: { alias: null } },
  { name: "remove of false leaves true", before: { active: true }, remove: { active: false }, changes: {} },
  { name: "remove of zero leaves 1.5", before: { pay: 1.5 }, remove: { pay: 0 }, changes: {} },
  { name: "remove of the next Int64 leaves it", before: { fee: 9007199254740993n }, remove: { fee: 9007199254740992n }, changes: {} },
  { name: "remove of an equal place", before: { home: point(3, 4) }, remove: { home: point(3, 4) }, changes: { home: null } },
  { name: "remove of another place", before: { home: point(3, 4) }, remove: { home: point(4, 3) }, changes: {} },
  {
    name: "remove of the same instant in another spelling",
    before: { since: "2020-01-01T00:00:00Z" },
    remove: { since: "2020-01-01T02:00:00+02:00" },
    changes: { since: null },
  },
  {
    name: "remove of elements, unknown ones too",
    before: { skills: ["a", "b", "c"] },
    remove: { skills: ["b", "harp"] },
    changes: { skills: ["a", "c"] },
  },
  { name: "remove of the last element", before: { skills: ["a"] }, remove: { skills: ["a"] }, changes: { skills: null } },
  { name: "remove of no elements", before: { skills: ["a"] }, remove: { skills: [] }, changes: {} },
  {
    name: "an instant in another spelling is another element",
    before: { times: ["2020-01-01T00:00:00Z"] },
    remove: { times: ["2020-01-01T02:00:00+02:00"] },
    changes: {},
  },
  { name: "remove comes after set: equal", before: {}, set: { alias: "q" }, remove: { alias: "q" }, changes: { alias: null } },
  { name: "remove comes after set: the old value", before: { alias: "q" }, set: { alias: "new" }, remove: { alias: "q" }, changes: { alias: "new" } },
  {
    name: "remove comes after set: of one list",
    before: {},
    set: { skills: ["a", "b"] },
    remove: { skills: ["b", "c"] },
    changes: { skills: ["a"] },
  },
];

const stored = (values: Values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [`Player.${name}`, value]));

describe("set and remove", () => {
  it.each(cases)("change what they are meant to change: $name", ({ before, set, remove, changes }) => {
    const patch = { type, set: set && content(set), remove: remove && content(remove) };
    const present: Values = stored(before);
    const readable = new Set(fieldsToRead(patch));
    const result = patchedFields(patch, {
      current: (field) => (readable.has(field) ? (present[field] ?? undefined) : undefined),
      isSeen: () => true,
    });
    expect(result).toEqual(stored(changes));
  });

  it("applies defaults to absent fields, and not to null ones, when something is set", () => {
    const set = content({ alias: null, age: 3 }, { whenUpdated: new Map<string, Stored>(Object.entries({ alias: "touched", pay: 2 })) });
    expect(patchedFields({ type, set, remove: undefined }, { current: () => undefined, isSeen: () => true })).toEqual({
      "Player.age": 3,
      "Player.pay": 2,
    });
  });
});

describe("a new node", () => {
  it("holds no nulls and no empty lists", () => {
    expect(newFields(type, content({ name: "", alias: null, skills: [], age: 0 }))).toEqual({ "Player.name": "", "Player.age": 0 });
  });

  it("applies a default where a field is absent, or null although it is required", () => {
    const defaults = { whenCreated: new Map<string, Stored>(Object.entries({ name: "unnamed", alias: "none", age: 1 })) };
    expect(newFields(type, content({ name: null, alias: null }, defaults))).toEqual({ "Player.name": "unnamed", "Player.age": 1 });
  });
});
