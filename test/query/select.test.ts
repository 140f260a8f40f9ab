import { describe, expect, it } from "vitest";
import { deploy } from "./harness.ts";

const airport = `
  interface Staff { id: ID!  badge: String! @id  name: String  mate: Staff }
  interface Licensed { license: String @search(by: [hash]) }
  type Pilot implements Staff & Licensed { hours: Int  flights: [Flight] @hasInverse(field: pilot) }
  type Guard implements Staff { post: String  radio: Int }
  type Flight { no: String! @id  delay: Int  pilot: Pilot  load: [Load]  best: Load  crew: [Staff]  seats: [String!] }
  type Bag { id: ID!  weight: Float @search  owner: String @search(by: [hash]) }
  type Box { mark: String! @id  weight: Int @search }
  type Pet { id: ID!  kind: String  owner: String }
  union Load = Bag | Box | Pet
`;

async function apron() {
  const api = await deploy(airport);
  await api.seed({
    pia: ["Pilot", { badge: "p1", name: "Pia", license: "L1", hours: 900, mate: "gil" }],
    gil: ["Guard", { badge: "g1", name: "Gil", post: "gate", radio: 4, mate: "pia" }],
    pax: ["Pilot", { badge: "p2" }],
    bag: ["Bag", { weight: 20.5, owner: "Ida" }],
    box: ["Box", { mark: "X", weight: 7 }],
    pet: ["Pet", { kind: "cat", owner: "Ida" }],
    f1: ["Flight", { no: "F1", delay: 5, pilot: "pia", crew: ["pia", "gil"], seats: ["1A"], load: ["bag", "box", "pet"], best: "box" }],
    f2: ["Flight", { no: "F2" }],
  });
  return api;
}

/** The answer to `{ getFlight(no: "F1") <selection> }`. */
async function flight(selection: string, more = ""): Promise<unknown> {
  const api = await apron();
  const { data, errors } = await api.ask(`{ getFlight(no: "F1") ${selection} } ${more}`);
  expect(errors).toBeUndefined();
  return (data as { getFlight: unknown }).getFlight;
}

describe("@skip and @include", () => {
  it.each([
    ["skip", "{ no delay @skip(if: true) }", { no: "F1" }],
    ["include", "{ no delay @include(if: false) }", { no: "F1" }],
    ["both must let it in", "{ no delay @skip(if: false) @include(if: true) }", { no: "F1", delay: 5 }],
    ["one of them is not enough", "{ no delay @skip(if: true) @include(if: true) }", { no: "F1" }],
    ["a link", "{ no pilot @skip(if: true) { badge } }", { no: "F1" }],
    ["everything", "{ no @skip(if: true) }", {}],
    ["all but the type", "{ __typename no @skip(if: true) }", { __typename: "Flight" }],
    ["a fragment", "{ no ... on Flight @skip(if: true) { delay } }", { no: "F1" }],
    ["once skipped and once not", "{ no @skip(if: true) delay no }", { delay: 5, no: "F1" }],
    ["members of an aggregate", "{ no crewAggregate { count @skip(if: true) badgeMin } }", { no: "F1", crewAggregate: { badgeMin: "g1" } }],
  ])("leave out what they exclude: %s", async (_, selection, expected) => {
    const given = await flight(selection);
    expect(given).toEqual(expected);
    expect(Object.keys(given as object)).toEqual(Object.keys(expected));
  });

  it("depend on the variables of each request", async () => {
    const api = await apron();
    const text = `query q($long: Boolean!, $root: Boolean = false) { getFlight(no: "F1") { no delay @include(if: $long) pilot @skip(if: $long) { badge } } other: getFlight(no: "F2") @include(if: $root) { no } }`;
    expect(await api.ask(text, { long: true })).toEqual({ data: { getFlight: { no: "F1", delay: 5 } } });
    expect(await api.ask(text, { long: false, root: true })).toEqual({
      data: { getFlight: { no: "F1", pilot: { badge: "p1" } }, other: { no: "F2" } },
    });
    expect(await api.ask(text, { long: true })).toEqual({ data: { getFlight: { no: "F1", delay: 5 } } });
  });
});

