// Parses a block: `name(func: ...) @filter(...) { ... }`.

import type { Work } from "../../../core/plugin.ts";
import type { Cursor } from "./cursor.ts";
import { parseRootCall } from "./parse-call.ts";
import { DirectiveReader, type FieldsPlace, parseFields } from "./parse-fields.ts";
import { SliceReader } from "./parse-slice.ts";
import type { Block, Call, Literal, PathEnd, Recurse, Shortest } from "./syntax.ts";

export function* parseBlock(cursor: Cursor, fragment: FieldsPlace["fragment"]): Work<Block> {
  cursor.count();
  const at = cursor.place;
  let variable: string | undefined;
  let name = blockName(cursor);
  if (cursor.takeAs()) {
    variable = name;
    name = blockName(cursor);
  }
  const kind = name === "var" || name === "shortest" ? name : "shown";
  const head = yield* parseHead(cursor, kind);
  const { directives, ignoreReflex, recurse } = yield* parseDirectives(cursor);
  const isEmpty = head.call === undefined && kind !== "shortest";
  if (isEmpty && head.hasArguments && !cursor.isSign("{"))
    throw cursor.fault("Invalid query. No function used at root and no aggregation or math variables found in the body.", at);
  const place: FieldsPlace = { in: isEmpty ? "empty" : directives.groupBy ? "groups" : "nodes", fragment };
  const fields = cursor.isSign("{") ? yield* parseFields(cursor, place) : [];
  if (isEmpty && head.hasArguments && fields.length === 0)
    throw cursor.fault("Invalid query. No function used at root and no aggregation or math variables found in the body.", at);
  return {
    name,
    variable,
    kind,
    call: head.call,
    slice: head.slice.value,
    ...directives,
    ignoreReflex,
    recurse,
    shortest: kind === "shortest" ? head.path : undefined,
    fields,
    at,
  };
}

function blockName(cursor: Cursor): string {
  const at = cursor.place;
  const name = cursor.name("the name of a block");
  if (name.includes("-")) throw cursor.fault("Multiple word query name not allowed.", at);
  return name;
}

interface Head {
  readonly call: Call | undefined;
  readonly slice: SliceReader;
  readonly path: Shortest;
  readonly hasArguments: boolean;
}

const pathNumbers: ReadonlyMap<string, keyof Shortest> = new Map([
  ["numpaths", "paths"],
  ["depth", "depth"],
  ["minweight", "minWeight"],
  ["maxweight", "maxWeight"],
]);

function* parseHead(cursor: Cursor, kind: Block["kind"]): Work<Head> {
  cursor.expectSign("(", `Expected Left round brackets. Got: ${cursor.shown()}`);
  let call: Call | undefined;
  const slice = new SliceReader();
  const seen = new Set<string>();
  const path: { -readonly [Key in keyof Shortest]: Shortest[Key] } = {
    from: undefined,
    to: undefined,
    paths: undefined,
    depth: undefined,
    minWeight: undefined,
    maxWeight: undefined,
  };
  yield* cursor.listInSteps(")", function* () {
    const at = cursor.place;
    const word = cursor.name("an argument");
    cursor.expectSign(":", `Expecting a colon after ${word}`);
    const isOrder = word === "orderasc" || word === "orderdesc";
    if (word === "func" && call) throw cursor.fault("Only one function allowed at root", at);
    if (!isOrder && seen.has(word)) throw cursor.fault(`Repeated key ${JSON.stringify(word)} at root`, at);
    seen.add(word);
    const number = pathNumbers.get(word);
    if (word === "func") call = yield* parseRootCall(cursor);
    else if (word === "from" || word === "to") path[word] = parseEnd(cursor);
    else if (number !== undefined && number !== "from" && number !== "to") path[number] = cursor.literal("a number");
    else if (word === "maxfrontiersize") cursor.literal("a number");
    else if (!slice.take(cursor, word, at)) throw cursor.fault(`Got invalid keyword: ${word} at root`, at);
  });
  if (kind === "shortest" && call) throw cursor.fault("from/to can't be nil for shortest path");
  return { call, slice, path, hasArguments: seen.size > 0 };
}

/** `0x1`, `uid(0x1)` or `uid(v)`. */
function parseEnd(cursor: Cursor): PathEnd {
  const at = cursor.place;
  const literal = cursor.literal("a uid");
  if (literal.kind === "variable") throw cursor.fault(`from/to in shortest path can only accept uid function or an uid. Got: ${literal.name}`, at);
  if (!cursor.takeSign("(")) return literal;
  if (literal.text !== "uid") throw cursor.fault("from/to in shortest path can only accept uid function or an uid.", at);
  const inner: Literal = cursor.literal("a uid or a variable");
  if (inner.kind === "variable" || cursor.isSign(",")) throw cursor.fault("Only one DQL variable allowed inside uid function.", at);
  cursor.expectSign(")");
  return /^[A-Za-z_~]/.test(inner.text) && !inner.quoted ? { variable: inner.text } : inner;
}

function* parseDirectives(cursor: Cursor) {
  const reader = new DirectiveReader();
  let ignoreReflex = false;
  let recurse: Recurse | undefined;
  while (cursor.isSign("@")) {
    const word = cursor.directive?.toLowerCase();
    if (word === "ignorereflex") {
      takeDirective(cursor);
      ignoreReflex = true;
    } else if (word === "recurse") {
      takeDirective(cursor);
      recurse = yield* parseRecurse(cursor);
    } else yield* reader.read(cursor, { fold: true, repeated: "Repeated filter at root" });
  }
  return { directives: reader.value, ignoreReflex, recurse };
}

function takeDirective(cursor: Cursor): void {
  cursor.next();
  cursor.next();
}

function* parseRecurse(cursor: Cursor): Work<Recurse> {
  const found: { depth: Literal | undefined; loop: Literal | undefined } = { depth: undefined, loop: undefined };
  if (!cursor.takeSign("(")) return found;
  yield* cursor.list(")", () => {
    const at = cursor.place;
    const word = cursor.name("depth or loop");
    const key = word.toLowerCase();
    if (key !== "depth" && key !== "loop") throw cursor.fault(`Unexpected key: [${word}] inside @recurse block`, at);
    cursor.expectSign(":");
    if (cursor.isSign("-")) throw cursor.fault(`Expected value inside @recurse() for key: ${word}`);
    found[key] = cursor.literal("a value");
  });
  return found;
}
