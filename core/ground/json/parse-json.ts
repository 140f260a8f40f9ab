// Parses JSON without losing digits: `JSON.parse`, and a second pass only when an integer may exceed the precision of a double.

import { type AnswerValue, WrittenNumber } from "../values/value.ts";

/**
 * Parses a JSON text. It accepts and returns the same as `JSON.parse`, except that an integer beyond 2^53 - 1, written without fraction and
 * exponent, is a bigint with all its digits.
 *
 * An integer of more than 400 digits, which exceeds every double and every Int64, is `Infinity` as with `JSON.parse`: the conversion to a bigint
 * takes more than linear time.
 *
 * @throws SyntaxError as `JSON.parse`
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return /\d{16}/.test(text) ? parseExactly(text, Number) : value;
}

/**
 * The same, with a number that has a fraction or an exponent as a `WrittenNumber`: `12.50` keeps its last digit.
 *
 * @throws SyntaxError as `JSON.parse`
 */
export function parseAnswer(text: string): AnswerValue {
  const value: AnswerValue = JSON.parse(text);
  return /\d(?:\d{15}|[.eE])/.test(text) ? (parseExactly(text, (digits) => new WrittenNumber(digits)) as AnswerValue) : value;
}

const maxExactDigits = 400;
const number = /-?\d+(\.\d+)?([eE][-+]?\d+)?/y;

type JsonContainer = unknown[] | { [key: string]: unknown };

/** An array or object that is being parsed, and the key of its next value. */
interface Open {
  readonly container: JsonContainer;
  key: string | undefined;
}

/** `text` is valid JSON, so the first character of a token determines its kind. Uses an explicit stack: nesting has no limit. */
/** @param decimal makes the value of a number with a fraction or an exponent */
function parseExactly(text: string, decimal: (digits: string) => unknown): unknown {
  const stack: Open[] = [];
  let root: unknown;
  let at = 0;

  const add = (value: unknown): void => {
    const open = stack.at(-1);
    if (open === undefined) root = value;
    else if (Array.isArray(open.container)) open.container.push(value);
    else if (open.key === undefined) open.key = String(value);
    else {
      setMember(open.container, open.key, value);
      open.key = undefined;
    }
  };

  while (at < text.length) {
    const character = text[at] ?? "";
    if (character === "{" || character === "[") {
      const container: JsonContainer = character === "{" ? {} : [];
      add(container);
      stack.push({ container, key: undefined });
      at += 1;
    } else if (character === '"') {
      const end = endOfString(text, at);
      add(JSON.parse(text.slice(at, end)));
      at = end;
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      number.lastIndex = at;
      const [digits = "0", fraction, exponent] = number.exec(text) ?? [];
      add(fraction === undefined && exponent === undefined ? toInteger(digits) : decimal(digits));
      at += digits.length;
    } else if (character === "t" || character === "n") {
      add(character === "t" ? true : null);
      at += 4;
    } else if (character === "f") {
      add(false);
      at += 5;
    } else {
      if (character === "}" || character === "]") stack.pop();
      at += 1;
    }
  }
  return root;
}

/** Defines an own property under any name, as `JSON.parse` does: also `__proto__`; the last of equal names wins. */
export function setMember(container: { [key: string]: unknown }, key: string, value: unknown): void {
  if (key !== "__proto__") container[key] = value;
  else Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The index after the closing quote of the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** Whether an odd number of backslashes precedes `at`. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first -= 1;
  return (at - first) % 2 === 1;
}

function toInteger(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) || digits.length > maxExactDigits ? value : BigInt(digits);
}
