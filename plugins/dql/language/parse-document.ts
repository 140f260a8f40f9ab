// Parses a DQL document. It may hold several operations, whose blocks are joined, and fragments.

import type { Work } from "../../../core/plugin.ts";
import { Cursor } from "./cursor.ts";
import type { Token } from "./lexer.ts";
import { parseBlock } from "./parse-block.ts";
import { type FieldsPlace, parseFields } from "./parse-fields.ts";
import { refusal } from "./problem.ts";
import type { Block, Document, Field, VariableDeclaration } from "./syntax.ts";

type Fragment = FieldsPlace["fragment"];

/**
 * @throws QuernError with line and column
 */
export function* parseDocument(text: string): Work<Document> {
  if (text.trim() === "") throw refusal("empty request");
  const starts = new Map<string, Token>();
  const document = yield* parseWith(new Cursor(text), { starts, fragment: undefined });
  if (!usesFragments(text)) return document;
  // Fragments may be used before they are defined: the first pass finds where they are, the second reads them wherever they are used.
  const cursor = new Cursor(text);
  return yield* parseWith(cursor, { starts: new Map(), fragment: fragmentsAt(cursor, starts) });
}

function usesFragments(text: string): boolean {
  return text.includes("...");
}

function fragmentsAt(cursor: Cursor, starts: ReadonlyMap<string, Token>): Fragment {
  const open: string[] = [];
  return function* (name, place): Work<readonly Field[]> {
    const start = starts.get(name);
    if (start === undefined) throw refusal(`Missing fragment: ${name}`);
    if (open.includes(name)) throw refusal(`Cycle detected: ${name}`);
    open.push(name);
    cursor.descend();
    const back = cursor.jump(start);
    const fields = yield* parseFields(cursor, place);
    cursor.jump(back);
    cursor.ascend();
    open.pop();
    return fields;
  };
}

interface Reading {
  /** Where the fields of each fragment start; the last of one name counts. */
  readonly starts: Map<string, Token>;
  readonly fragment: Fragment;
}

function* parseWith(cursor: Cursor, { starts, fragment }: Reading): Work<Document> {
  const blocks: Block[] = [];
  let variables: VariableDeclaration[] | undefined;
  while (cursor.peek().kind !== "end") {
    if (cursor.isSign("{")) {
      yield* parseBlocks(cursor, fragment, blocks);
      continue;
    }
    const at = cursor.place;
    const word = cursor.isName() ? cursor.next().text : cursor.shown();
    if (word === "}") throw cursor.fault("Too many right curl", at);
    if (word === "fragment") {
      const name = cursor.name("the name of a fragment");
      starts.set(name, cursor.peek());
      cursor.isUnused = true;
      yield* parseFields(cursor, { in: "nodes", fragment: undefined });
      cursor.isUnused = false;
    } else if (word === "query") {
      const declared = yield* parseHeader(cursor);
      if (declared) variables = [...(variables ?? []), ...declared];
      yield* parseBlocks(cursor, fragment, blocks);
    } else if (word === "mutation" || word === "upsert") throw cursor.fault("Mutation block no longer allowed.", at);
    else throw cursor.fault(`Invalid operation type: ${word}`, at);
  }
  return { variables, blocks, parameters: cursor.parameters };
}

function* parseBlocks(cursor: Cursor, fragment: Fragment, blocks: Block[]): Work<void> {
  const at = cursor.place;
  cursor.expectSign("{", `Malformed Query. Missing {. Got ${cursor.shown()}`);
  if (cursor.isSign("}")) throw cursor.fault("The operation has no blocks", at);
  while (!cursor.takeSign("}")) {
    if (cursor.peek().kind === "end") throw cursor.fault("Unclosed action");
    blocks.push(yield* parseBlock(cursor, fragment));
    cursor.skipCommas();
    if (cursor.endsStep()) yield;
  }
}

/** The name and the variables after `query`. */
function* parseHeader(cursor: Cursor): Work<readonly VariableDeclaration[] | undefined> {
  const at = cursor.place;
  const name = cursor.isName() ? cursor.name("a name") : undefined;
  if (name?.includes("-")) throw cursor.fault("Multiple word query name not allowed.", at);
  if (!cursor.isSign("(")) return undefined;
  if (name === undefined) throw cursor.fault("Variables can be defined only in named queries.");
  cursor.next();
  const declared = new Map<string, VariableDeclaration>();
  yield* cursor.list(")", () => {
    const declaration = parseDeclaration(cursor);
    if (!declared.has(declaration.name)) declared.set(declaration.name, declaration);
  });
  return [...declared.values()];
}

function parseDeclaration(cursor: Cursor): VariableDeclaration {
  const at = cursor.place;
  const token = cursor.next();
  if (token.kind !== "variable") throw cursor.fault("Expected a variable name with $", at);
  cursor.expectSign(":");
  const type = cursor.name("the type of a variable");
  const required = takeExclamation(cursor);
  if (!cursor.takeSign("=")) return { name: token.text, type, required, fallback: undefined };
  if (required) throw cursor.fault(`Type ending with ! can't have default value: Got: ${type}!`, at);
  const literal = cursor.literal("a default value");
  if (literal.kind === "variable") throw cursor.fault("Expecting default value of a variable.", at);
  return { name: token.text, type, required, fallback: literal.text };
}

function takeExclamation(cursor: Cursor): boolean {
  return cursor.takeSign("!");
}
