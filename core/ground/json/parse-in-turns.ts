// Parses a long JSON text without holding the event loop: `JSON.parse` of 64 MiB takes a second.
//
// Only brackets, commas and quotes are looked at here. `JSON.parse` reads the members between them, 64 KiB in one go, and so decides what is
// valid.

import { nextTurn, TurnClock } from "../turns.ts";
import type { AnswerValue, MaybePromise } from "../values/value.ts";
import { endOfString, parseAnswer, parseJson, setMember } from "./parse-json.ts";

/** Characters that are parsed in one go. */
const sliceLength = 64 * 1024;
/** Texts that are nested deeper, and long, are refused. */
const maxDepth = 10_000;

/**
 * The same as `parseJson`, a few milliseconds in each turn of the event loop if the text is long.
 *
 * @throws SyntaxError, or rejects with one
 */
export function parseJsonInTurns(text: string): MaybePromise<unknown> {
  return isParsedAtOnce(text) ? parseJson(text) : new SlicedText(text, parseJson).parse();
}

/**
 * The same as `parseAnswer`, in turns.
 *
 * @throws SyntaxError, or rejects with one
 */
export function parseAnswerInTurns(text: string): MaybePromise<AnswerValue> {
  return isParsedAtOnce(text) ? parseAnswer(text) : (new SlicedText(text, parseAnswer).parse() as Promise<AnswerValue>);
}

function isParsedAtOnce(text: string): boolean {
  return text.length <= 4 * sliceLength || !/^\s*[[{]/.test(text);
}

type Container = unknown[] | { [key: string]: unknown };

/** An array or object whose end is not found yet. */
interface Open {
  readonly start: number;
  readonly closer: "]" | "}";
  /** Undefined: it is short so far, a part of a member of the one around it. */
  container: Container | undefined;
  /** Where the members begin that are not parsed. */
  from: number;
  /** The last comma between members. */
  comma: number;
  /** What was read last of its members. */
  last: "nothing" | "comma" | "container";
}

class SlicedText {
  readonly #text: string;
  /** Of the members of a container, in its brackets. */
  readonly #parse: (text: string) => unknown;
  readonly #open: Open[] = [];
  /** Behind the last token. */
  #at = 0;

  constructor(text: string, parse: (text: string) => unknown) {
    this.#text = text;
    this.#parse = parse;
  }

  async parse(): Promise<unknown> {
    const clock = new TurnClock();
    const root = this.#begin();
    for (let parsed = 0; this.#open.length > 0; ) {
      this.#readToken();
      if (this.#at - parsed < sliceLength) continue;
      parsed = this.#at;
      this.#parseMembers();
      if (!clock.isOver) continue;
      await nextTurn();
      clock.restart();
    }
    this.#assertBlank(this.#at, this.#text.length);
    return root;
  }

  #begin(): Container {
    const start = this.#text.search(/[[{]/);
    this.#assertBlank(0, start);
    this.#at = start + 1;
    const root = this.#opened(start);
    this.#open.push(root);
    root.container = emptyOf(root);
    return root.container;
  }

  #opened(start: number): Open {
    const closer = this.#text[start] === "[" ? "]" : "}";
    return { start, closer, container: undefined, from: start + 1, comma: start, last: "nothing" };
  }

  #readToken(): void {
    const at = this.#nextToken();
    this.#at = at + 1;
    const token = this.#text[at];
    const top = this.#open.at(-1);
    if (token === '"') this.#at = this.#endOfString(at);
    else if (token === "[" || token === "{") this.#push(at);
    else if (top && token === ",") this.#separate(top, at);
    else if (top) this.#close(top, at);
  }

  #nextToken(): number {
    const text = this.#text;
    for (let at = this.#at; at < text.length; at++) if (isToken[text.charCodeAt(at)] === 1) return at;
    throw new SyntaxError("Unexpected end of JSON input");
  }

  #endOfString(start: number): number {
    const end = endOfString(this.#text, start);
    if (end <= start) throw new SyntaxError(`Unterminated string in JSON at position ${start}`);
    return end;
  }

  #push(start: number): void {
    if (this.#open.length >= maxDepth) throw new SyntaxError(`The JSON text is nested more than ${maxDepth} deep`);
    this.#open.push(this.#opened(start));
  }

  #separate(top: Open, at: number): void {
    top.comma = at;
    if (top.last !== "container") return;
    this.#assertBlank(top.from, at);
    top.from = at + 1;
    top.last = "comma";
  }

  #close(top: Open, at: number): void {
    if (this.#text[at] !== top.closer) throw this.#unexpected(at);
    this.#open.pop();
    if (top.container === undefined) return;
    const isBlank = blank.test(this.#text.slice(top.from, at));
    if (isBlank ? top.last === "comma" : top.last === "container") throw this.#unexpected(at);
    if (!isBlank) this.#add(top, at);
    const around = this.#open.at(-1);
    if (around === undefined) return;
    around.from = at + 1;
    around.last = "container";
  }

  /** Parses all whole members, of the containers around first. */
  #parseMembers(): void {
    for (const [depth, each] of this.#open.entries()) {
      if (each.comma >= each.from) {
        this.#add(each, each.comma);
        each.from = each.comma + 1;
        each.last = "comma";
      }
      const inner = this.#open[depth + 1];
      if (inner?.container === undefined && inner) this.#make(inner, each);
    }
  }

  /** Adds the members from `from` up to `to`. */
  #add({ container, from, closer }: Open, to: number): void {
    const text = this.#text.slice(from, to);
    if (blank.test(text)) throw this.#unexpected(to);
    const members = this.#parse(closer === "]" ? `[${text}]` : `{${text}}`);
    if (Array.isArray(container) && Array.isArray(members)) for (const each of members) container.push(each);
    else if (isObject(container) && isObject(members)) for (const [key, value] of Object.entries(members)) setMember(container, key, value);
  }

  /** Makes the container of `inner`, a member of `around` that is not whole. */
  #make(inner: Open, { container, from, last }: Open): void {
    if (last === "container") throw this.#unexpected(inner.start);
    inner.container = emptyOf(inner);
    if (Array.isArray(container)) {
      this.#assertBlank(from, inner.start);
      container.push(inner.container);
      return;
    }
    const [key] = Object.keys(Object(parseJson(`{${this.#text.slice(from, inner.start)}null}`)));
    if (container === undefined || key === undefined) throw this.#unexpected(inner.start);
    setMember(container, key, inner.container);
  }

  #assertBlank(from: number, to: number): void {
    if (!blank.test(this.#text.slice(from, to))) throw this.#unexpected(from);
  }

  #unexpected(at: number): SyntaxError {
    return new SyntaxError(`Unexpected token in JSON near position ${at}`);
  }
}

/** By character: 1 for brackets, commas and quotes. Ten times as fast as a regular expression where tokens are dense. */
const isToken = Uint8Array.from({ length: 128 }, (_, code) => ('"[]{},'.includes(String.fromCharCode(code)) ? 1 : 0));
const blank = /^[ \t\r\n]*$/;

function emptyOf({ closer }: Open): Container {
  return closer === "]" ? [] : {};
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
