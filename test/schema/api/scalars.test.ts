import { buildASTSchema, type GraphQLInputType, getVariableValues, parse, parseValue, validate, valueFromAST } from "graphql";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../../core/ground/json/parse-json.ts";
import { runAtOnce } from "../../../core/ground/work.ts";
import { coercedVariables, type PackageResult } from "../../../core/schema/api/package-version.ts";
import { scalars } from "../../../core/schema/api/scalars/index.ts";
import { withScalars } from "../../../core/schema/api/with-scalars.ts";
import { apiOf } from "./harness.ts";

const schema = runAtOnce(
  withScalars(
    buildASTSchema(
      parse(`
    scalar Int64  scalar DateTime
    type Query { at(id: ID, int: Int, long: Int64, float: Float, time: DateTime, long2: Int64!, longs: [Int64!]): Int }
  `),
    ),
  ),
);

/** What the server gets for JSON text in a variable of `type`, or the refusal. */
function variable(type: string, json: string): unknown {
  const document = parse(`query ($v: ${type}) { at(long2: 1) }`);
  const [definition] = document.definitions;
  if (definition?.kind !== "OperationDefinition") throw new Error("An operation was written.");
  const result: PackageResult = getVariableValues(schema, definition.variableDefinitions ?? [], { v: parseJson(json) });
  if (result.errors)
    return `refused: ${result.errors.map(({ message }) => message.replace(/^Variable "\$v" (got invalid value .*?;|has invalid value:) /, "")).join()}`;
  return coercedVariables(result).v;
}

/** What the server gets for a literal of `type`, or the refusals of validation, each with its column. */
function literal(argument: string, text: string): unknown {
  const document = parse(`{ at(long2: 1, ${argument}: ${text}) }`);
  const errors = validate(schema, document);
  if (errors.length > 0) return `refused: ${errors.map(({ message, locations }) => `${locations?.[0]?.column} ${message}`).join()}`;
  const type: GraphQLInputType | undefined = schema
    .getQueryType()
    ?.getFields()
    .at?.args.find(({ name }) => name === argument)?.type;
  return type && valueFromAST(parseValue(text), type);
}

const column = (argument: string): number => `{ at(long2: 1, ${argument}: `.length + 1;

describe("ID", () => {
  it("accepts strings, and converts integers to strings", () => {
    expect(variable("ID", `"0x2a"`)).toBe("0x2a");
    expect(variable("ID", "42")).toBe("42");
    expect(variable("ID", "18446744073709551615")).toBe("18446744073709551615");
    expect(literal("id", "42")).toBe("42");
    expect(literal("id", `""`)).toBe("");
  });

  it("is nothing else", () => {
    for (const json of ["true", "1.5", `["0x1"]`, `{"id":1}`]) expect(variable("ID", json)).toMatch(/^refused/);
    for (const text of ["true", "1.5", "abc", "{id: 1}"]) expect(literal("id", text)).toMatch(/^refused/);
  });
});

describe("Int", () => {
  it("accepts 32-bit integers", () => {
    expect(variable("Int", "2147483647")).toBe(2147483647);
    expect(variable("Int", "-2147483648")).toBe(-2147483648);
    expect(variable("Int", "2147483648")).toBe("refused: Out of range value '2147483648', for type `Int`");
    expect(variable("Int", "9007199254740993")).toBe("refused: Out of range value '9007199254740993', for type `Int`");
    expect(literal("int", "-2147483648")).toBe(-2147483648);
    expect(literal("int", "-2147483649")).toBe(`refused: ${column("int")} Out of range value '-2147483649', for type \`Int\``);
  });

  it("refuses strings, fractions and booleans", () => {
    for (const json of [`"1"`, "1.5", "true", "[[1]]"]) expect(variable("Int", json)).toMatch(/^refused/);
    for (const text of [`"1"`, "1.5", "true", "abc"]) expect(literal("int", text)).toMatch(/^refused/);
  });
});

