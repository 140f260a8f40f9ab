// `ge(count(p), 2)`: how many edges or values a node has.

import { all, and, type EndName, type FieldLayout, none, not, type Predicate } from "../../../core/plugin.ts";
import { refusal } from "../language/problem.ts";
import type { Call, Predicate as Name } from "../language/syntax.ts";
import { fieldsOf } from "../schema/languages.ts";
import type { At, ConditionContext } from "./context.ts";
import { argumentTexts, checkCount } from "./texts.ts";

interface CountAt {
  /** What counted nodes must satisfy. */
  readonly where: Predicate;
  readonly at: At;
  readonly context: ConditionContext;
}

/** The condition that a number is at least `n`. */
type AtLeast = (n: number) => Predicate;

export function countCondition(call: Call, predicate: Name, { where, at, context }: CountAt): Predicate {
  const { catalog } = context;
  const texts = argumentTexts(call, context);
  if (call.name === "eq" && texts.length > 1) throw refusal(`Function 'eq' requires 1 arguments, but got ${texts.length} ([${texts.join(" ")}])`);
  checkCount(call.name, texts);
  const bounds = texts.map((text) => boundOf(call.name, text));
  const [name] = fieldsOf(predicate, catalog);
  const meaning = name === undefined ? undefined : catalog.meaningOf(name);
  if (at === "root") refuseAtRoot(call.name, bounds);
  if (meaning?.kind === "edge") return counted(call.name, bounds, at, edgesAtLeast(meaning.end.name, where));
  if (meaning?.kind === "value") return counted(call.name, bounds, at, valuesAtLeast(meaning.field));
  return none;
}

function counted(operator: string, bounds: readonly number[], at: At, atLeast: AtLeast): Predicate {
  const compared = compareCount(operator, bounds, atLeast);
  return at === "root" ? and(atLeast(1), compared) : compared;
}

function boundOf(operator: string, text: string): number {
  if (!/^[+-]?\d+$/.test(text))
    throw refusal(
      `Compare ${operator}(${text}) require digits, but got invalid num: strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  const bound = Number(text);
  if (bound < 0 || bound > 4294967295) throw refusal(`Compare ${operator}: threshold value ${text} must be between 0 and 4294967295`);
  return bound;
}

/** An index of counts does not know nodes without edges: `lt` and `le` leave them out, and a question that finds nothing else is refused. */
function refuseAtRoot(operator: string, bounds: readonly number[]): void {
  const least = operator === "gt" ? 0 : operator === "lt" ? 2 : 1;
  if (bounds.some((bound) => bound < least))
    throw refusal("count(predicate) cannot be used to search for negative counts (nonsensical) or zero counts (not tracked).");
}

function compareCount(operator: string, [first = 0, second = 0]: readonly number[], atLeast: AtLeast): Predicate {
  switch (operator) {
    case "ge":
      return atLeast(first);
    case "gt":
      return atLeast(first + 1);
    case "le":
      return not(atLeast(first + 1));
    case "lt":
      return not(atLeast(first));
    case "eq":
      return and(atLeast(first), not(atLeast(first + 1)));
    case "between":
      return second < first ? none : and(atLeast(first), not(atLeast(second + 1)));
    default:
      throw refusal(`${operator} does not compare a count: use eq, le, lt, ge, gt or between`);
  }
}

function edgesAtLeast(end: EndName, where: Predicate): AtLeast {
  return (n) => (n === 0 ? all : { kind: "linked", end, where, atLeast: n });
}

function valuesAtLeast({ name, list }: FieldLayout): AtLeast {
  const has: Predicate = { kind: "has", field: name };
  return (n) => {
    if (n <= 1) return n === 0 ? all : has;
    if (!list) return none;
    return { kind: "check", field: name, test: { id: `dql-length@1 ${n}`, holds: (values) => values.length >= n } };
  };
}
