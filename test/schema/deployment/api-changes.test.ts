// Changes of an API between two schemas: breaking, dangerous and safe, without duplicates.

import { buildSchema } from "graphql";
import { describe, expect, it } from "vitest";
import { apiChanges } from "../../../core/index.ts";

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
      "dangerous added OPTIONAL_ARG_ADDED An optional arg e on Query.c was added.",
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

  it("of enums and inputs are breaking if values are removed and dangerous if added", () => {
    const schema = (values: string, input: string) => `type Query { a(b: In): Rig } enum Rig { ${values} } input In { ${input} }`;
    expect(changes(schema("yawl ketch", "c: Int"), schema("yawl sloop", "c: Int d: Int e: Int!"))).toEqual([
      "breaking added REQUIRED_INPUT_FIELD_ADDED A required field e on input type In was added.",
      "breaking removed VALUE_REMOVED_FROM_ENUM ketch was removed from enum type Rig.",
      "dangerous added OPTIONAL_INPUT_FIELD_ADDED An optional field d on input type In was added.",
      "dangerous added VALUE_ADDED_TO_ENUM sloop was added to enum type Rig.",
    ]);
  });
});
