// The values of query variables as DQL has them: texts.

import { QuernError } from "../../../core/plugin.ts";
import type { DqlVariables } from "./run-text.ts";

/** Values as texts, by name with `$`. Null is the empty text. @throws QuernError `REQUEST_INVALID` for an object or a list */
export function variableTexts(given: Readonly<Record<string, unknown>>): DqlVariables {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name.startsWith("$") ? name : `$${name}`, textOf(name, value)]));
}

function textOf(name: string, value: unknown): string {
  if (value === null) return "";
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      return withoutExponent(value);
    default:
      throw new QuernError("REQUEST_INVALID", `couldn't convert argument ${name} to string`);
  }
}

/** The shortest decimal digits of a number, all of them written out. */
function withoutExponent(value: number): string {
  const [, sign = "", first = "", rest = "", exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) ?? [];
  if (exponent === undefined) return String(value);
  const [digits, shift] = [first + rest, Number(exponent)];
  if (shift < 0) return `${sign}0.${"0".repeat(-shift - 1)}${digits}`;
  return sign + digits.padEnd(shift + 1, "0");
}
