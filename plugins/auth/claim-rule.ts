// Compiles RBAC rules, which test one claim: `{$ROLE: {eq: "ADMIN"}}`.

import { RE2JS } from "re2js";
import type { Json } from "../../core/plugin.ts";
import type { Claims } from "./parse-token.ts";

export interface ClaimTest {
  readonly claim: string;
  readonly holds: (claims: Claims) => boolean;
}

/** At most one blank between two tokens, as in Dgraph. */
const shape = /^\{[\t\n\f\r ]?(.*?)[\t\n\f\r ]?:[\t\n\f\r ]?\{[\t\n\f\r ]?(\w*)[\t\n\f\r ]?:[\t\n\f\r ]?(.*)[\t\n\f\r ]?\}[\t\n\f\r ]?\}$/u;

/** Undefined when an error was reported. */
export function compileClaimRule(rule: string, report: (message: string) => void): ClaimTest | undefined {
  const refuse = (message: string): undefined => {
    report(message);
    return undefined;
  };
  const [, variable, operator, written] = shape.exec(rule) ?? [];
  if (variable === undefined || operator === undefined || written === undefined) return refuse(`\`${rule}\` is not a valid rule.`);
  const operand = parsed(written);
  if (!variable.startsWith("$") || operand === undefined) return refuse(`\`${variable}\` is not a valid GraphQL variable.`);
  if (operand === null) return refuse(`\`${operator}\` operator has invalid value. null values aren't supported.`);
  const name = variable.slice(1);
  const test = testOf(operator, operand);
  if (typeof test === "string") return refuse(test.replace("{name}", () => name));
  return { claim: name, holds: (claims) => holds(test, Object.hasOwn(claims, name) ? (claims[name] ?? null) : null) };
}

/** A claim that is a list passes when one of its elements does. */
function holds(test: (claim: Json) => boolean, claim: Json): boolean {
  return isList(claim) ? claim.some(test) : test(claim);
}

/** The test, or an error message. A missing claim is null. */
function testOf(operator: string, operand: Json): ((claim: Json) => boolean) | string {
  switch (operator) {
    case "eq":
      if (isList(operand)) return `\`eq\` operator has invalid value \`${printJson(operand)}\`. Array values in eq operator will not be supported.`;
      return (claim) => equalJson(claim, operand);
    case "in":
      if (!isList(operand)) return `\`in\` operator has invalid value \`${printJson(operand)}\`. Value should be an array.`;
      return (claim) => operand.some((each) => equalJson(claim, each));
    case "regexp":
      if (typeof operand !== "string") return `\`regexp\` operator has invalid value \`${printJson(operand)}\`. Value should be of type String.`;
      return expressionTest(operand) ?? "`{name}` does not have a valid regex expression.";
    default:
      return `\`${operator}\` operator is not supported.`;
  }
}

/** RE2 syntax, so the time is linear in the claim's length. */
function expressionTest(written: string): ((claim: Json) => boolean) | undefined {
  try {
    const expression = RE2JS.compile(written);
    return (claim) => typeof claim === "string" && expression.test(claim);
  } catch {
    return undefined;
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Deep comparison and printing of JSON values.

/** Deep equality. Numbers compare as doubles; the order of members does not matter. */
function equalJson(a: Json, b: Json): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, i) => equalJson(each, b[i] ?? null));
  }
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([name, value]) => right.has(name) && equalJson(value, right.get(name) ?? null));
}

/** Prints a value as Go does, as in Dgraph's messages: `[a b]`, `map[x:1]`. */
function printJson(value: Json): string {
  if (typeof value !== "object" || value === null) return value === null ? "<nil>" : String(value);
  if (Array.isArray(value)) return `[${value.map(printJson).join(" ")}]`;
  const members = Object.entries(value).map(([name, member]) => `${name}:${printJson(member)}`);
  return `map[${members.join(" ")}]`;
}
