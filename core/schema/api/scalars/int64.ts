// `Int64`: 64-bit integers as bigint. No value passes through a double: a JSON number beyond 2^53 arrives as a bigint.

import { type ASTNode, GraphQLScalarType, Kind, print } from "graphql";
import { scalarDescriptions } from "../../document/built-ins.ts";
import { outOfRange, scalarError } from "./scalar-error.ts";

export const int64 = new GraphQLScalarType<bigint, bigint>({
  name: "Int64",
  description: scalarDescriptions.int64,
  serialize: parseValue,
  parseValue,
  parseLiteral: (node) => {
    const value = node.kind === Kind.INT || node.kind === Kind.STRING ? wholeNumber(node.value) : undefined;
    if (value !== undefined) return inRange(value, node);
    throw scalarError(`Type mismatched for Value \`${textOf(node)}\`, expected: Int64, got: '${kindOf(node)}'`, node);
  },
});

function parseValue(value: unknown): bigint {
  const whole = typeof value === "bigint" ? value : typeof value === "string" ? wholeNumber(value) : exact(value);
  if (whole === undefined) throw scalarError(`Type mismatched for Value \`${shown(value)}\`, expected:\`Int64\``);
  return inRange(whole);
}

/** Never throws, for any input. */
function shown(value: unknown): string {
  return typeof value === "object"
    ? (JSON.stringify(value, (_, member) => (typeof member === "bigint" ? String(member) : member)) ?? "")
    : String(value);
}

function exact(value: unknown): bigint | undefined {
  return Number.isSafeInteger(value) ? BigInt(Number(value)) : undefined;
}

/** Allows a sign, no blanks. Reads at most 40 digits, enough to be out of range: converting a longer text could take long. */
function wholeNumber(text: string): bigint | undefined {
  const [, sign = "", digits] = /^([+-]?)0*(\d{1,40})\d*$/.exec(text) ?? [];
  return digits === undefined ? undefined : BigInt(digits) * (sign === "-" ? -1n : 1n);
}

function inRange(value: bigint, node?: ASTNode): bigint {
  if (BigInt.asIntN(64, value) !== value) throw outOfRange(node && "value" in node ? String(node.value) : String(value), "Int64", node);
  return value;
}

function textOf(node: ASTNode): string {
  return "value" in node ? String(node.value) : print(node);
}

/** `Float` of `FloatValue`. */
function kindOf({ kind }: ASTNode): string {
  return kind.replace(/Value$/, "");
}
