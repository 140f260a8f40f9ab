// Conditions as people read them: `Boat.seats >= 10 and linked(Boat.crew, has Sailor.name)`.

import type { Compare, Predicate } from "../../contracts/predicate.ts";
import type { Value } from "../../ground/values/value.ts";

const signs: Readonly<Record<Compare["op"], string>> = { eq: "=", in: "in", lt: "<", le: "<=", gt: ">", ge: ">=", between: "between" };

/** More operands, uids or tokens than this are counted, not listed. */
const maxListed = 10;

interface Printing {
  /** Prints how many operands there are, not their values. */
  readonly masked: boolean;
}

/** One line, whatever the size of the predicate. */
export function printPredicate(predicate: Predicate, printing: Printing = { masked: false }): string {
  const { masked } = printing;
  switch (predicate.kind) {
    case "all":
      return "everything";
    case "none":
      return "nothing";
    case "and":
      return predicate.of.map((each) => printInner(each, printing)).join(" and ");
    case "or":
      return predicate.of.map((each) => printInner(each, printing)).join(" or ");
    case "not":
      return `not ${printInner(predicate.of, printing)}`;
    case "type":
      return `is ${predicate.types.join(" | ")}`;
    case "uids":
      return `uid in (${masked ? predicate.uids.length : list(predicate.uids.map((uid) => `0x${uid.toString(16)}`))})`;
    case "after":
      return `uid > ${masked ? "..." : `0x${predicate.uid.toString(16)}`}`;
    case "has":
      return `has ${predicate.field}`;
    case "compare":
      return `${predicate.field} ${signs[predicate.op]} ${masked ? maskedOperands(predicate) : printOperands(predicate)}`;
    case "lookup":
      return `${predicate.index} has ${predicate.match} of (${masked ? predicate.tokens.length : list(predicate.tokens.map((token) => JSON.stringify(token)))})`;
    case "check":
      return `${predicate.field} passes ${masked ? "a test" : predicate.test.id}${predicate.within ? ` within ${printInner(predicate.within, printing)}` : ""}`;
    case "linked":
      return `linked(${predicate.end}, ${printPredicate(predicate.where, printing)}${predicate.atLeast > 1 ? `, at least ${predicate.atLeast}` : ""})`;
  }
}

function printInner(predicate: Predicate, printing: Printing): string {
  const text = printPredicate(predicate, printing);
  return predicate.kind === "and" || predicate.kind === "or" ? `(${text})` : text;
}

function maskedOperands({ op, operands }: Compare): string {
  return op === "in" ? `(${operands.length})` : "...";
}

function printOperands({ op, operands }: Compare): string {
  const texts = operands.map(printValue);
  if (op === "between") return texts.join(" and ");
  return op === "in" ? `(${list(texts)})` : (texts[0] ?? "nothing");
}

function printValue(value: Value): string {
  return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
}

function list(texts: readonly string[]): string {
  const shown = texts.slice(0, maxListed).join(", ");
  return texts.length > maxListed ? `${shown}, ... ${texts.length} in all` : shown;
}