describe("names in the answer", () => {
  it.each([
    ["aliases", "{ number: no no: delay }", { number: "F1", no: 5 }],
    ["two of one field", "{ a: no b: no }", { a: "F1", b: "F1" }],
    ["the same field twice", "{ no delay no }", { no: "F1", delay: 5 }],
    ["links merge", "{ pilot { badge } no pilot { name badge } }", { pilot: { badge: "p1", name: "Pia" }, no: "F1" }],
    [
      "lists with equal arguments merge",
      "{ crew(first: 1, offset: 0) { badge } crew(offset: 0, first: 1) { name } }",
      { crew: [{ badge: "p1", name: "Pia" }] },
    ],
    ["lists under aliases do not", "{ a: crew(first: 1) { badge } b: crew(offset: 1) { badge } }", { a: [{ badge: "p1" }], b: [{ badge: "g1" }] }],
  ])("follow aliases, and equal fields merge: %s", async (_, selection, expected) => {
    const given = await flight(selection);
    expect(JSON.stringify(given)).toBe(JSON.stringify(expected));
  });
});

describe("fragments", () => {
  it("apply wherever their type condition holds", async () => {
    expect(
      await flight(
        "{ ...top ... { seats } ... on Flight { pilot { ...who } } }",
        "fragment top on Flight { no ...more } fragment more on Flight { delay } fragment who on Pilot { badge }",
      ),
    ).toEqual({
      no: "F1",
      delay: 5,
      seats: ["1A"],
      pilot: { badge: "p1" },
    });
  });

  it("may be spread in several root fields", async () => {
    const api = await apron();
    expect(
      await api.ask(
        `{ ...roots b: getFlight(no: "F2") { ...d } } fragment roots on Query { a: getFlight(no: "F1") { ...d } } fragment d on Flight { no delay }`,
      ),
    ).toEqual({
      data: { a: { no: "F1", delay: 5 }, b: { no: "F2", delay: null } },
    });
  });

  it("on an interface select its fields, those of implementing types and of another interface", async () => {
    expect(await flight("{ crew { __typename badge ... on Pilot { hours } ... on Guard { radio post } ... on Licensed { license } } }")).toEqual({
      crew: [
        { __typename: "Pilot", badge: "p1", hours: 900, license: "L1" },
        { __typename: "Guard", badge: "g1", radio: 4, post: "gate" },
      ],
    });
  });

  it("merge a link of the interface with the selection of one type", async () => {
    expect(await flight("{ crew { mate { badge } ... on Guard { mate { name } } } }")).toEqual({
      crew: [{ mate: { badge: "g1" } }, { mate: { badge: "p1", name: "Pia" } }],
    });
  });

  it("leave an object without a matching fragment as {}", async () => {
    expect(await flight("{ crew { ... on Guard { post } } load { ... on Box { mark } } }")).toEqual({
      crew: [{}, { post: "gate" }],
      load: [{}, { mark: "X" }, {}],
    });
  });
});

describe("unions", () => {
  it.each([
    [
      "every member with its own fields",
      "{ load { __typename ... on Bag { w: weight } ... on Box { mark v: weight } ... on Load { ... on Pet { kind } } } }",
      [
        { __typename: "Bag", w: 20.5 },
        { __typename: "Box", mark: "X", v: 7 },
        { __typename: "Pet", kind: "cat" },
      ],
    ],
    ["chosen members", "{ load(filter: {memberTypes: [Box, Pet]}) { __typename } }", [{ __typename: "Box" }, { __typename: "Pet" }]],
    ["one member without a list", "{ load(filter: {memberTypes: Box}) { __typename } }", [{ __typename: "Box" }]],
    ["no members", "{ load(filter: {memberTypes: []}) { __typename } }", []],
    [
      "null: all members",
      "{ load(filter: {memberTypes: null}) { __typename } }",
      [{ __typename: "Bag" }, { __typename: "Box" }, { __typename: "Pet" }],
    ],
    [
      "a member's filter leaves the others",
      "{ load(filter: {bagFilter: {weight: {gt: 30}}}) { __typename } }",
      [{ __typename: "Box" }, { __typename: "Pet" }],
    ],
    [
      "a filter of a member not chosen is ignored",
      "{ load(filter: {memberTypes: [Bag], boxFilter: {weight: {gt: 30}}}) { __typename } }",
      [{ __typename: "Bag" }],
    ],
    ["pages", "{ load(offset: 1, first: 1) { __typename } }", [{ __typename: "Box" }]],
    ["beyond the end", "{ load(offset: 3) { __typename } }", []],
  ])("show the members that are asked for: %s", async (_, selection, expected) => {
    expect(await flight(selection)).toEqual({ load: expected });
  });

  it("resolve to a single object or null", async () => {
    expect(
      await flight(
        "{ best { ... on Box { mark } } no: best(filter: {memberTypes: [Bag]}) { __typename } none: best(filter: {memberTypes: []}) { __typename } }",
      ),
    ).toEqual({
      best: { mark: "X" },
      no: null,
      none: null,
    });
  });
});
