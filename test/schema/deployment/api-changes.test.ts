// Changes of an API between two schemas: breaking, dangerous and safe, without duplicates.

import { buildSchema } from "graphql";
import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { prepareDeployment } from "../../../core/index.ts";
import { apiChanges } from "../../../core/server.ts";

/** The printed API of a schema. */
const apiOf = (schema: string) => prepareDeployment(schema, standardPlugins()).api.sdl;

function changes(before: string, after: string): readonly string[] {
  return apiChanges(buildSchema(before), buildSchema(after)).map(
    ({ level, change, type, description }) => `${level} ${change} ${type} ${description}`,
  );
}

it("a change names the changed type", () => {
  const before =
    "type Query { a(b: In): Rig u: U } enum Rig { yawl } input In { c: Int } union U = X type X { x: Int } type Y { y: Int } interface I { x: Int }";
  const after =
    "type Query { a(b: In d: Int e: Int!): Rig u: U f: Int } enum Rig { sloop } input In { c: Int g: Int h: Int! } union U = Y type X implements I { x: Int } type Y { y: Int } interface I { x: Int } type Z { z: Int }";
  const subjects = apiChanges(buildSchema(before), buildSchema(after)).map(({ type, on }) => `${type} ${on}`);
  expect(subjects.sort()).toEqual([
    "FIELD_ADDED Query",
    "IMPLEMENTED_INTERFACE_ADDED X",
    "OPTIONAL_ARG_ADDED Query",
    "OPTIONAL_INPUT_FIELD_ADDED In",
    "REQUIRED_ARG_ADDED Query",
    "REQUIRED_INPUT_FIELD_ADDED In",
    "TYPE_ADDED Z",
    "TYPE_ADDED_TO_UNION U",
    "TYPE_REMOVED_FROM_UNION U",
    "VALUE_ADDED_TO_ENUM Rig",
    "VALUE_REMOVED_FROM_ENUM Rig",
  ]);
});

describe("changes of an API", () => {
  it("are empty for the same schema", () => {
    expect(changes("type Query { a: Int }", "type Query { a: Int }")).toEqual([]);
  });

  it("are sorted by severity", () => {
    expect(changes("type Query { a: Int b: Int c(d: Int): Int }", "type Query { b: String c(d: Int e: Int): Int f: Int }")).toEqual([
      "breaking removed FIELD_REMOVED Query.a was removed.",
      "breaking changed FIELD_CHANGED_KIND Query.b changed type from Int to String.",
      "safe added OPTIONAL_ARG_ADDED An optional arg e on Query.c was added.",
      "safe added FIELD_ADDED Query.f: Int was added.",
    ]);
  });

  it("list a new type once, without its fields", () => {
    expect(changes("type Query { a: Int }", "type Query { a: Int } type Boat { name: String } enum Rig { yawl }")).toEqual([
      "safe added TYPE_ADDED Boat was added.",
      "safe added TYPE_ADDED Rig was added.",
    ]);
  });

  it("of nullability are safe in one direction and breaking in the other, for outputs and inputs", () => {
    const schema = (output: string, input: string) => `type Query { a(b: In): ${output} } input In { c: ${input} }`;
    expect(changes(schema("Int", "Int!"), schema("Int!", "Int"))).toEqual([
      "safe changed FIELD_CHANGED_KIND In.c changed type from Int! to Int.",
      "safe changed FIELD_CHANGED_KIND Query.a changed type from Int to Int!.",
    ]);
    expect(changes(schema("Int!", "Int"), schema("Int", "Int!"))).toEqual([
      "breaking changed FIELD_CHANGED_KIND In.c changed type from Int to Int!.",
      "breaking changed FIELD_CHANGED_KIND Query.a changed type from Int! to Int.",
    ]);
  });

  it("of a field that is added are all safe, also in enums that only inputs have; an enum in answers is dangerous to extend", () => {
    const schema = (fields: string, rigs: string) => `type Boat { name: String @search(by: [exact]) ${fields} } enum Rig { ${rigs} }`;
    const added = changes(apiOf(schema("", "yawl")), apiOf(schema("seats: Int @search  rig: Rig", "yawl")));
    expect(added).toContain("safe added VALUE_ADDED_TO_ENUM seats was added to enum type BoatOrderable.");
    expect(added.filter((each) => !each.startsWith("safe added "))).toEqual([]);
    const extended = changes(apiOf(schema("rig: Rig", "yawl")), apiOf(schema("rig: Rig", "yawl sloop")));
    expect(extended).toEqual(["dangerous added VALUE_ADDED_TO_ENUM sloop was added to enum type Rig."]);
  });

  it("of enums and inputs are breaking if values are removed", () => {
    const schema = (values: string, input: string) => `type Query { a(b: In): Rig } enum Rig { ${values} } input In { ${input} }`;
    expect(changes(schema("yawl ketch", "c: Int"), schema("yawl sloop", "c: Int d: Int e: Int!"))).toEqual([
      "breaking added REQUIRED_INPUT_FIELD_ADDED A required field e on input type In was added.",
      "breaking removed VALUE_REMOVED_FROM_ENUM ketch was removed from enum type Rig.",
      "dangerous added VALUE_ADDED_TO_ENUM sloop was added to enum type Rig.",
      "safe added OPTIONAL_INPUT_FIELD_ADDED An optional field d on input type In was added.",
    ]);
  });
});
