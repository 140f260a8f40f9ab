// Writes the API as TypeScript declarations for code of clients: types as answers contain them, inputs and arguments as variables take them.

import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isUnionType,
} from "graphql";
import { errorCatalogue } from "../../../core/index.ts";

/** @param source the name of the schema file, for the first line */
export function clientTypes(schema: GraphQLSchema, source: string): string {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  const scalars = types.filter(isScalarType).map(({ name }) => name);
  return [
    `// The API of ${source}, for clients. Written by: quern types --client ${source}`,
    "",
    scalarMap("Scalars", scalars, "output", "Scalars as answers contain them."),
    scalarMap("ScalarInputs", scalars, "input", "Scalars as variables take them."),
    errorTypes(),
    ...types.sort(byName).flatMap((type) => declarationsOf(type, schema)),
  ].join("\n");
}

/** The codes that answers have, and the members beside them. */
function errorTypes(): string {
  const codes = Object.keys(errorCatalogue).map((code) => `  | ${JSON.stringify(code)}`);
  return [
    "/** The codes of errors (`docs/errors.md`). */",
    "export type QuernErrorCode =",
    `${codes.join("\n")};`,
    "",
    "/** `extensions` of an error. */",
    "export interface QuernErrorExtensions {",
    "  readonly code: QuernErrorCode;",
    "  /** The same request may succeed when it is sent again. */",
    "  readonly retryable: boolean;",
    "  /** The place in the arguments that is at fault. */",
    "  readonly input?: readonly (string | number)[];",
    "  /** The directive that a value breaks, with its arguments. */",
    "  readonly rule?: { readonly name: string; readonly [argument: string]: unknown };",
    "}",
    "",
  ].join("\n");
}

function byName(a: GraphQLNamedType, b: GraphQLNamedType): number {
  return a.name < b.name ? -1 : 1;
}

function scalarMap(name: string, scalars: readonly string[], side: keyof ScalarTypes, text: string): string {
  const members = scalars.map((each) => `  readonly ${each}: ${scalarTypes(each)[side]};`);
  return `/** ${text} */\nexport interface ${name} {\n${members.join("\n")}\n}\n`;
}

function declarationsOf(type: GraphQLNamedType, schema: GraphQLSchema): readonly string[] {
  if (isEnumType(type))
    return [
      declared(
        type,
        `type ${type.name} = ${type
          .getValues()
          .map(({ name }) => JSON.stringify(name))
          .join(" | ")};`,
      ),
    ];
  if (isUnionType(type))
    return [
      declared(
        type,
        `type ${type.name} = ${type
          .getTypes()
          .map(({ name }) => name)
          .join(" | ")};`,
      ),
    ];
  if (isInputObjectType(type)) return [declared(type, interfaceText(type.name, Object.values(type.getFields()).map(inputMember)))];
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const names = isObjectType(type) ? [type.name] : schema.getPossibleTypes(type).map(({ name }) => name);
  const typename = `  readonly __typename: ${names.map((name) => JSON.stringify(name)).join(" | ") || "never"};`;
  const fields = Object.values(type.getFields());
  return [
    declared(type, interfaceText(type.name, [typename, ...fields.map(outputMember)])),
    ...fields.flatMap((field) => argumentsOf(type.name, field)),
  ];
}

/** `QueryQueryBoatArgs`: the variables of a field, under the name that GraphQL Code Generator gives them. */
function argumentsOf(owner: string, { name, args }: GraphQLField<unknown, unknown>): readonly string[] {
  if (args.length === 0) return [];
  const text = interfaceText(`${owner}${name.charAt(0).toUpperCase()}${name.slice(1)}Args`, args.map(inputMember));
  return [`/** Arguments of ${owner}.${name}. */\nexport ${text}\n`];
}

function declared({ description }: GraphQLNamedType, text: string): string {
  return `${comment(description, "")}export ${text}\n`;
}

function interfaceText(name: string, members: readonly string[]): string {
  return `interface ${name} {\n${members.join("\n")}\n}`;
}

function outputMember({ name, description, type }: GraphQLField<unknown, unknown>): string {
  return `${comment(description, "  ")}  readonly ${name}: ${typeText(type, "output")};`;
}

function inputMember({ name, description, type, defaultValue }: GraphQLInputField | GraphQLArgument): string {
  const required = isNonNullType(type) && defaultValue === undefined;
  return `${comment(description, "  ")}  readonly ${name}${required ? "" : "?"}: ${typeText(type, "input")};`;
}

function typeText(type: GraphQLType, side: keyof ScalarTypes): string {
  return isNonNullType(type) ? presentText(type.ofType, side) : `${presentText(type, side)} | null`;
}

function presentText(type: GraphQLType, side: keyof ScalarTypes): string {
  if (isListType(type)) return `ReadonlyArray<${typeText(type.ofType, side)}>`;
  if (isNonNullType(type)) return presentText(type.ofType, side);
  return isScalarType(type) ? `${side === "output" ? "Scalars" : "ScalarInputs"}["${type.name}"]` : type.name;
}

function comment(text: string | null | undefined, indentation: string): string {
  if (!text) return "";
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indentation}/** ${lines[0]} */\n`;
  return [`${indentation}/**`, ...lines.map((line) => `${indentation} * ${line}`.trimEnd()), `${indentation} */`, ""].join("\n");
}

// How scalars appear in JSON, as TypeScript types.

interface ScalarTypes {
  /** In an answer. */
  readonly output: string;
  /** In variables. */
  readonly input: string;
}

const types: Readonly<Record<string, ScalarTypes>> = {
  ID: { output: "string", input: "string | number" },
  String: { output: "string", input: "string" },
  Boolean: { output: "boolean", input: "boolean" },
  Int: { output: "number", input: "number" },
  Float: { output: "number", input: "number" },
  // The answer has all digits; JSON.parse rounds those beyond 2^53. Variables may send them as text.
  Int64: { output: "number", input: "number | string" },
  // RFC 3339; a number is a count of seconds since 1970.
  DateTime: { output: "string", input: "string | number" },
};

/** Of a scalar that a plugin defines nothing is known. */
function scalarTypes(name: string): ScalarTypes {
  return types[name] ?? { output: "unknown", input: "unknown" };
}
