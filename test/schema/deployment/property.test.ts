// Property: any schema either deploys with a layout that matches its model, or is refused with located errors.

import { describe, expect, it } from "vitest";
import { prepareDeployment, QuernError } from "../../../core/index.ts";
import type { LinkField } from "../../../core/plugin.ts";
import type { BuiltDeployment } from "../../../core/schema/deployment/build-deployment.ts";
import fc from "../../support/properties.ts";
import { allPlugins, deploy } from "./harness.ts";

const interfaces = ["I", "J"];
const objects = ["A", "B", "C"];
const composites = [...interfaces, ...objects];

/** A field of `owner` that is no link, as the rest of its line. */
const plain = fc.constantFrom(
  "String",
  "String @id",
  "String @id(interface: true)",
  "Int @id @search",
  "Int64! @search",
  "[String!] @search(by: [term, hash])",
  "Point @search",
  "[E]",
  'String @dgraph(pred: "s@en")',
  'String @dgraph(pred: "s@hi:en")',
  'String @storage(pred: "s@.") @search',
  'DateTime! @default(add: {value: "$now"})',
);

/** Two fields that are one edge, or one field that is. */
const relation = fc.record({
  from: fc.constantFrom(...composites),
  to: fc.constantFrom(...composites, "U"),
  many: fc.boolean(),
  manyBack: fc.boolean(),
  how: fc.constantFrom("one-way", "inverse", "inverse on both", "reverse"),
});
type Relation = typeof relation extends fc.Arbitrary<infer R> ? R : never;

/** Lines by the type that has them. */
function linesOf({ from, to, many, manyBack, how }: Relation, at: number): readonly (readonly [string, string])[] {
  const [name, back] = [`${from.toLowerCase()}Link${at}`, `${to.toLowerCase()}Back${at}`];
  const link = (type: string, list: boolean) => (list ? `[${type}]` : type);
  if (how === "one-way" || to === "U") return [[from, `${name}: ${link(to, many)}`]];
  if (how === "reverse")
    return [
      [from, `${name}: ${link(to, many)} @dgraph(pred: "edge${at}")`],
      [to, `${back}: [${from}] @dgraph(pred: "~edge${at}")`],
    ];
  const mark = how === "inverse" ? "" : ` @hasInverse(field: ${name})`;
  return [
    [from, `${name}: ${link(to, many)} @hasInverse(field: ${back})`],
    [to, `${back}: ${link(from, manyBack)}${mark}`],
  ];
}

const schema = fc
  .record({
    plain: fc.array(fc.tuple(fc.constantFrom(...composites), plain), { maxLength: 6 }),
    relations: fc.array(relation, { maxLength: 5 }),
    implemented: fc.array(fc.constantFrom("", " implements I", " implements J", " implements I & J"), { minLength: 3, maxLength: 3 }),
    marks: fc.array(fc.constantFrom("", "", "", ' @secret(field: "pin")', ' @storage(type: "T")'), { minLength: 5, maxLength: 5 }),
  })
  .map((parts) => {
    const lines: (readonly [string, string])[] = composites.map((type) => [type, `${type.toLowerCase()}Size: Int`]);
    lines.push(
      ...parts.plain.map(([type, rest], at) => [type, `${type.toLowerCase()}Plain${at}: ${rest}`] as const),
      ...parts.relations.flatMap(linesOf),
    );
    const body = (type: string) => `{\n${lines.flatMap(([owner, line]) => (owner === type ? [`  ${line}\n`] : [])).join("")}}`;
    return [
      "enum E { X Y }\nunion U = A | B",
      ...interfaces.map((type, at) => `interface ${type}${parts.marks[at]} ${body(type)}`),
      ...objects.map((type, at) => `type ${type}${parts.implemented[at]}${parts.marks[at + 2]} ${body(type)}`),
    ].join("\n");
  });

describe("any schema", () => {
  it("deploys consistently, or is refused with locations", () => {
    let deployed = 0;
    fc.assert(
      fc.property(schema, (text) => {
        const refused = errorsIn(text);
        if (refused) {
          expect(refused.errors.length).toBeGreaterThan(0);
          for (const error of refused.errors) expect(error.locations).not.toEqual([]);
          return;
        }
        deployed++;
        assertConsistent(deploy(text));
      }),
      { numRuns: 150 },
    );
    expect(deployed).toBeGreaterThan(40);
  }, 120_000);
});

function errorsIn(text: string): QuernError | undefined {
  try {
    prepareDeployment(text, allPlugins);
    return undefined;
  } catch (error) {
    if (error instanceof QuernError && error.code === "SCHEMA_INVALID") return error;
    throw error;
  }
}

function assertConsistent({ model, layout }: BuiltDeployment): void {
  const ends = layout.edges.flatMap(({ sides }) => sides.flatMap((side) => side.ends));
  expect(new Set(ends.map((end) => end.name)).size).toBe(ends.length);
  const fieldNames = new Set(layout.fields.map((each) => each.name));
  for (const type of layout.types) expect(type.fields.filter((name) => !fieldNames.has(name))).toEqual([]);
  for (const each of [...layout.keys.flatMap((key) => key.fields), ...layout.indexes.map((index) => index.field)]) expect(fieldNames).toContain(each);
  for (const type of model.nodeTypes.values()) {
    for (const each of type.fields.values()) {
      if (each.role === "value") expect(fieldNames).toContain(each.stored);
      if (each.role === "link") assertEnd(each, ends, layout);
    }
  }
}

/** Every node that has the field has the end, and an inverse is on the other side of the same edge. */
function assertEnd(
  field: LinkField,
  ends: readonly { readonly name: string; readonly types: readonly string[] }[],
  layout: BuiltDeployment["layout"],
): void {
  const end = ends.find((each) => each.name === field.stored);
  expect(field.owner.members.filter((member) => !end?.types.includes(member.stored))).toEqual([]);
  const other = field.inverse ?? field.reverseOf;
  if (!other) return;
  const edge = layout.edges.find(({ sides }) => sides.some((side) => side.ends.some((each) => each.name === field.stored)));
  const sideOf = (name: string) => edge?.sides.findIndex((side) => side.ends.some((each) => each.name === name));
  expect(sideOf(other.stored)).not.toBe(-1);
  if (edge?.sides.length === 2) expect(sideOf(other.stored)).not.toBe(sideOf(field.stored));
}
