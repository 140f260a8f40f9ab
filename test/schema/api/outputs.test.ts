import { describe, expect, it } from "vitest";
import { apiOf, rootFields, shown } from "./harness.ts";

describe("fields of a type", () => {
  it("have a filter if they are links, and order and page arguments if they are lists", () => {
    const api = apiOf(`
      type Pier { name: String  boats: [Boat]  guard: Boat  seen: [Afloat]  last: Afloat  tags: [String]  at: Point }
      type Boat { name: String }
      union Afloat = Boat
    `);
    expect(shown(api, "Pier")).toBe(
      "type Pier { name: String boats(filter: BoatFilter, order: BoatOrder, first: Int, offset: Int): [Boat] guard(filter: BoatFilter): Boat " +
        "seen(filter: AfloatFilter, first: Int, offset: Int): [Afloat] last(filter: AfloatFilter): Afloat tags: [String] at: Point " +
        "boatsAggregate(filter: BoatFilter): BoatAggregateResult }",
    );
  });

  it("keep the declared arguments and their defaults first", () => {
    const api = apiOf("type Pier { boats(wide: Boolean = true): [Boat]  length(unit: String!): Int }  type Boat { on: Boolean }");
    expect(shown(api, "Pier")).toContain("boats(wide: Boolean = true, filter: BoatFilter, first: Int, offset: Int): [Boat]");
    expect(shown(api, "Pier")).toContain("length(unit: String!): Int");
  });

  it("are recorded with their meaning, including aggregates of lists", () => {
    const { outputs } = apiOf(
      `interface Craft { id: ID!  crew: [Sailor] }  type Tug implements Craft @secret(field: "pin") { power: Int }  type Sailor { name: String }`,
    );
    const tug = outputs.get("Tug");
    if (tug?.kind !== "node") throw new Error("Tug is a node type");
    expect([...tug.fields].map(([name, { kind }]) => [name, kind])).toEqual([
      ["id", "field"],
      ["crew", "field"],
      ["power", "field"],
      ["crewAggregate", "aggregate"],
    ]);
    expect(outputs.get("Point")).toEqual({ kind: "geo" });
    expect(outputs.get("DeleteTugPayload")).toMatchObject({ kind: "payload", list: "tug" });
    expect(outputs.has("AddCraftPayload")).toBe(false);
  });
});

describe("aggregates", () => {
  const api = apiOf(`
    type Boat {
      id: ID!  seats: Int!  weight: Int64  speed: Float  name: String  built: DateTime  open: Boolean  kind: Kind  tags: [Int]
      both: String @dgraph(pred: "Boat.text@hi:en")  count: Int
    }
    enum Kind { SAIL STEAM }
  `);

  it("have nullable measures by type, with averages as Float", () => {
    expect(shown(api, "BoatAggregateResult")).toBe(
      "type BoatAggregateResult { count: Int seatsMin: Int seatsMax: Int seatsSum: Int seatsAvg: Float " +
        "weightMin: Int64 weightMax: Int64 weightSum: Int64 weightAvg: Float speedMin: Float speedMax: Float speedSum: Float speedAvg: Float " +
        "nameMin: String nameMax: String builtMin: DateTime builtMax: DateTime bothMin: String bothMax: String " +
        "countMin: Int countMax: Int countSum: Int countAvg: Float }",
    );
  });

  it("are recorded as measures of stored fields with the kind of their result", () => {
    const boat = api.outputs.get("BoatAggregateResult");
    if (boat?.kind !== "aggregate") throw new Error("BoatAggregateResult is an aggregate");
    expect(boat.measures.get("count")).toEqual({ measure: { kind: "count" }, kind: "int", field: undefined });
    expect(boat.measures.get("weightSum")).toMatchObject({ measure: { kind: "sum", field: "Boat.weight" }, kind: "int64" });
    expect(boat.measures.get("weightAvg")).toMatchObject({ measure: { kind: "avg", field: "Boat.weight" }, kind: "float" });
    expect(boat.measures.get("countMax")).toMatchObject({ measure: { kind: "max", field: "Boat.count" }, kind: "int" });
  });

  it("exist for a type without measurable fields", () => {
    expect(shown(apiOf("type Switch { on: Boolean }"), "SwitchAggregateResult")).toBe("type SwitchAggregateResult { count: Int }");
  });
});

