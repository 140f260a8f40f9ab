import { describe, expect, it } from "vitest";
import { deploy } from "./harness.ts";

const theatre = `
  interface Person { id: ID!  tag: String! @id  name: String @search(by: [exact]) }
  type Actor implements Person { height: Int @search  agent: Agent  roles: [Role] @hasInverse(field: actor) }
  type Agent implements Person { fee: Float }
  type Play { id: ID!  code: String! @id  title: String @search(by: [term])  year: Int @search  genres: [String]  roles: [Role] @hasInverse(field: play)  stage: Stage }
  type Role { id: ID!  key: String! @id  text: String  lines: Int @search  actor: Actor  play: Play }
  type Stage { hall: String! @id  seats: Int }
`;

async function season() {
  const api = await deploy(theatre);
  await api.seed({
    main: ["Stage", { hall: "main", seats: 500 }],
    cellar: ["Stage", { hall: "cellar" }],
    ann: ["Actor", { tag: "a1", name: "Ann", height: 170 }],
    ben: ["Actor", { tag: "a2", name: "Ben" }],
    gus: ["Agent", { tag: "g1", name: "Gus", fee: 10 }],
    gil: ["Agent", { tag: "g2" }],
    p1: ["Play", { code: "p1", title: "Red Storm", year: 2001, genres: ["drama"], stage: "main" }],
    p2: ["Play", { code: "p2", title: "Blue Storm", stage: "cellar" }],
    p3: ["Play", { code: "p3", title: "", year: 2003 }],
    p4: ["Play", { code: "p4", year: 2004, genres: ["drama", "farce"] }],
    r1: ["Role", { key: "r1", text: "King", lines: 100, play: "p1", actor: "ann" }],
    r2: ["Role", { key: "r2", lines: 5, play: "p1", actor: "ben" }],
    r3: ["Role", { key: "r3", text: "Fool", play: "p2", actor: "ann" }],
    r4: ["Role", { key: "r4", text: "Ghost", lines: 1, play: "p4" }],
  });
  return api;
}

/** Codes of the plays that `{ queryPlay<rest> }` gives. */
async function codes(rest: string, variables: Record<string, unknown> = {}): Promise<string> {
  const api = await season();
  const { data, errors } = await api.ask(`query q${"c" in variables ? "($c: [String])" : ""} { queryPlay${rest} }`, variables);
  if (errors) return errors.map((error) => error.message).join("\n");
  return (data as { queryPlay: { code: string }[] }).queryPlay.map((play) => play.code).join(" ");
}

