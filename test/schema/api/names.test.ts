import { describe, expect, it } from "vitest";
import { apiOf, refusals } from "./harness.ts";

describe("name conflicts", () => {
  it("refuse a definition with the name of a generated one", () => {
    expect(refusals("type Boat { name: String }  enum BoatHasFilter { A }")).toEqual([
      "BoatHasFilter is a reserved word, so you can't declare a ENUM with this name. Pick a different name for the ENUM.",
    ]);
    expect(refusals("type Boat { way: Way @search }  enum Way { A }  input Way_hash { a: Int }")).toEqual([
      "Way_hash is a reserved word, so you can't declare a INPUT_OBJECT with this name. Pick a different name for the INPUT_OBJECT.",
    ]);
    expect(refusals("type Boat { name: String }  type DeleteBoatPayload { msg: String }")).not.toEqual([]);
  });

  it("refuse two types that generate the same name", () => {
    expect(refusals("type Boat { name: String }  type BoatHas { name: String }")).toEqual([
      "BoatHasFilter would be generated for type Boat and for type BoatHas. Pick a different name for the type.",
    ]);
  });

  it("refuse a type whose generated names are built in", () => {
    expect(refusals("type Near { name: String }")).toEqual([
      "NearFilter would be generated for type Near, but it is a built-in definition. Pick a different name for the type.",
    ]);
  });

  it("do not include names that are merely similar", () => {
    expect(refusals("type AddressPayload { id: ID!  street: String }  type UpdateXPayload { id: ID!  n: Int }  type AddAdd { n: Int }")).toEqual([]);
    const api = apiOf("type UpdateXPayload { id: ID!  n: Int }");
    expect(api.outputs.get("UpdateXPayload")?.kind).toBe("node");
    expect(api.outputs.get("UpdateUpdateXPayloadPayload")?.kind).toBe("payload");
  });

  it("refuse a union with a duplicate member", () => {
    expect(refusals("type Boat { name: String }  union Afloat = Boat | Boat")).not.toEqual([]);
  });
});
