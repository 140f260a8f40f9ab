// The same key several times in one request: the table of operations.md 3.4.

import { describe, expect, it } from "vitest";
import type { RawObject } from "../../core/mutation/input/input-tree.ts";
import { matchKeys } from "../../core/mutation/keys/request-keys.ts";
import { nodeAt, readAdd, schemaOf } from "./facts.ts";

const archive = schemaOf(`
type Film { code: String! @id  title: String  studio: Studio  cast: [Person!]  reels: [Reel!]  sequel: Film  related: [Film] @hasInverse(field: related) }
type Studio { name: String! @id  city: String!  films: [Film] @hasInverse(field: studio) }
type Person { id: ID!  email: String @id  tag: String @id  name: String! }
type Reel { id: ID!  label: String! }
type Ledger { seq: Int64! @id  next: Ledger }
interface Worker { id: ID!  badge: String! @id(interface: true)  team: Team }
type Cook implements Worker { stars: Int }
type Porter implements Worker { floor: Int }
type Team { title: String! @id  members: [Worker!] @hasInverse(field: team)  leader: Worker  cook: Cook  porter: Porter }
`);

function problems(type: string, ...objects: RawObject[]): readonly string[] {
  const tree = readAdd(archive, type, objects);
  return [...tree.problems, ...matchKeys(tree, archive.facts).problems].map(({ message, compatible = message }) => compatible);
}

interface Case {
  readonly name: string;
  readonly type?: string;
  readonly input: readonly RawObject[];
  readonly problems: readonly string[];
}

const cases: readonly Case[] = [
  { name: "twice at the top, equal", input: [{ code: "A" }, { code: "A" }], problems: ["duplicate XID found: A"] },
  {
    name: "each further mention at the top is a fault of its own",
    input: [{ code: "C" }, { code: "C" }, { code: "E" }, { code: "E" }, { code: "E" }],
    problems: ["duplicate XID found: C", "duplicate XID found: E", "duplicate XID found: E"],
  },
  { name: "keys differ by letter case", input: [{ code: "A" }, { code: "a" }], problems: [] },
  {
    name: "nested twice, equal",
    input: [
      {
        code: "G",
        cast: [
          { email: "x", name: "X" },
          { name: "X", email: "x" },
        ],
      },
    ],
    problems: [],
  },
  {
    name: "nested twice, different",
    input: [
      {
        code: "G",
        cast: [
          { email: "z", name: "Z" },
          { email: "z", name: "ZZ" },
        ],
      },
    ],
    problems: ["duplicate XID found: z"],
  },
  { name: "nested twice, content first", input: [{ code: "G", cast: [{ email: "a", name: "A" }, { email: "a" }] }], problems: [] },
  { name: "nested twice, content last", input: [{ code: "G", cast: [{ email: "b" }, { email: "b", name: "B" }] }], problems: [] },
  {
    name: "null counts as absent",
    input: [
      {
        code: "G",
        cast: [
          { email: "b", name: null },
          { email: "b", name: "B" },
        ],
      },
    ],
    problems: [],
  },
  {
    name: "top and below by key, below first",
    input: [
      { code: "H1", sequel: { code: "H2" } },
      { code: "H2", title: "Two" },
    ],
    problems: [],
  },
  { name: "top and below by key, top first", input: [{ code: "H9" }, { code: "H10", sequel: { code: "H9" } }], problems: [] },
  {
    name: "top described equally below, below first",
    input: [
      { code: "H5", sequel: { code: "H6", title: "Six" } },
      { code: "H6", title: "Six" },
    ],
    problems: ["id H6 already exists for field code inside type Film"],
  },
  {
    name: "top described equally below, top first",
    input: [
      { code: "H6", title: "Six" },
      { code: "H5", sequel: { code: "H6", title: "Six" } },
    ],
    problems: [],
  },
  {
    name: "top described differently below",
    input: [
      { code: "H7", sequel: { code: "H8", title: "Eight" } },
      { code: "H8", title: "Ate" },
    ],
    problems: ["duplicate XID found: H8"],
  },
  { name: "itself by key", input: [{ code: "J1", sequel: { code: "J1" } }], problems: [] },
  {
    name: "itself with content",
    input: [{ code: "J2", title: "Loop", sequel: { code: "J2", title: "Loop" } }],
    problems: ["duplicate XID found: J2"],
  },
  { name: "itself by an inverse list", input: [{ code: "J3", related: [{ code: "J3" }] }], problems: [] },
  {
    name: "several keys tied together by a description before",
    input: [{ code: "L1", cast: [{ email: "m", tag: "m", name: "M" }, { email: "m" }, { tag: "m" }] }],
    problems: [],
  },
  {
    name: "several keys tied together only later",
    input: [{ code: "L2", cast: [{ email: "n" }, { tag: "n" }, { email: "n", tag: "n", name: "N" }] }],
    problems: ["multiple nodes found for given xid values, updation not possible"],
  },
  {
    name: "keys of two described objects crossed",
    input: [
      {
        code: "L3",
        cast: [
          { email: "o", tag: "o", name: "O" },
          { email: "p", tag: "o", name: "P" },
        ],
      },
    ],
    problems: ["duplicate XID found: o"],
  },
  { name: "same text as keys of two types", input: [{ code: "M1", studio: { name: "M1", city: "c" } }], problems: [] },
  {
    name: "same text in two key fields",
    input: [
      {
        code: "M2",
        cast: [
          { email: "s", name: "S" },
          { tag: "s", name: "T" },
        ],
      },
    ],
    problems: [],
  },
  { name: "objects without keys are never the same", input: [{ code: "M3", reels: [{ label: "same" }, { label: "same" }] }], problems: [] },
  {
    name: "a child of a single inverse under two parents",
    type: "Studio",
    input: [
      { name: "S1", city: "c", films: [{ code: "N2" }] },
      { name: "S2", city: "c", films: [{ code: "N2" }] },
    ],
    problems: ["duplicate XID found: N2"],
  },
  {
    name: "a child twice under one parent",
    type: "Studio",
    input: [{ name: "S1", city: "c", films: [{ code: "N2" }, { code: "N2" }] }],
    problems: [],
  },
  {
    name: "a parent of a list inverse above two children",
    input: [
      { code: "G7", studio: { name: "Pathe", city: "Paris" } },
      { code: "G8", studio: { name: "Pathe" } },
    ],
    problems: [],
  },
  {
    name: "what the child says of its single way back is dropped",
    type: "Studio",
    input: [{ name: "T", city: "B", films: [{ code: "N1", studio: { name: "" } }] }],
    problems: [],
  },
  { name: "Int64 keys in two spellings", type: "Ledger", input: [{ seq: 7n }, { seq: 7n }], problems: ["duplicate XID found: 7"] },
  { name: "Int64 keys beyond double precision", type: "Ledger", input: [{ seq: 9007199254740993n }, { seq: 9007199254740992n }], problems: [] },
  {
    name: "an interface's key in two types",
    type: "Team",
    input: [{ title: "t", cook: { badge: "c" }, porter: { badge: "c" } }],
    problems: ["duplicate XID found: c"],
  },
  {
    name: "a single link and a list with an inverse to one object",
    type: "Team",
    input: [{ title: "t", members: [{ badge: "p" }], leader: { badge: "p" } }],
    problems: [],
  },
  {
    name: "one existing object by ID under two parents",
    type: "Team",
    input: [
      { title: "a", members: [{ id: "0x5" }] },
      { title: "b", members: [{ id: "0x5" }] },
    ],
    problems: [],
  },
];