describe("@cascade on a list", () => {
  it.each([
    ["every selected value must be there; the empty text is one", "@cascade { code title }", "p1 p2 p3"],
    ["a list of values must hold one", "@cascade { code genres }", "p1 p4"],
    ["id and __typename are always there", "@cascade { code id __typename }", "p1 p2 p3 p4"],
    ["under aliases", "@cascade { code t: title y: year }", "p1 p3"],
    ["a link must be there", "@cascade { code stage { hall } }", "p1 p2"],
    ["and have what is asked of it", "@cascade { code stage { hall seats } }", "p1"],
    ["a list of links must hold one", "@cascade { code roles { key } }", "p1 p2 p4"],
    ["three levels down", "@cascade { code roles { key actor { height } } }", "p1 p2"],
    ["after the link's own filter", "@cascade { code roles(filter: {lines: {ge: 50}}) { key } }", "p1"],
    ["after the link's own offset", "@cascade { code roles(offset: 1) { key } }", "p1"],
    ["the last ones know no offset", "@cascade { code roles(first: -1, offset: 1) { key } }", "p1 p2 p4"],
    ["two aliases of one list: both", "@cascade { code a: roles(filter: {lines: {ge: 50}}) { key } b: roles(offset: 2) { key } }", ""],
    ["the named fields only", `@cascade(fields: ["year"]) { code title year }`, "p1 p3 p4"],
    ["a single name", `@cascade(fields: "year") { code year }`, "p1 p3 p4"],
    ["several and repeated names", `@cascade(fields: ["year", "title", "year"]) { code title year }`, "p1 p3"],
    ["only those that are selected", `@cascade(fields: ["year"]) { code title }`, "p1 p2 p3 p4"],
    ["the id asks for nothing", `@cascade(fields: ["id"]) { code title }`, "p1 p2 p3 p4"],
    ["a link by name; its own fields are free", `@cascade(fields: ["stage"]) { code stage { seats } }`, "p1 p2"],
    ["no names: all", "@cascade(fields: []) { code title year }", "p1 p3"],
    ["null: all", "@cascade(fields: null) { code title year }", "p1 p3"],
    ["on a scalar it means nothing", "{ code year @cascade }", "p1 p2 p3 p4"],
    ["skipped fields do not count", "@cascade { code title year @include(if: false) }", "p1 p2 p3"],
    ["fields of fragments do", "@cascade { code ... on Play { year } }", "p1 p3 p4"],
    ["a measure of nothing is no value", "@cascade { code rolesAggregate { linesSum } }", "p1 p4"],
    ["each measure needs one", "@cascade { code rolesAggregate { linesMax textMin } }", "p1 p4"],
    ["a count is always there", "@cascade { code rolesAggregate { count __typename } }", "p1 p2 p3 p4"],
    ["a measure after the aggregate's own filter", "@cascade { code rolesAggregate(filter: {lines: {lt: 5}}) { linesSum } }", "p4"],
    [
      "two aliases of one aggregate: both",
      "@cascade { code rolesAggregate { linesSum } b: rolesAggregate(filter: {lines: {ge: 50}}) { linesAvg } }",
      "p1",
    ],
    ["a skipped measure does not count", "@cascade { code rolesAggregate { count linesSum @skip(if: true) } }", "p1 p2 p3 p4"],
    ["an aggregate by name", `@cascade(fields: ["rolesAggregate"]) { code title rolesAggregate { linesSum } }`, "p1 p4"],
    ["an aggregate that is not named", `@cascade(fields: ["year"]) { code year rolesAggregate { linesSum } }`, "p1 p3 p4"],
    ["a named link does not mean its aggregate", `@cascade(fields: ["roles"]) { code roles { key } rolesAggregate { linesSum } }`, "p1 p2 p4"],
    ["a measure two levels down", "@cascade { code roles { key play { rolesAggregate { linesMin } } } }", "p1 p4"],
    ["the page is filled with those that stay", "(order: {asc: code}, first: 2) @cascade { code year }", "p1 p3"],
    ["and skips those that stay", "(order: {asc: code}, first: 2, offset: 1) @cascade { code year }", "p3 p4"],
    ["the last of those that stay", "(first: -1) @cascade { code title }", "p3"],
  ])("keeps the objects that have what is required: %s", async (_, rest, expected) => {
    expect(await codes(rest.startsWith("(") || rest.startsWith("@") || rest.startsWith("{") ? rest : ` ${rest}`)).toBe(expected);
  });

  it.each([
    [["year"], "p1 p3 p4"],
    [["title", "year"], "p1 p3"],
    [[], "p1 p3"],
    [null, "p1 p3"],
  ])("takes names from a variable: %j", async (c, expected) => {
    expect(await codes("@cascade(fields: $c) { code title year }", { c })).toBe(expected);
  });
});

describe("@cascade below", () => {
  it("removes incomplete objects of a nested list and keeps the parents", async () => {
    const api = await season();
    expect(await api.ask("{ queryPlay { code roles @cascade { key text } stage @cascade { seats } } }")).toEqual({
      data: {
        queryPlay: [
          { code: "p1", roles: [{ key: "r1", text: "King" }], stage: { seats: 500 } },
          { code: "p2", roles: [{ key: "r3", text: "Fool" }], stage: null },
          { code: "p3", roles: [], stage: null },
          { code: "p4", roles: [{ key: "r4", text: "Ghost" }], stage: null },
        ],
      },
    });
  });

  it("overrides an inherited cascade at its level and below", async () => {
    const api = await season();
    expect(await api.ask(`{ queryPlay @cascade { code roles @cascade(fields: ["text"]) { key text lines actor { height } } } }`)).toEqual({
      data: {
        queryPlay: [
          { code: "p1", roles: [{ key: "r1", text: "King", lines: 100, actor: { height: 170 } }] },
          { code: "p2", roles: [{ key: "r3", text: "Fool", lines: null, actor: { height: 170 } }] },
          { code: "p4", roles: [{ key: "r4", text: "Ghost", lines: 1, actor: null }] },
        ],
      },
    });
  });

  it("inherits names wherever the same field occurs below", async () => {
    const api = await season();
    const asked = `{ queryPlay(filter: {title: {anyofterms: "storm"}}) @cascade(fields: ["year"]) { code year roles { key play { code year } } } }`;
    expect(await api.ask(asked)).toEqual({
      data: { queryPlay: [{ code: "p1", year: 2001, roles: ["r1", "r2"].map((key) => ({ key, play: { code: "p1", year: 2001 } })) }] },
    });
  });

  it("pages a nested list after the removal", async () => {
    const api = await season();
    expect(await api.ask(`{ getPlay(code: "p1") { roles(order: {desc: key}, first: 1) @cascade { key text } } }`)).toEqual({
      data: { getPlay: { roles: [{ key: "r1", text: "King" }] } },
    });
  });
});

