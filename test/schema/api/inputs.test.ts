import { describe, expect, it } from "vitest";
import { apiOf, rootFields, shown } from "./harness.ts";

describe("Add, Patch and Ref", () => {
  it("require the type's non-null fields in Add, and no fields in Patch and Ref", () => {
    const api = apiOf("type Pier { id: ID!  name: String!  tags: [String!]!  berths: [Berth!]!  twin: Pier }  type Berth { id: ID!  code: String }");
    expect(shown(api, "AddPierInput")).toBe("input AddPierInput { name: String! tags: [String!]! berths: [BerthRef!]! twin: PierRef }");
    expect(shown(api, "PierPatch")).toBe("input PierPatch { name: String tags: [String!] berths: [BerthRef!] twin: PierRef }");
    expect(shown(api, "PierRef")).toBe("input PierRef { id: ID name: String tags: [String!] berths: [BerthRef!] twin: PierRef }");
    expect(shown(api, "UpdatePierInput")).toBe("input UpdatePierInput { filter: PierFilter! set: PierPatch remove: PierPatch }");
  });

  it("require the only member of a Ref if it identifies the object", () => {
    const byKey = apiOf("type Gate { code: String @id }");
    expect(shown(byKey, "GateRef")).toBe("input GateRef { code: String! }");
    expect(shown(byKey, "AddGateInput")).toBe("input AddGateInput { code: String }");
    const nameless = apiOf("type Gate { width: Int! }");
    expect(shown(nameless, "GateRef")).toBe("input GateRef { width: Int }");
  });

  it("identify a node of an interface by its ID or its first key, and require a single one", () => {
    const both = apiOf(`interface Craft { id: ID!  hull: String! @id  sign: String! @id }  type Tug implements Craft { power: Int }`);
    expect(shown(both, "CraftRef")).toBe("input CraftRef { id: ID hull: String }");
    expect(shown(both, "TugRef")).toBe("input TugRef { id: ID hull: String sign: String power: Int }");
    const one = apiOf("interface Craft { hull: String @id  name: String }  type Tug implements Craft { power: Int }");
    expect(shown(one, "CraftRef")).toBe("input CraftRef { hull: String! }");
  });

  it("omit links to an interface without ID and key, which stay readable", () => {
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

  it("use geo inputs for geo fields, and repeat descriptions of scalar fields only", () => {
    const api = apiOf(`type Buoy { "seen from far" light: String!  "where it lies" at: Point!  "its waters" area: [Polygon!] }`);
    expect(shown(api, "AddBuoyInput")).toBe('input AddBuoyInput { """seen from far""" light: String! at: PointRef! area: [PolygonRef!] }');
  });

  it("give interfaces an update but no add", () => {
    const api = apiOf("interface Craft { id: ID!  name: String }  type Tug implements Craft { power: Int }");
    expect(rootFields(api, "Mutation").filter((field) => field.includes("Craft"))).toEqual([
      "updateCraft(input: UpdateCraftInput!): UpdateCraftPayload",
      "deleteCraft(filter: CraftFilter!): DeleteCraftPayload",
    ]);
    expect(shown(api, "AddCraftInput")).toBeUndefined();
    expect(shown(api, "AddCraftPayload")).toBeUndefined();
  });

  it("make fields with a default optional, and put the password last, even if inherited", () => {
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

  it("name each member of a union after its type, with a lower-case first letter", () => {
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

  it("removes empty inputs and the mutations that need them, but no delete and no payload", () => {
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

  it("removes only the member if others remain", () => {
    const api = apiOf(reverse.replace("type Canal {", "type Canal { name: String "));
    expect(shown(api, "AddCanalInput")).toBe("input AddCanalInput { name: String }");
    expect(shown(api, "CanalRef")).toBe("input CanalRef { name: String }");
  });

  it("keeps inputs that contain only each other", () => {
    const api = apiOf("type Knot { next: Knot }");
    expect(shown(api, "KnotRef")).toBe("input KnotRef { next: KnotRef }");
    expect(rootFields(api, "Mutation")).toHaveLength(3);
  });

  it("removes a union's Ref with its last member", () => {
    const api = apiOf(`${reverse}  union Afloat = Barge  type Log { day: Int  seen: Afloat }`);
    expect(shown(api, "AfloatRef")).toBeUndefined();
    expect(shown(api, "AddLogInput")).toBe("input AddLogInput { day: Int }");
    expect(shown(api, "AfloatFilter")).toBe("input AfloatFilter { memberTypes: [AfloatType!] bargeFilter: BargeFilter }");
    expect(api.unionInputs.has("AfloatRef")).toBe(false);
  });
});
