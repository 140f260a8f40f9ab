// Parses a schema request: `schema {}`, `schema(pred: [Hive.label]) { type index }`, `schema(type: Hive) {}`.

import type { Work } from "../../../core/plugin.ts";
import { Cursor } from "../language/cursor.ts";

/** What is asked of the schema. */
export interface SchemaRequest {
  /** Undefined: all predicates, unless types are named. */
  readonly predicates: readonly string[] | undefined;
  /** Undefined: all types, unless predicates are named. */
  readonly types: readonly string[] | undefined;
  /** The facts to show of a predicate. Undefined: all that are there. */
  readonly facts: ReadonlySet<string> | undefined;
}

/**
 * Undefined: the text is another document.
 *
 * @throws QuernError with line and column
 */
export function* parseSchemaRequest(text: string): Work<SchemaRequest | undefined> {
  const cursor = new Cursor(text);
  const { kind, text: word } = cursor.peek();
  if (kind !== "name" || word !== "schema") return undefined;
  cursor.next();
  const asked = cursor.takeSign("(") ? yield* parseSubject(cursor) : { predicates: undefined, types: undefined };
  const facts = yield* parseFacts(cursor);
  if (cursor.peek().kind !== "end") throw cursor.fault("Schema block is not allowed with query block");
  return { ...asked, facts };
}

/** `pred: a`, `pred: [a, b]`, `type: T`, after the opening bracket. */
function* parseSubject(cursor: Cursor): Work<Pick<SchemaRequest, "predicates" | "types">> {
  const at = cursor.place;
  const word = cursor.name("pred or type");
  if (word !== "pred" && word !== "type") throw cursor.fault(`Invalid word inside schema block: ${word}. Write pred or type.`, at);
  cursor.expectSign(":");
  const names = yield* parseNames(cursor);
  cursor.expectSign(")");
  return word === "pred" ? { predicates: names, types: undefined } : { predicates: undefined, types: names };
}

function* parseNames(cursor: Cursor): Work<readonly string[]> {
  if (!cursor.takeSign("[")) return [cursor.name("a name")];
  const names: string[] = [];
  yield* cursor.list("]", () => void names.push(cursor.name("a name")));
  return names;
}

function* parseFacts(cursor: Cursor): Work<ReadonlySet<string> | undefined> {
  cursor.expectSign("{");
  const facts = new Set<string>();
  cursor.skipCommas();
  while (!cursor.takeSign("}")) {
    if (cursor.peek().kind === "end") throw cursor.fault("Unclosed action");
    cursor.count();
    facts.add(cursor.name("a fact about predicates, such as type or index"));
    cursor.skipCommas();
    if (cursor.endsStep()) yield;
  }
  return facts.size === 0 ? undefined : facts;
}
