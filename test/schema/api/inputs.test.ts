import { describe, expect, it } from "vitest";
import { apiOf, rootFields, shown } from "./harness.ts";

describe("Add, Patch and Ref", () => {
  it("require what the type requires in Add, and nothing outside a list in Patch and Ref", () => {
    const api = apiOf("type Pier { id: ID!  name: String!  tags: [String!]!  berths: [Berth!]!  twin: Pier }  type Berth { id: ID!  code: String }");
    expect(shown(api, "AddPierInput")).toBe("input AddPierInput { name: String! tags: [String!]! berths: [BerthRef!]! twin: PierRef }");
    expect(shown(api, "PierPatch")).toBe("input PierPatch { name: String tags: [String!] berths: [BerthRef!] twin: PierRef }");
    expect(shown(api, "PierRef")).toBe("input PierRef { id: ID name: String tags: [String!] berths: [BerthRef!] twin: PierRef }");
    expect(shown(api, "UpdatePierInput")).toBe("input UpdatePierInput { filter: PierFilter! set: PierPatch remove: PierPatch }");
  });

  it("take a Ref's only member as required if it names the object", () => {
    const byKey = apiOf("type Gate { code: String @id }");
    expect(shown(byKey, "GateRef")).toBe("input GateRef { code: String! }");
    expect(shown(byKey, "AddGateInput")).toBe("input AddGateInput { code: String }");
    const nameless = apiOf("type Gate { width: Int! }");
    expect(shown(nameless, "GateRef")).toBe("input GateRef { width: Int }");
  });

  it("reach an interface by its ID and its first key, and by one alone where there is no other", () => {
    const both = apiOf(`interface Craft { id: ID!  hull: String! @id  sign: String! @id }  type Tug implements Craft { power: Int }`);
    expect(shown(both, "CraftRef")).toBe("input CraftRef { id: ID hull: String }");
    expect(shown(both, "TugRef")).toBe("input TugRef { id: ID hull: String sign: String power: Int }");
    const one = apiOf("interface Craft { hull: String @id  name: String }  type Tug implements Craft { power: Int }");
    expect(shown(one, "CraftRef")).toBe("input CraftRef { hull: String! }");
  });

  it("leave out links to an interface that nothing names, which stay readable", () => {
    const api = apiOf(`
      interface Thing { name: String }
      type Rope implements Thing { length: Int }
      type Locker { label: String  holds: [Thing]  rope: Rope }
    `);
    expect(shown(api, "ThingRef")).toBeUndefined();
    expect(shown(api, "AddLockerInput")).toBe("input AddLockerInput { label: String rope: RopeRef }");
    expect(shown(api, "LockerHasFilter")).toBe("enum LockerHasFilter { label holds rope }");
    expect(shown(api, "Locker")).toContain("holds(filter: ThingFilter, order: ThingOrder, first: Int, offset: Int): [Thing]");
  });

  it("write places by their own inputs, and repeat descriptions of plain values only", () => {
    const api = apiOf(`type Buoy { "seen from far" light: String!  "where it lies" at: Point!  "its waters" area: [Polygon!] }`);
    expect(shown(api, "AddBuoyInput")).toBe('input AddBuoyInput { """seen from far""" light: String! at: PointRef! area: [PolygonRef!] }');
  });

  it("give interfaces an update and never an add", () => {
    const api = apiOf("interface Craft { id: ID!  name: String }  type Tug implements Craft { power: Int }");
    expect(rootFields(api, "Mutation").filter((field) => field.includes("Craft"))).toEqual([
      "updateCraft(input: UpdateCraftInput!): UpdateCraftPayload",
      "deleteCraft(filter: CraftFilter!): DeleteCraftPayload",
    ]);
    expect(shown(api, "AddCraftInput")).toBeUndefined();
    expect(shown(api, "AddCraftPayload")).toBeUndefined();
  });

  it("may be left without a value that has a default, and end with the password, also an inherited one", () => {
    const api = apiOf(`
      interface Person @secret(field: "pin") { login: String! @id }
      type Clerk implements Person { since: DateTime! @default(add: {value: "$now"})  rank: Int! @default(update: {value: "1"}) }
    `);
    expect(shown(api, "AddClerkInput")).toBe("input AddClerkInput { login: String! since: DateTime rank: Int! pin: String! }");
    expect(shown(api, "ClerkPatch")).toBe("input ClerkPatch { login: String since: DateTime rank: Int pin: String }");
    expect(shown(api, "ClerkRef")).toBe("input ClerkRef { login: String since: DateTime rank: Int pin: String }");
    expect(shown(api, "PersonPatch")).toBe("input PersonPatch { login: String pin: String }");
    expect(shown(api, "PersonRef")).toBe("input PersonRef { login: String! }");
    expect(shown(api, "Clerk")).not.toContain("pin");
    expect(shown(api, "ClerkHasFilter")).toBe("enum ClerkHasFilter { login since rank }");
  });

  it("offer each member of a union under its own name, with only the first letter made small", () => {
    const api = apiOf(`
      union Cargo = URLEntry | A_Pier
      type URLEntry { url: String }  type A_Pier { name: String }
      type Hold { id: ID!  cargo: [Cargo!]! }
    `);
    expect(shown(api, "CargoRef")).toBe("input CargoRef { uRLEntryRef: URLEntryRef a_PierRef: A_PierRef }");
    expect(shown(api, "AddHoldInput")).toBe("input AddHoldInput { cargo: [CargoRef!]! }");
    expect(api.unionInputs.get("CargoRef")?.get("uRLEntryRef")?.name).toBe("URLEntry");
  });
});

