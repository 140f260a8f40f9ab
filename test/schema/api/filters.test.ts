import { describe, expect, it } from "vitest";
import { apiOf, refusals, shown } from "./harness.ts";

describe("<T>Filter", () => {
  it("exists without searchable fields, with lists for and, or and has, but not for not", () => {
    const api = apiOf("type Pier { name: String }");
    expect(shown(api, "PierFilter")).toBe("input PierFilter { has: [PierHasFilter] and: [PierFilter] or: [PierFilter] not: PierFilter }");
  });

  it("contains the searchable fields in declared order, each with the input of its index", () => {
    const api = apiOf(`
      type Pier {
        open: Boolean @search
        id: ID!
        name: String @search(by: [hash, regexp])
        note: String
        size: Size @search(by: [exact])
        length: Int @id
      }
      enum Size { SMALL LARGE }
    `);
    expect(shown(api, "PierFilter")).toBe(
      "input PierFilter { open: Boolean id: [ID!] name: StringHashFilter_StringRegExpFilter size: Size_exact length: IntFilter " +
        "has: [PierHasFilter] and: [PierFilter] or: [PierFilter] not: PierFilter }",
    );
    expect(shown(api, "Size_exact")).toBe("input Size_exact { eq: Size in: [Size] le: Size lt: Size ge: Size gt: Size between: Size }");
    expect(shown(api, "StringHashFilter_StringRegExpFilter")).toBe(
      "input StringHashFilter_StringRegExpFilter { eq: String in: [String] regexp: String }",
    );
    expect(shown(api, "Size_hash")).toBeUndefined();
  });

  it("has no and and or if the type has only an ID", () => {
    const api = apiOf("interface Thing { id: ID! }  type Rope implements Thing { length: Int }");
    expect(shown(api, "ThingFilter")).toBe("input ThingFilter { id: [ID!] not: ThingFilter }");
    expect(shown(api, "ThingHasFilter")).toBeUndefined();
    expect(shown(api, "RopeFilter")).toContain("and: [RopeFilter]");
  });

  it("has no and and or if all other fields are reverse links, which still support has", () => {
    const api = apiOf(
      `type Canal { name: String barges: [Barge] @dgraph(pred: "moored") }  type Barge { id: ID! canals: [Canal] @dgraph(pred: "~moored") }`,
    );
    expect(shown(api, "BargeFilter")).toBe("input BargeFilter { id: [ID!] not: BargeFilter }");
    expect(shown(api, "BargeHasFilter")).toBe("enum BargeHasFilter { canals }");
  });

  it("refers to a HasFilter only if it exists", () => {
    const secret = apiOf(`interface Person @secret(field: "pin") { id: ID! }  type Clerk implements Person { name: String }`);
    expect(shown(secret, "PersonFilter")).toBe("input PersonFilter { id: [ID!] and: [PersonFilter] or: [PersonFilter] not: PersonFilter }");
    const withoutUpdate = `interface Person @secret(field: "pin") @generate(mutation: {update: false}) { id: ID! }  type Clerk implements Person { name: String }`;
    expect(refusals(withoutUpdate)).toEqual([]);
    const languages = apiOf(`type Sign { both: String @dgraph(pred: "Sign.text@hi:en") }`);
    expect(shown(languages, "SignFilter")).toBe("input SignFilter { and: [SignFilter] or: [SignFilter] not: SignFilter }");
  });

  it("refuses a field that is named like a connective", () => {
    expect(refusals("type Pier { not: String @search(by: [hash]) }")).toEqual([
      "while validating GraphQL schema: Field PierFilter.not can only be defined once.",
    ]);
    expect(refusals("type Pier { not: String  name: String @search }")).toEqual([]);
  });

  it("is recorded with the meaning of its members", () => {
    const { filters } = apiOf("interface Craft { ref: ID!  hull: String! @id }  type Tug implements Craft { power: Int @search  name: String }");
    const tug = filters.get("TugFilter");
    expect(tug?.id).toBe("ref");
    expect([...(tug?.fields.keys() ?? [])].sort()).toEqual(["hull", "power"]);
    expect([...(filters.get("CraftFilter")?.fields.values() ?? [])].map(({ field }) => field.stored)).toEqual(["Craft.hull"]);
    expect(tug?.fields.get("hull")?.field.owner.name).toBe("Tug");
  });
});

describe("<U>Filter", () => {
  it("filters by member type, then by conditions on each member", () => {
    const api = apiOf("union Cargo = URLEntry | Box  type URLEntry { url: String }  type Box { size: Int }");
    expect(shown(api, "CargoFilter")).toBe("input CargoFilter { memberTypes: [CargoType!] uRLEntryFilter: URLEntryFilter boxFilter: BoxFilter }");
    expect(shown(api, "CargoType")).toBe("enum CargoType { URLEntry Box }");
    expect([...(api.unionFilters.get("CargoFilter")?.members ?? [])].map(([name, { name: type }]) => [name, type])).toEqual([
      ["uRLEntryFilter", "URLEntry"],
      ["boxFilter", "Box"],
    ]);
  });
});

describe("<T>HasFilter and <T>Order", () => {
  const api = apiOf(`
    type Log {
      id: ID!  day: DateTime  words: [String]  wet: Boolean  kind: Kind  at: Point
      hi: String @dgraph(pred: "Log.text@hi")  any: String @dgraph(pred: "Log.text@.")  both: String @dgraph(pred: "Log.text@hi:en")
      next: Log  count: Int64
    }
    enum Kind { SHORT LONG }
  `);

  it("contain every field except the ID and multilingual texts", () => {
    expect(shown(api, "LogHasFilter")).toBe("enum LogHasFilter { day words wet kind at hi any next count }");
  });

  it("order by scalar numbers, strings and dates", () => {
    expect(shown(api, "LogOrderable")).toBe("enum LogOrderable { day hi any count }");
    expect(shown(api, "LogOrder")).toBe("input LogOrder { asc: LogOrderable desc: LogOrderable then: LogOrder }");
  });

  it("are omitted if no field is orderable", () => {
    const bare = apiOf("type Switch { on: Boolean  next: [Switch] }");
    expect(shown(bare, "SwitchOrder")).toBeUndefined();
    expect(shown(bare, "Switch")).toContain("next(filter: SwitchFilter, first: Int, offset: Int): [Switch]");
  });
});
