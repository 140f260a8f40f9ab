// Validation in steps finds what `validate` of graphql finds, and a step does not grow with the document.

import { buildSchema, OverlappingFieldsCanBeMergedRule, parse, ScalarLeafsRule, specifiedRules, type ValidationRule, validate, visit } from "graphql";
import { describe, expect, it } from "vitest";
import { validateDocument } from "../../core/request/documents/validate-document.ts";
import fc from "../support/properties.ts";

const schema = buildSchema(`
  directive @mark(text: String) on FIELD
  interface Node { id: ID! }
  type Mill implements Node { id: ID!  name(upper: Boolean): String  stones: Int  next: Mill  all(filter: MillFilter): [Node!]! }
  type Kiln implements Node { id: ID!  name(upper: Boolean): Int  stones: Float  next: Kiln  all(filter: MillFilter): [Kiln] }
  input MillFilter { name: String  stones: [Int!]  or: [MillFilter!] }
  type Query { mill(id: ID!): Mill  mills(filter: MillFilter, first: Int = 3): [Mill!]! }
`);

function inSteps(text: string, rules: readonly ValidationRule[] = specifiedRules) {
  const steps = validateDocument(schema, parse(text), rules);
  let count = 1;
  for (let step = steps.next(); ; step = steps.next(), count++) if (step.done === true) return { errors: step.value, count };
}

const plain = (errors: readonly { readonly message: string; readonly locations?: unknown }[]) =>
  errors.map(({ message, locations }) => ({ message, locations }));
const fields = (count: number, field: (i: number) => string) => Array.from({ length: count }, (_, i) => field(i)).join(" ");

let usesOfOperation = 0;
const variablesOfOperations: ValidationRule = (context) => ({
  OperationDefinition: {
    leave: (operation) => {
      usesOfOperation = context.getRecursiveVariableUsages(operation).length;
    },
  },
});