describe("@cascade elsewhere", () => {
  it("makes the answer of a get null", async () => {
    const api = await season();
    expect(
      await api.ask(
        `{ a: getPlay(code: "p1") @cascade { title year } b: getPlay(code: "p2") @cascade { title year } c: getPlay(code: "p2") @cascade(fields: ["title"]) { title year } }`,
      ),
    ).toEqual({
      data: { a: { title: "Red Storm", year: 2001 }, b: null, c: { title: "Blue Storm", year: null } },
    });
  });

  it("counts a field of another type's fragment as missing", async () => {
    const api = await season();
    const one = await api.ask("{ queryPerson(order: {asc: tag}) @cascade { tag ... on Actor { height } } }");
    const both = await api.ask("{ queryPerson @cascade { tag ... on Actor { height } ... on Agent { fee } } }");
    const named = await api.ask(`{ queryPerson(order: {asc: tag}) @cascade(fields: ["name"]) { tag name ... on Agent { fee } } }`);
    expect(one.data).toEqual({ queryPerson: [{ tag: "a1", height: 170 }] });
    expect(both.data).toEqual({ queryPerson: [] });
    expect(named.data).toEqual({
      queryPerson: [
        { tag: "a1", name: "Ann" },
        { tag: "a2", name: "Ben" },
        { tag: "g1", name: "Gus", fee: 10 },
      ],
    });
  });

  it("does not change aggregates", async () => {
    const api = await season();
    expect(await api.ask("{ aggregatePlay @cascade { count yearMin titleMin } }")).toEqual({
      data: { aggregatePlay: { count: 4, yearMin: 2001, titleMin: "" } },
    });
  });

  it("asks for a measure on the types that select it", async () => {
    const api = await season();
    const asked = `{ queryPerson(order: {asc: tag}) @cascade { tag ... on Actor { rolesAggregate { linesMax } } } }`;
    expect(await api.ask(asked)).toEqual({
      data: {
        queryPerson: [
          { tag: "a1", rolesAggregate: { linesMax: 100 } },
          { tag: "a2", rolesAggregate: { linesMax: 5 } },
        ],
      },
    });
  });

  it("makes the answer of a get null for a measure of nothing", async () => {
    const api = await season();
    const get = (code: string) => `getPlay(code: "${code}") @cascade { rolesAggregate { linesSum } }`;
    expect(await api.ask(`{ a: ${get("p1")} b: ${get("p2")} }`)).toEqual({ data: { a: { rolesAggregate: { linesSum: 105 } }, b: null } });
  });

  it("applies to the list of a payload", async () => {
    const api = await season();
    const ids = (await api.ask("{ queryPlay { id } }")).data as { queryPlay: { id: string }[] };
    const asked = `mutation { a: updatePlay(input: {filter: {}}) @cascade { numUids play { code year } } b: updatePlay(input: {filter: {}}) @cascade(fields: ["play"]) { play(first: 2) { code year } } }`;
    expect(await api.payload(asked, { ids: ids.queryPlay.map((each) => each.id), numUids: 4 })).toEqual({
      data: {
        a: {
          numUids: 4,
          play: [
            { code: "p1", year: 2001 },
            { code: "p3", year: 2003 },
            { code: "p4", year: 2004 },
          ],
        },
        b: {
          play: [
            { code: "p1", year: 2001 },
            { code: "p2", year: null },
          ],
        },
      },
    });
  });
});
