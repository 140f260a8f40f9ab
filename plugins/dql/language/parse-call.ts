// Parses functions and filters.

import type { Work } from "../../../core/plugin.ts";
import type { Cursor } from "./cursor.ts";
import type { Place } from "./problem.ts";
import type { Argument, Call, Filter, Literal, Predicate, Subject } from "./syntax.ts";

/** The functions that may stand at the root and in filters. */
const functions: ReadonlySet<string> = new Set([
  "uid",
  "type",
  "has",
  "eq",
  "le",
  "lt",
  "ge",
  "gt",
  "between",
  "allofterms",
  "anyofterms",
  "alloftext",
  "anyoftext",
  "ngram",
  "regexp",
  "match",
  "near",
  "within",
  "contains",
  "intersects",
  "uid_in",
  "similar_to",
  "anyof",
  "allof",
]);
const similarityOptions = ["ef", "distance_threshold"];

/** The function of a block. */
export function parseRootCall(cursor: Cursor): Work<Call> {
  return parseCall(cursor, (name) => `Function name: ${name} is not valid.`);
}

/** From after `@filter` to its closing parenthesis; undefined for `@filter()`. */
export function* parseFilter(cursor: Cursor): Work<Filter | undefined> {
  cursor.expectSign("(");
  if (cursor.takeSign(")")) return undefined;
  const filter = yield* parseOr(cursor);
  if (cursor.isName()) throw cursor.fault("Expected one item in value stack: join functions with AND or OR");
  cursor.expectSign(")", "Unbalanced parentheses in @filter statement");
  return filter;
}

function parseOr(cursor: Cursor): Work<Filter> {
  return parseJoined(cursor, "or", () => parseJoined(cursor, "and", () => parseNot(cursor)));
}

function* parseJoined(cursor: Cursor, word: "and" | "or", parsePart: () => Work<Filter>): Work<Filter> {
  const first = yield* parsePart();
  const of = [first];
  while (takeWord(cursor, word)) {
    of.push(yield* parsePart());
    if (cursor.endsStep()) yield;
  }
  return of.length === 1 ? first : { kind: word, of };
}

function* parseNot(cursor: Cursor): Work<Filter> {
  cursor.descend();
  const filter = yield* parsePart(cursor);
  cursor.ascend();
  return filter;
}

function* parsePart(cursor: Cursor): Work<Filter> {
  if (takeWord(cursor, "not")) return { kind: "not", of: yield* parseNot(cursor) };
  if (!cursor.takeSign("(")) return yield* parseCall(cursor, (name) => `Invalid function name: ${name}`);
  const inner = yield* parseOr(cursor);
  cursor.expectSign(")", "Unbalanced parentheses in @filter statement");
  return inner;
}

function takeWord(cursor: Cursor, word: string): boolean {
  const { kind, text } = cursor.peek();
  const found = kind === "name" && text.toLowerCase() === word;
  if (found) cursor.next();
  return found;
}

function* parseCall(cursor: Cursor, unknown: (name: string) => string): Work<Call> {
  cursor.countFunction();
  const at = cursor.place;
  const { kind, text } = cursor.peek();
  const name = text.toLowerCase();
  if (kind !== "name" || name === "and" || name === "or" || name === "not") throw cursor.fault("Invalid filter statement");
  cursor.next();
  cursor.expectSign("(", `Expected ( after func name [${name}]`);
  if (name === "var") throw cursor.fault("Unexpected var(). Maybe you want to try using uid()", at);
  if (!functions.has(name)) throw cursor.fault(unknown(name), at);
  return yield* name === "uid" || name === "type" ? parseNodeCall(cursor, name, at) : parseValueCall(cursor, name, at);
}

/** `uid(...)` and `type(...)`, whose arguments are no predicates. */
function* parseNodeCall(cursor: Cursor, name: "uid" | "type", at: Place): Work<Call> {
  const items: Argument[] = [];
  yield* cursor.list(")", () => {
    if (cursor.isSign("[")) throw cursor.fault("Unexpected character [ while parsing request.");
    const literal = cursor.literal("a uid or a variable");
    if (name === "uid" && literal.kind === "text" && literal.text.toLowerCase() === "val" && cursor.isSign("("))
      return void items.push({ kind: "val", variable: parseInParentheses(cursor) });
    const isVariable = name === "uid" && literal.kind === "text" && !literal.quoted && /^[A-Za-z_~]/.test(literal.text);
    items.push(isVariable ? { kind: "uids", variable: literal.text } : literal);
  });
  if (name === "type" && items.length !== 1) {
    const names = items.map((item) => (item.kind === "text" ? item.text : item.kind === "variable" ? item.name : "?"));
    throw cursor.fault(`type function only supports one argument. Got: [${names.join(" ")}]`, at);
  }
  return { kind: "call", name, subject: { kind: "node" }, arguments: items, options: new Map(), at };
}

