// Parses one line of an RDF export: `<0x5> <Boat.home> <0x4> <0x0> .`

import { type Literal, type NodeLink, type Statement, UnreadableLine, uidOf } from "./statement.ts";

const start = /^\s*<0x([0-9a-fA-F]{1,16})>\s*<([^<>"]+)>\s*/;
const link = /<0x([0-9a-fA-F]{1,16})>/y;
const tag = /@([a-zA-Z]+(?:-[a-zA-Z0-9]+)*)/y;
const type = /\^\^<([^<>]*)>/y;
const label = /\s*<(0x[0-9a-fA-F]{1,16})>/y;
const end = /\s*\.\s*(?:#.*)?$/y;

/**
 * The statement of a line; undefined for a blank line and for a comment.
 *
 * @throws UnreadableLine
 */
export function parseRdf(line: string): Statement | undefined {
  const head = start.exec(line);
  if (head === null) return emptyOrRefused(line);
  const [whole, subject = "", predicate = ""] = head;
  const cursor = { line, at: whole.length };
  const { object, language } = readObject(cursor);
  const namespace = take(cursor, label)?.[1];
  const facets = readFacets(cursor);
  if (take(cursor, end) === undefined) throw new UnreadableLine("The line does not end with a point.");
  return { subject: uidOf(subject), predicate, language, object, namespace: Number(namespace ?? 0), facets };
}

interface Cursor {
  readonly line: string;
  at: number;
}

function emptyOrRefused(line: string): undefined {
  const text = line.trim();
  if (text === "" || text.startsWith("#")) return undefined;
  if (/^(?:_:|<(?!0x))/.test(text)) throw new UnreadableLine("The node has no uid: blank nodes and names of nodes do not occur in an export.");
  throw new UnreadableLine("The line does not begin with a uid and a predicate.");
}

function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.line) ?? undefined;
  if (found !== undefined) cursor.at = pattern.lastIndex;
  return found;
}

function readObject(cursor: Cursor): { readonly object: Literal | NodeLink; readonly language: string | undefined } {
  if (cursor.line[cursor.at] !== '"') {
    const target = take(cursor, link)?.[1];
    if (target === undefined) throw new UnreadableLine("The object is neither a uid nor a text in quotes.");
    return { object: { kind: "link", to: uidOf(target) }, language: undefined };
  }
  const text = readText(cursor);
  const language = take(cursor, tag)?.[1];
  if (language === undefined) take(cursor, type);
  return { object: { kind: "literal", text }, language };
}

/** Texts are escaped as in JSON. */
function readText(cursor: Cursor): string {
  const begin = cursor.at;
  const close = closingQuote(cursor.line, begin);
  if (close === -1) throw new UnreadableLine("The text has no closing quote.");
  cursor.at = close + 1;
  try {
    return String(JSON.parse(cursor.line.slice(begin, close + 1)));
  } catch {
    throw new UnreadableLine("The text has an invalid escape.");
  }
}

/** The place of the quote that ends the text that begins at `begin`; -1: none. */
function closingQuote(line: string, begin: number): number {
  for (let at = line.indexOf('"', begin + 1); at !== -1; at = line.indexOf('"', at + 1)) {
    let first = at;
    while (line[first - 1] === "\\") first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
}

/** The facets between their brackets, as written. A text inside may hold brackets. */
function readFacets(cursor: Cursor): string | undefined {
  const open = /\s*\(/y;
  if (take(cursor, open) === undefined) return undefined;
  const begin = cursor.at;
  for (let at = begin; at < cursor.line.length; at++) {
    const character = cursor.line[at];
    if (character === '"') {
      const close = closingQuote(cursor.line, at);
      if (close === -1) break;
      at = close;
    } else if (character === ")") {
      cursor.at = at + 1;
      return cursor.line.slice(begin, at);
    }
  }
  throw new UnreadableLine("The facets have no closing bracket.");
}