describe("Int64", () => {
  it("keeps all digits of numbers and strings", () => {
    expect(variable("Int64", "9223372036854775807")).toBe(9223372036854775807n);
    expect(variable("Int64", `"-9223372036854775808"`)).toBe(-9223372036854775808n);
    expect(variable("Int64", `"+07"`)).toBe(7n);
    expect(variable("Int64", "9007199254740993")).toBe(9007199254740993n);
    expect(variable("Int64", "7")).toBe(7n);
    expect(variable("Int64", "null")).toBe(null);
    expect(literal("long", "9007199254740993")).toBe(9007199254740993n);
    expect(literal("long", `"-9007199254740993"`)).toBe(-9007199254740993n);
    expect(literal("long", "null")).toBe(null);
    expect(literal("longs", "[1, 9223372036854775807]")).toEqual([1n, 9223372036854775807n]);
  });

  it("refuses values beyond 64 bits", () => {
    expect(variable("Int64", "9223372036854775808")).toBe("refused: Out of range value '9223372036854775808', for type `Int64`");
    expect(variable("Int64", `"-9223372036854775809"`)).toBe("refused: Out of range value '-9223372036854775809', for type `Int64`");
    expect(literal("long", "9223372036854775808")).toBe(`refused: ${column("long")} Out of range value '9223372036854775808', for type \`Int64\``);
    expect(literal("long", "9".repeat(100_000))).toMatch(/^refused: \d+ Out of range/);
    expect(literal("long", `"${"0".repeat(100)}5"`)).toBe(5n);
  });

  it("reports the expected and the actual type", () => {
    expect(variable("Int64", `"7 "`)).toBe("refused: Type mismatched for Value `7 `, expected:`Int64`");
    expect(variable("Int64", "1.5")).toBe("refused: Type mismatched for Value `1.5`, expected:`Int64`");
    for (const json of [`""`, "true", "[[1]]", `{"a":12345678901234567890}`]) expect(variable("Int64", json)).toMatch(/^refused/);
    expect(literal("long", "1.5")).toBe(`refused: ${column("long")} Type mismatched for Value \`1.5\`, expected: Int64, got: 'Float'`);
    expect(literal("long", "true")).toBe(`refused: ${column("long")} Type mismatched for Value \`true\`, expected: Int64, got: 'Boolean'`);
    expect(literal("long", `"seven"`)).toBe(`refused: ${column("long")} Type mismatched for Value \`seven\`, expected: Int64, got: 'String'`);
    expect(literal("long", "{a: 1}")).toMatch(/expected: Int64, got: 'Object'$/);
  });
});

describe("Float", () => {
  it("accepts finite doubles, and numeric strings in variables only", () => {
    expect(variable("Float", "2.5")).toBe(2.5);
    expect(variable("Float", `"2.5e-3"`)).toBe(0.0025);
    expect(variable("Float", `".5"`)).toBe(0.5);
    expect(variable("Float", "9007199254740993")).toBe(9007199254740992);
    expect(literal("float", "1e3")).toBe(1000);
    expect(literal("float", "3")).toBe(3);
    expect(literal("float", `"3"`)).toMatch(/^refused/);
  });

  it("refuses infinite values and other strings", () => {
    for (const json of [`"NaN"`, `"Infinity"`, `"1e400"`, "1e400", `""`, `" 1"`, `"0x10"`, "true", "[[1]]"])
      expect(variable("Float", json)).toMatch(/^refused/);
    expect(literal("float", "1e400")).toBe(`refused: ${column("float")} Float cannot represent a number beyond a double.`);
  });
});

describe("DateTime", () => {
  it("accepts any string and any integer: the root field validates them", () => {
    expect(variable("DateTime", `"2031"`)).toBe("2031");
    expect(variable("DateTime", `"someday"`)).toBe("someday");
    expect(variable("DateTime", "1900000000")).toBe(1900000000);
    expect(literal("time", `"2031-04-09T06:00:00Z"`)).toBe("2031-04-09T06:00:00Z");
    expect(literal("time", "-5")).toBe(-5);
  });

  it("is nothing else", () => {
    for (const json of ["true", "1.5", `["2031"]`, "{}"]) expect(variable("DateTime", json)).toMatch(/^refused/);
    for (const text of ["true", "1.5", "MONDAY"]) expect(literal("time", text)).toMatch(/^refused/);
  });
});

describe("a served schema", () => {
  it("uses the kernel's scalars everywhere", () => {
    const api = apiOf("type Log { id: ID!  at: DateTime @search  size: Int64 @search  share: Float @search  rank: Int @search }");
    for (const [name, scalar] of scalars) expect(api.schema.getType(name)).toBe(scalar);
    const query = `query ($long: Int64, $share: Float, $id: ID!) {
      queryLog(filter: { id: [$id, 7], size: { in: [1, "2", $long], between: { min: 1, max: 9223372036854775807 } }, share: { gt: $share } }) { size sizeMax: size }
    }`;
    expect(validate(api.schema, parse(query))).toEqual([]);
    expect(validate(api.schema, parse("{ queryLog(first: 3000000000) { id } }")).map(({ message }) => message)).toEqual([
      "Out of range value '3000000000', for type `Int`",
    ]);
  });
});