describe("root fields", () => {
  it("require the single identifier of get, and make several optional", () => {
    const api = apiOf(`
      type One { id: ID  a: Int }
      type Two { code: Int64 @id  a: Int }
      type Three { id: ID!  code: String! @id  tag: Int @id }
      type None { a: Int }
    `);
    expect(rootFields(api, "Query").filter((field) => field.startsWith("get"))).toEqual([
      "getOne(id: ID!): One",
      "getTwo(code: Int64!): Two",
      "getThree(id: ID, code: String, tag: Int): Three",
    ]);
  });

  it("are ordered by type, with the password check between get and query", () => {
    const api = apiOf(`type Clerk @secret(field: "pin") { id: ID  login: String! @id }  type A { b: Int }`);
    expect(rootFields(api, "Query")).toEqual([
      "getClerk(id: ID, login: String): Clerk",
      "checkClerkPassword(id: ID, pin: String!): Clerk",
      "queryClerk(filter: ClerkFilter, order: ClerkOrder, first: Int, offset: Int): [Clerk]",
      "aggregateClerk(filter: ClerkFilter): ClerkAggregateResult",
      "queryA(filter: AFilter, order: AOrder, first: Int, offset: Int): [A]",
      "aggregateA(filter: AFilter): AAggregateResult",
    ]);
    expect([...api.queries].map(([name, { kind }]) => `${name} ${kind}`)).toEqual([
      "getClerk get",
      "checkClerkPassword plugin",
      "queryClerk query",
      "aggregateClerk aggregate",
      "queryA query",
      "aggregateA aggregate",
    ]);
  });

  it("have an upsert argument for add only if the type has a key", () => {
    const api = apiOf("type Boat { code: String! @id }  type Box { id: ID!  size: Int }");
    expect(rootFields(api, "Mutation")).toEqual([
      "addBoat(input: [AddBoatInput!]!, upsert: Boolean): AddBoatPayload",
      "updateBoat(input: UpdateBoatInput!): UpdateBoatPayload",
      "deleteBoat(filter: BoatFilter!): DeleteBoatPayload",
      "addBox(input: [AddBoxInput!]!): AddBoxPayload",
      "updateBox(input: UpdateBoxInput!): UpdateBoxPayload",
      "deleteBox(filter: BoxFilter!): DeleteBoxPayload",
    ]);
  });

  it("return payloads whose list is named after the type; a delete payload has msg before numUids", () => {
    const api = apiOf("type URLEntry { url: String }  type _dock { on: Boolean }");
    const list = "uRLEntry(filter: URLEntryFilter, order: URLEntryOrder, first: Int, offset: Int): [URLEntry]";
    expect(shown(api, "AddURLEntryPayload")).toBe(`type AddURLEntryPayload { ${list} numUids: Int }`);
    expect(shown(api, "DeleteURLEntryPayload")).toBe(`type DeleteURLEntryPayload { ${list} msg: String numUids: Int }`);
    expect(shown(api, "Update_dockPayload")).toBe(
      "type Update_dockPayload { _dock(filter: _dockFilter, first: Int, offset: Int): [_dock] numUids: Int }",
    );
  });

  it("disappear with their inputs and payloads if disabled, while Ref and Filter remain", () => {
    const api = apiOf(`
      type Boat @generate(query: {get: false, aggregate: false}, mutation: {add: false, update: false, delete: false}) { id: ID!  name: String }
    `);
    expect(rootFields(api, "Query")).toEqual(["queryBoat(filter: BoatFilter, order: BoatOrder, first: Int, offset: Int): [Boat]"]);
    expect(api.schema.getMutationType()).toBeUndefined();
    for (const gone of ["AddBoatInput", "BoatPatch", "UpdateBoatInput", "AddBoatPayload", "UpdateBoatPayload", "DeleteBoatPayload"]) {
      expect(shown(api, gone)).toBeUndefined();
      expect(api.outputs.has(gone)).toBe(false);
    }
    for (const kept of ["BoatRef", "BoatFilter", "BoatAggregateResult", "BoatHasFilter"]) expect(shown(api, kept)).toBeDefined();
  });
});