describe("a key several times in one request", () => {
  it.each(cases)("is one object, or refused where it is described twice: $name", ({ type = "Film", input, problems: expected }) => {
    expect(problems(type, ...input)).toEqual(expected);
  });

  it("creates one object from the full description, wherever it occurs", () => {
    const tree = readAdd(archive, "Film", [{ code: "G4", cast: [{ email: "b" }, { email: "b", name: "B" }] }]);
    const entities = matchKeys(tree, archive.facts);
    const bare = nodeAt(tree, [0, "cast", 0]);
    const full = nodeAt(tree, [0, "cast", 1]);
    expect(entities.of.get(bare)).toBe(entities.of.get(full));
    expect(entities.of.get(bare)?.definition).toBe(full);
  });

  it("resolves a reference through an interface to the object that the request defines", () => {
    const tree = readAdd(archive, "Team", [{ title: "t", leader: { badge: "c" }, cook: { badge: "c", stars: 2 } }]);
    expect(matchKeys(tree, archive.facts).of.get(nodeAt(tree, [0, "leader"]))?.definition).toBe(nodeAt(tree, [0, "cook"]));
  });
});

describe("faults found without reading data", () => {
  it.each([
    { name: "an empty key", input: { code: "" }, expected: ["encountered an empty value for @id field `Film.code`"] },
    { name: "an empty key below", input: { code: "A", studio: { name: "" } }, expected: ["encountered an empty value for @id field `Studio.name`"] },
    { name: "a blank key is a key", input: { code: " " }, expected: [] },
    {
      name: "text that is no ID",
      input: { code: "A", reels: [{ id: "pier" }, { id: "" }] },
      expected: ["ID argument (pier) was not able to be parsed", "ID argument () was not able to be parsed"],
    },
    { name: "an ID makes all else meaningless", input: { code: "A", cast: [{ id: "0x1", email: "" }] }, expected: [] },
    { name: "a null ID is none", input: { code: "A", cast: [{ id: null, email: "e" }] }, expected: [] },
  ])("are reported, and what is none is not: $name", ({ input, expected }) => {
    expect(problems("Film", input)).toEqual(expected);
  });
});
