// A line is Add<T>Input, and a reference may be just the key. What may point forward waits for a second pass.

import { buildSchema } from "graphql";
import { describe, expect, it } from "vitest";
import { type ImportShape, importShape } from "../../adapters/cli/import/import-shape.ts";
import { type InputObject, readLine } from "../../adapters/cli/import/read-line.ts";

/** The parts of a generated API that define what lines may hold. */
const schema = buildSchema(`
  type Package { name: String! dependsOn: [Package!] maintainer: Maintainer notes: [Note!] }
  type Maintainer { email: String! }
  type Note { id: ID! text: String }
  type Review { id: ID! stars: Int of: Package! next: Review }
  input AddPackageInput { name: String! version: String! size: Int dependsOn: [PackageRef!] maintainer: MaintainerRef notes: [NoteRef!] place: PointRef }
  input PackageRef { name: String version: String size: Int dependsOn: [PackageRef!] maintainer: MaintainerRef notes: [NoteRef!] }
  input MaintainerRef { email: String }
  input NoteRef { id: ID text: String about: PackageRef }
  input PointRef { longitude: Float! latitude: Float! }
  input AddReviewInput { stars: Int of: PackageRef! next: ReviewRef }
  input ReviewRef { id: ID stars: Int }
  input StringHashFilter { eq: String in: [String] }
  input PackageFilter { name: StringHashFilter }
  type Query { queryPackage: [Package] getPackage(name: String!): Package getMaintainer(email: String!): Maintainer getNote(id: ID!): Note getReview(id: ID!): Review }
  type Mutation { addPackage(input: [AddPackageInput!]!, upsert: Boolean): Int addReview(input: [AddReviewInput!]!): Int }
`);
const packages = importShape(schema, "Package");
const reviews = importShape(schema, "Review");

/** What both passes write of a line. */
function inputsOf(text: string, shape: ImportShape): { readonly node: InputObject; readonly links: InputObject | undefined } {
  const { node, links } = readLine(text, shape);
  return { node, links };
}

