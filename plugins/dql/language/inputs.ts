// Query variables: the values that a caller gives, checked against the declarations.

import { refusal } from "./problem.ts";
import type { Document, Literal, VariableDeclaration } from "./syntax.ts";

/** The texts of query variables, by name with `$`. */
export type Inputs = ReadonlyMap<string, string>;

/**
 * @param given by name with `$`; an absent or empty text takes the default
 * @throws QuernError when a value does not fit its declaration
 */
export function inputsOf({ variables }: Document, given: Readonly<Record<string, string>>): Inputs {
  // A document without a variable list takes no notice of what it is given.
  if (variables === undefined) return new Map();
  const declared = new Set(variables.map(({ name }) => name));
  const unknown = Object.keys(given).find((name) => !declared.has(name));
  if (unknown !== undefined) throw refusal(`Type of variable ${unknown} not specified`);
  return new Map(variables.map((declaration) => [declaration.name, textGiven(declaration, given[declaration.name])]));
}

function textGiven({ name, type, required, fallback }: VariableDeclaration, given: string | undefined): string {
  const text = given === undefined || given === "" ? (fallback ?? "") : given;
  if (required && (given === undefined || given === "")) throw refusal(`Variable ${name} should be initialised`);
  if (text !== "") checkType(type, text);
  return text;
}

const integer = /^[+-]?\d+$/;

function checkType(type: string, text: string): void {
  switch (type) {
    case "int":
      if (!integer.test(text)) throw refusal(`Expected an int but got ${text}: strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
      return;
    case "float":
      if (parseFloatText(text) === undefined)
        throw refusal(`Expected a float but got ${text}: strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`);
      return;
    case "bool":
      if (parseBoolText(text) === undefined)
        throw refusal(`Expected a bool but got ${text}: strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
      return;
    case "string":
    case "float32vector":
      return;
    default:
      throw refusal(`Type ${JSON.stringify(type)} not supported`);
  }
}

export function parseFloatText(text: string): number | undefined {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

export function parseBoolText(text: string): boolean | undefined {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  return ["0", "f", "F", "false", "FALSE", "False"].includes(text) ? false : undefined;
}

/** The text of a literal. */
export function textOf(literal: Literal, inputs: Inputs): string {
  if (literal.kind === "text") return literal.text;
  const text = inputs.get(literal.name);
  if (text === undefined) throw refusal(`Variable not defined ${literal.name}`);
  return text;
}