describe("validateDocument", () => {
  it.each([
    [
      "a valid document",
      `query A($id: ID!, $f: MillFilter = {or: [{stones: [1]}]}) { mill(id: $id) { ...M next @mark(text: "a") { name(upper: true) } } mills(filter: $f) { id } } fragment M on Mill { all { ... on Mill { stones } } }`,
    ],
    ["unknown names", `query A($x: Int, $y: Nothing) { mill(ident: 1) { nam  all { stones } } ...N } fragment M on Nil { id }`],
    ["wrong values", `{ mills(filter: {name: 3, stones: ["a"], or: [{nam: "b"}, 7]}, first: 1.5) { id } mill { id } }`],
    [
      "misplaced directives",
      `query A @mark { mill(id: 1) @skip { id @mark(text: 1) @mark(text: "b") @none } } fragment F on Mill @include(if: 3) { id }`,
    ],
    ["fields that conflict", `{ a: mill(id: 1) { id name } a: mill(id: 2) { id: name } }`],
    ["fragments in a circle", `{ mill(id: 1) { ...A } } fragment A on Mill { next { ...B } } fragment B on Mill { next { ...A } }`],
    ["variables of wrong types", `query ($a: Int, $b: String!) { mill(id: $a) { id } mills(first: $b, filter: {stones: [$a], or: [$c]}) { id } }`],
    [
      "variables in fragments of several operations",
      `query A($a: Int) { mills(first: $a) { ...M } } query B($b: Boolean, $c: Int) { mills { ...M } } fragment M on Mill { name(upper: $b) ...N } fragment N on Mill { all(filter: {stones: [$c], name: $a}) { id } }`,
    ],
    ["a dollar sign in a text alone", `query A($a: Int) { mills(filter: {name: "$b"}) { id } }`],
    ["two anonymous operations", `{ mill(id: 1) { id } } { mills { id } } query A { mills { id } } query A { mills { id } }`],
    ["more than a hundred errors", `{ ${fields(300, (i) => `a${i}: mills { n${i} }`)} }`],
    ["too many fields of one name", `{ ${fields(3_000, () => "mills { id }")} }`],
  ])("finds the same errors in the same order as graphql: %s", (_, text) => {
    expect(plain(inSteps(text).errors)).toEqual(plain(validate(schema, parse(text), specifiedRules)));
  });

  it("suggests names in the first ten errors alone, because each looks through all names of the schema", () => {
    const { errors } = inSteps(`{ ${fields(12, (i) => `a${i}: mils { id }`)} }`);
    expect(errors.map(({ message }) => message.includes("Did you mean"))).toEqual([...Array(10).fill(true), false, false]);
  });

  it("tells ten errors of a document of more than 5,000 lines, because each counts the lines before it", () => {
    const wrong = `{ ${fields(12, (i) => `a${i}: mils { id }`)} }`;
    expect(inSteps(`${"\n".repeat(4_999)}${wrong}`).errors).toHaveLength(12);
    const { errors } = inSteps(`${"\n".repeat(5_000)}${wrong}`);
    expect(errors.map(({ locations }) => locations?.[0]?.line)).toEqual([...Array(10).fill(5_001), undefined]);
    expect(errors.at(-1)?.message).toContain("Validation aborted");
  });

  it("takes a step for each few hundred nodes", () => {
    expect(inSteps(`{ ${fields(5, (i) => `a${i}: mills { id }`)} }`).count).toBe(1);
    expect(inSteps(`{ ${fields(5_000, (i) => `a${i}: mills(first: 2) { id }`)} }`).count).toBeGreaterThan(100);
  });

  it("finds the variables of an operation in steps", () => {
    const document = parse(`query ($a: Int) { ${fields(2_000, (i) => `a${i}: mills(first: $a) { id }`)} }`);
    let looks = 0;
    visit(document, {
      Variable: (node) => {
        const { name } = node;
        const get = () => {
          looks++;
          return name;
        };
        Object.defineProperty(node, "name", { get });
      },
    });
    looks = 0;
    const steps = validateDocument(schema, document, [ScalarLeafsRule, variablesOfOperations]);
    const looksOfSteps: number[] = [];
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      looksOfSteps.push(looks);
      looks = 0;
    }
    expect(usesOfOperation).toBe(2_000);
    expect(Math.max(...looksOfSteps)).toBeLessThan(200);
    expect(looks).toBeLessThan(200);
  });

  it("compares the fields of one selection set in steps", () => {
    const { errors, count } = inSteps(`{ ${fields(300, () => "mills { id }")} }`);
    expect(errors).toEqual([]);
    expect(count).toBeGreaterThan(100);
  });

  it("finds the conflicts that graphql finds, in its order, in documents at random", () => {
    const selection = fc.letrec<{ set: string; one: string }>((tie) => ({
      set: fc.array(tie("one"), { minLength: 1, maxLength: 4 }).map((all) => `{ ${all.join(" ")} }`),
      one: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom(
          "id",
          "k: id",
          "k: stones",
          "name",
          "k: name",
          "name(upper: true)",
          "name(upper: false)",
          "k: name(upper: $u)",
          "...A",
          "...B",
          "...C",
        ),
        fc
          .tuple(
            fc.constantFrom(
              "next",
              "k: next",
              "all",
              "k: all",
              `all(filter: {stones: [1], name: "a"})`,
              `all(filter: {name: "a", stones: [1]})`,
              "... on Mill",
              "... on Node",
              "... on Kiln",
              "...",
            ),
            tie("set"),
          )
          .map((parts) => parts.join(" ")),
      ),
    })).set;
    fc.assert(
      fc.property(selection, selection, selection, selection, (q, a, b, c) => {
        const text = `query ($u: Boolean) { mills ${q} mills ${a} } fragment A on Mill ${a} fragment B on Node ${b} fragment C on Kiln ${c}`;
        const rules = [OverlappingFieldsCanBeMergedRule];
        expect(plain(inSteps(text, rules).errors)).toEqual(plain(validate(schema, parse(text), rules)));
      }),
      { numRuns: 300 },
    );
  });

  it("visits a document of many levels", () => {
    const deep = `{ mill(id: 1) { ${"next { ".repeat(2_000)} id ${"} ".repeat(2_000)} } }`;
    expect(inSteps(deep).errors).toEqual([]);
  });
});