describe("a line", () => {
  it("with an unpaired surrogate is refused; the error names the field, the text and the reason", () => {
    expect(() => readLine('{"name":"a","dependsOn":[{"name":"\\ud800"}]}', packages)).toThrow(
      'dependsOn.0.name holds "\\ud800": Invalid character within String: U+D800.',
    );
    expect(() => readLine('{"name":"a","\\udc00":1}', packages)).toThrow('A name holds "\\udc00": Invalid character within String: U+DC00.');
    expect(readLine('{"name":"\\ud83d\\udea2","version":"1"}', packages).node).toEqual({ name: "🚢", version: "1" });
  });

  it("without references is the whole node", () => {
    expect(inputsOf('{"name":"a","version":"1","size":9007199254740993}', packages)).toEqual({
      node: { name: "a", version: "1", size: 9007199254740993n },
      links: undefined,
    });
  });

  it("defers references by key to the second pass, with the key of the node", () => {
    expect(inputsOf('{"name":"a","version":"1","size":5,"dependsOn":["b","c"],"maintainer":"m@x"}', packages)).toEqual({
      node: { name: "a", version: "1", size: 5 },
      links: { name: "a", version: "1", dependsOn: [{ name: "b" }, { name: "c" }], maintainer: { email: "m@x" } },
    });
  });

  it("keeps nested objects in the first pass, with keys inside them expanded", () => {
    expect(inputsOf('{"name":"a","version":"1","maintainer":{"email":"m@x"},"notes":[{"text":"t","about":"b"},"0x2a"]}', packages)).toEqual({
      node: { name: "a", version: "1", maintainer: { email: "m@x" }, notes: [{ text: "t", about: { name: "b" } }] },
      links: { name: "a", version: "1", notes: [{ id: "0x2a" }] },
    });
    expect(inputsOf('{"name":"a","version":"1","notes":[{"text":"t","about":"b"}]}', packages)).toEqual({
      node: { name: "a", version: "1", notes: [{ text: "t", about: { name: "b" } }] },
      links: undefined,
    });
  });

  it("treats a geo point as a value, not as a reference", () => {
    expect(readLine('{"name":"a","version":"1","place":{"longitude":1,"latitude":2}}', packages).node).toEqual({
      name: "a",
      version: "1",
      place: { longitude: 1, latitude: 2 },
    });
  });

  it("repeats required fields in the second pass, nested objects by key", () => {
    const crates = importShape(
      buildSchema(`
        input AddCrateInput { code: Int! owner: OwnerRef! next: CrateRef }
        input CrateRef { code: Int owner: OwnerRef }
        input OwnerRef { email: String name: String }
        type Crate { code: Int } type Owner { email: String }
        type Query { getCrate(code: Int!): Crate getOwner(email: String!): Owner }
        type Mutation { addCrate(input: [AddCrateInput!]!, upsert: Boolean): Int }`),
      "Crate",
    );
    expect(inputsOf('{"code":1,"owner":{"email":"o@x","name":"O"},"next":2}', crates)).toEqual({
      node: { code: 1, owner: { email: "o@x", name: "O" } },
      links: { code: 1, owner: { email: "o@x" }, next: { code: 2 } },
    });
  });

  it("of a type without a key defers no references", () => {
    expect(inputsOf('{"stars":3,"of":"a","next":"0x1"}', reviews)).toEqual({
      node: { stars: 3, of: { name: "a" }, next: { id: "0x1" } },
      links: undefined,
    });
  });

  it("with a bare key of a type that has none is refused in the first pass", () => {
    const boats = importShape(
      buildSchema(`
        input AddBoatInput { name: String! crew: [SailorRef!] }
        input SailorRef { age: Int }
        type Boat { name: String } type Sailor { age: Int }
        type Query { getBoat(name: String!): Boat }
        type Mutation { addBoat(input: [AddBoatInput!]!, upsert: Boolean): Int }`),
      "Boat",
    );
    expect(() => readLine('{"name":"a","crew":["x"]}', boats).node).toThrow("crew refers to a type without a key; use an object.");
    expect(() => readLine('{"name":"a","crew":[{"age":3},"x"]}', boats).node).toThrow("crew refers to a type without a key; use an object.");
  });

  it("with a field that is called like a member of every object holds only what is written", () => {
    const odd = importShape(
      buildSchema(`
        input AddOddInput { name: String! constructor: OddRef toString: [OddRef!] }
        input OddRef { name: String }
        type Odd { name: String }
        type Query { getOdd(name: String!): Odd }
        type Mutation { addOdd(input: [AddOddInput!]!, upsert: Boolean): Int }`),
      "Odd",
    );
    expect(inputsOf('{"name":"a"}', odd)).toEqual({ node: { name: "a" }, links: undefined });
    expect(inputsOf('{"name":"a","constructor":"b"}', odd)).toEqual({ node: { name: "a" }, links: { name: "a", constructor: { name: "b" } } });
  });

  it.each([
    ["[1]", "The line is not a JSON object."],
    ["{", /JSON/],
    ["null", "The line is not a JSON object."],
    ["mill\r\n", /^[^\n]*"mill"[^\n]*$/],
  ])("that reads %j is refused", (text, message) => {
    expect(() => readLine(text, packages)).toThrow(message);
  });
});

describe("a type", () => {
  it("is looked up by its key, with the list type of its filter", () => {
    expect(packages).toMatchObject({ type: "Package", key: "name", lookUp: { query: "queryPackage", key: "name", keyList: "[String]" } });
    expect(reviews).toMatchObject({ type: "Review", key: undefined, lookUp: undefined });
  });

  it("is looked up as the target of a reference, unless a key alone creates a node", () => {
    expect(packages.input.links.get("dependsOn")?.lookUp).toEqual({ query: "queryPackage", key: "name", keyList: "[String]" });
    expect(packages.input.links.get("maintainer")?.lookUp).toBeUndefined();
  });

  it("without an add mutation is refused with a suggestion", () => {
    expect(() => importShape(schema, "Pakage")).toThrow('--type Pakage: the schema has no mutation addPakage; did you mean "Package"?');
    expect(() => importShape(schema, "Boat")).toThrow("--type Boat: the schema has no mutation addBoat; types are Package, Review.");
  });
});