function parseInParentheses(cursor: Cursor): string {
  cursor.expectSign("(");
  const variable = cursor.name("a variable");
  cursor.expectSign(")");
  return variable;
}

function* parseValueCall(cursor: Cursor, name: string, at: Place): Work<Call> {
  if (cursor.isSign(")") || cursor.peek().kind === "variable") throw cursor.fault(`Got empty attr for function: [${name}]`);
  const subject = yield* parseSubject(cursor);
  if ((subject.kind === "predicate" || subject.kind === "count") && subject.predicate.name === "uid")
    throw cursor.fault('Argument cannot be "uid"', subject.predicate.at);
  const items: Argument[] = [];
  const options = new Map<string, Literal>();
  const readNext = () => readArgument(cursor, { name, items, options });
  if (!cursor.takeSign(")")) {
    cursor.expectSign(",");
    if (cursor.isSign(")")) throw cursor.fault("Empty Argument");
    yield* cursor.listInSteps(")", readNext);
  }
  return { kind: "call", name, subject, arguments: items, options, at };
}

function* parseSubject(cursor: Cursor): Work<Subject> {
  if (cursor.peek().kind === "string") throw cursor.fault(`Attribute in function must not be quoted with ": "${cursor.peek().text}"`);
  const at = cursor.place;
  const name = cursor.name("a predicate");
  if (!cursor.takeSign("(")) return { kind: "predicate", predicate: parseLanguages(cursor, { name, at }) };
  const inner = name.toLowerCase();
  if (inner !== "count" && inner !== "val" && inner !== "len") throw cursor.fault(`Unexpected function ${name}() as an argument`, at);
  if (cursor.isSign(")")) throw cursor.fault(`Got empty attr for function: [${inner}]`);
  const subject = yield* parseInner(cursor, inner);
  cursor.expectSign(")");
  return subject;
}

function* parseInner(cursor: Cursor, inner: "count" | "val" | "len"): Work<Subject> {
  if (inner === "val") return { kind: "val", variable: cursor.name("a variable") };
  if (inner === "len") return { kind: "length", variable: cursor.name("a variable") };
  const predicate = parsePredicate(cursor);
  return { kind: "count", predicate, filter: cursor.takeDirective("filter") ? yield* parseFilter(cursor) : undefined };
}

interface Reading {
  readonly name: string;
  readonly items: Argument[];
  readonly options: Map<string, Literal>;
}

function* readArgument(cursor: Cursor, { name, items, options }: Reading): Work<void> {
  const regex = name === "regexp" ? cursor.takeRegex() : undefined;
  if (regex) return void items.push({ kind: "text", text: regex.text, quoted: false });
  const at = cursor.place;
  const argument = yield* parseArgument(cursor);
  if (name === "similar_to" && argument.kind === "text" && cursor.takeSign(":")) {
    if (!similarityOptions.includes(argument.text)) throw cursor.fault(`Unknown option ${JSON.stringify(argument.text)} in similar_to`, at);
    if (options.has(argument.text)) throw cursor.fault(`Duplicate key ${JSON.stringify(argument.text)} in similar_to options`, at);
    return void options.set(argument.text, cursor.literal("a value"));
  }
  items.push(argument);
}

function* parseArgument(cursor: Cursor): Work<Argument> {
  if (cursor.takeSign("[")) {
    const items: Argument[] = [];
    if (cursor.isSign("]")) throw cursor.fault("Empty Argument");
    cursor.descend();
    yield* cursor.listInSteps("]", function* () {
      items.push(yield* parseArgument(cursor));
    });
    cursor.ascend();
    return { kind: "list", items };
  }
  const at = cursor.place;
  const literal = cursor.literal("a value");
  if (literal.kind !== "text" || literal.quoted || !cursor.isSign("(")) return literal;
  const inner = literal.text.toLowerCase();
  if (inner !== "val" && inner !== "uid") throw cursor.fault("Multiple functions as arguments not allowed", at);
  const variable = parseInParentheses(cursor);
  return inner === "val" ? { kind: "val", variable } : { kind: "uids", variable };
}

/** A predicate with the languages after it. */
export function parsePredicate(cursor: Cursor): Predicate {
  const at = cursor.place;
  return parseLanguages(cursor, { name: cursor.name("a predicate"), at });
}

/** `@en` after a name in a function, an order or a group key. */
function parseLanguages(cursor: Cursor, { name, at }: { readonly name: string; readonly at: Place }): Predicate {
  if (cursor.directive === "filter" || !cursor.takeSign("@")) return { name, languages: undefined, at };
  return { name, languages: parseLanguageList(cursor), at };
}

/** `en:fr:.`, `.` or `*`. */
export function parseLanguageList(cursor: Cursor): string {
  if (cursor.takeSign("*")) return "*";
  const tags: string[] = [];
  do tags.push(cursor.takeSign(".") ? "." : cursor.name("a language"));
  while (cursor.takeSign(":"));
  return tags.join(":");
}
