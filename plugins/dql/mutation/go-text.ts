// Quoted texts as Go reads them (`strconv.Unquote`).

import { refusal } from "../language/problem.ts";

const simple: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
  "/": "/",
};

const escapes = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([0-7]{3})|(.))/gsu;

/** @param inner between the quotes */
export function unquoted(inner: string): string {
  if (inner.includes("\n")) throw refusal("while unquoting: invalid syntax");
  if (!inner.includes("\\")) return inner;
  return inner.replace(escapes, (_, four?: string, eight?: string, two?: string, octal?: string, one?: string) => {
    const digits = four ?? eight ?? two;
    if (digits !== undefined) return characterOf(Number.parseInt(digits, 16));
    if (octal !== undefined) return characterOf(Number.parseInt(octal, 8));
    const character = simple[one ?? ""];
    if (character === undefined) throw refusal("while unquoting: invalid syntax");
    return character;
  });
}

function characterOf(code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw refusal("while unquoting: invalid syntax");
  return String.fromCodePoint(code);
}