describe("the cleaning pass", () => {
  const reverse = `type Canal { barges: [Barge] @dgraph(pred: "moored") }  type Barge { canals: [Canal] @dgraph(pred: "~moored") }`;

  it("takes away inputs that hold nothing, and the mutations that need them, but no delete and no payload", () => {
    const api = apiOf(reverse);
    for (const gone of ["BargeRef", "BargePatch", "AddBargeInput", "CanalRef", "CanalPatch", "AddCanalInput", "UpdateCanalInput"]) {
      expect(shown(api, gone)).toBeUndefined();
      expect(api.inputs.has(gone)).toBe(false);
    }
    expect(rootFields(api, "Mutation")).toEqual([
      "deleteCanal(filter: CanalFilter!): DeleteCanalPayload",
      "deleteBarge(filter: BargeFilter!): DeleteBargePayload",
    ]);
    expect(shown(api, "AddCanalPayload")).toBe("type AddCanalPayload { canal(filter: CanalFilter, first: Int, offset: Int): [Canal] numUids: Int }");
    expect(shown(api, "AddBargePayload")).toBeUndefined();
    expect([...api.mutations.keys()]).toEqual(["deleteCanal", "deleteBarge"]);
  });

  it("takes only the member where another one is left", () => {
    const api = apiOf(reverse.replace("type Canal {", "type Canal { name: String "));
    expect(shown(api, "AddCanalInput")).toBe("input AddCanalInput { name: String }");
    expect(shown(api, "CanalRef")).toBe("input CanalRef { name: String }");
  });

  it("leaves types alone that hold nothing but each other", () => {
    const api = apiOf("type Knot { next: Knot }");
    expect(shown(api, "KnotRef")).toBe("input KnotRef { next: KnotRef }");
    expect(rootFields(api, "Mutation")).toHaveLength(3);
  });

  it("takes a union's Ref with the last of its members", () => {
    const api = apiOf(`${reverse}  union Afloat = Barge  type Log { day: Int  seen: Afloat }`);
    expect(shown(api, "AfloatRef")).toBeUndefined();
    expect(shown(api, "AddLogInput")).toBe("input AddLogInput { day: Int }");
    expect(shown(api, "AfloatFilter")).toBe("input AfloatFilter { memberTypes: [AfloatType!] bargeFilter: BargeFilter }");
    expect(api.unionInputs.has("AfloatRef")).toBe(false);
  });
});
