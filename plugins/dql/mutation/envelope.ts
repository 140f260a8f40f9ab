// The blocks of a request in DQL text: `{ set {...} delete {...} }`, or `upsert { query {...} mutation @if(...) {...} }`.

import type { Work } from "../../../core/plugin.ts";
import { QuernError } from "../../../core/plugin.ts";

/** Where the parts of a request are, as texts. */
export interface Envelope {
  /** With its braces, and perhaps with a name and variables. */
  readonly query: string | undefined;
  readonly mutations: readonly MutationText[];
}

export interface MutationText {
  /** What is in the parentheses of `@if`. */
  readonly condition: string | undefined;
  readonly set: string;
  readonly delete: string;
}

/** The parts of a request are not where they belong: nothing of it is looked at. */
export class EnvelopeError extends QuernError {
  constructor(message: string) {
    super("REQUEST_INVALID", message);
  }
}

/** Characters that are looked at in one step. */
const stepCharacters = 65_536;

export function* readEnvelope(text: string): Work<Envelope> {
  return yield* new EnvelopeReader(text).request();
}

const word = /[A-Za-z]+/y;
const blanks = /(?:\s|#[^\n]*)+/uy;

class EnvelopeReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  *request(): Work<Envelope> {
    const start = this.#at;
    const first = this.#word();
    if (first === "upsert") return yield* this.#upsert();
    if (first === undefined && this.#takes("{") && this.#peekWord(["set", "delete"])) {
      const mutation = yield* this.#parts();
      this.#end();
      return { query: undefined, mutations: [{ ...mutation, condition: undefined }] };
    }
    // Anything else is read as a query, whose parser finds its faults.
    if (first !== undefined && first !== "query" && first !== "fragment") throw this.#fault(`Invalid operation type: ${first}`);
    if (first === undefined && this.#text[start] !== "{" && !this.#text.slice(0, this.#at).trimEnd().endsWith("{"))
      throw this.#fault("Invalid operation type");
    return { query: this.#text.slice(start), mutations: [] };
  }

  *#upsert(): Work<Envelope> {
    this.#expects("{");
    let query: string | undefined;
    const mutations: MutationText[] = [];
    while (!this.#takes("}")) {
      const name = this.#word();
      if (name === "query") {
        if (query !== undefined) throw this.#fault("Multiple query ops inside upsert block");
        query = yield* this.#query();
      } else if (name === "mutation") {
        const condition = this.#condition();
        this.#expects("{");
        mutations.push({ ...(yield* this.#parts()), condition });
      } else throw this.#fault("Expected query or mutation in the upsert block");
    }
    if (query === undefined) throw this.#fault("Query op not found in upsert block");
    if (mutations.length === 0) throw this.#fault("Mutation op not found in upsert block");
    this.#end();
    return { query, mutations };
  }

  /** From after `query`: a name, variables and blocks. */
  *#query(): Work<string> {
    const start = this.#at;
    this.#skip();
    const brace = this.#text.indexOf("{", this.#at);
    if (brace < 0) throw this.#fault("Expected { after query");
    const head = this.#text.slice(start, brace);
    this.#at = brace;
    const blocks = yield* this.#braces();
    return `query${head}${blocks}`;
  }

  #condition(): string | undefined {
    this.#skip();
    if (this.#text[this.#at] !== "@") return undefined;
    if (!this.#text.startsWith("@if", this.#at)) throw this.#fault("Expected @if");
    this.#at += 3;
    this.#skip();
    const start = this.#at + 1;
    if (this.#text[this.#at] !== "(") throw this.#fault("Expected ( after @if");
    for (let depth = 0; ; this.#at++) {
      const character = this.#text[this.#at];
      if (character === undefined || character === "{") throw this.#fault("Matching brackets not found");
      if (character === '"') this.#skipQuoted();
      else if (character === "(") depth++;
      else if (character === ")" && --depth === 0) break;
    }
    return this.#text.slice(start, this.#at++);
  }

  /** From after `{` to after `}`. Of several blocks of one kind the last counts. */
  *#parts(): Work<Pick<MutationText, "set" | "delete">> {
    const parts = { set: "", delete: "" };
    while (!this.#takes("}")) {
      const name = this.#word();
      if (name !== "set" && name !== "delete") throw this.#fault(`Invalid block: ${name ?? this.#shown()}`);
      this.#skip();
      if (this.#text[this.#at] !== "{") throw this.#fault(`Expected { after ${name}`);
      parts[name] = (yield* this.#braces()).slice(1, -1);
    }
    return parts;
  }

  /** The text from `{`, where it is, to the brace that closes it. */
  *#braces(): Work<string> {
    const start = this.#at;
    let pause = start + stepCharacters;
    for (let depth = 0; ; this.#at++) {
      if (this.#at > pause) {
        yield;
        pause = this.#at + stepCharacters;
      }
      const character = this.#text[this.#at];
      if (character === undefined) throw this.#fault("Unclosed brace");
      if (character === '"') this.#skipQuoted();
      else if (character === "<") this.#skipIri();
      else if (character === "#") this.#at = this.#endOfLine();
      else if (character === "{") depth++;
      else if (character === "}" && --depth === 0) break;
    }
    return this.#text.slice(start, ++this.#at);
  }

  #skipQuoted(): void {
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) {
      if (this.#text[this.#at] === undefined) throw this.#fault("Unclosed text");
      if (this.#text[this.#at] === "\\") this.#at++;
    }
  }

  /** `#` in an IRI begins no comment. */
  #skipIri(): void {
    const inner = /<[^<>\s]*>/y;
    inner.lastIndex = this.#at;
    if (inner.test(this.#text)) this.#at = inner.lastIndex - 1;
  }

  #endOfLine(): number {
    const end = this.#text.indexOf("\n", this.#at);
    return end < 0 ? this.#text.length - 1 : end;
  }

  #skip(): void {
    blanks.lastIndex = this.#at;
    if (blanks.test(this.#text)) this.#at = blanks.lastIndex;
  }

  #word(): string | undefined {
    this.#skip();
    word.lastIndex = this.#at;
    const [found] = word.exec(this.#text) ?? [];
    if (found !== undefined) this.#at = word.lastIndex;
    return found;
  }

  #peekWord(words: readonly string[]): boolean {
    const before = this.#at;
    const found = this.#word();
    const isBlock = found !== undefined && words.includes(found) && this.#isFollowedByBrace();
    this.#at = before;
    return isBlock;
  }

  #isFollowedByBrace(): boolean {
    this.#skip();
    return this.#text[this.#at] === "{";
  }

  #takes(sign: string): boolean {
    this.#skip();
    const found = this.#text[this.#at] === sign;
    if (found) this.#at++;
    return found;
  }

  #expects(sign: string): void {
    if (!this.#takes(sign)) throw this.#fault(`Expected ${sign}. Got: ${this.#shown()}`);
  }

  #end(): void {
    this.#skip();
    if (this.#at < this.#text.length) throw this.#fault(`Unexpected text after the request: ${this.#shown()}`);
  }

  #shown(): string {
    return this.#text.slice(this.#at, this.#at + 20) || "the end of the request";
  }

  #fault(message: string): EnvelopeError {
    const before = this.#text.slice(0, this.#at);
    return new EnvelopeError(`line ${before.split("\n").length} column ${this.#at - before.lastIndexOf("\n")}: ${message}`);
  }
}
