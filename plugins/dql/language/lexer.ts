// Splits a DQL document into tokens, one at a time: what a character means depends on where the parser is.

import { mistake, type Place } from "./problem.ts";

export type TokenKind = "name" | "iri" | "string" | "number" | "variable" | "spread" | "sign" | "end";

export interface Token {
  readonly kind: TokenKind;
  /** The decoded text: of a string without quotes and escapes, of an IRI without brackets, of a variable without `$`. */
  readonly text: string;
  /** Offsets in the document. */
  readonly start: number;
  readonly end: number;
}

/** `<` opens an IRI, except in `math(...)`, where it compares. */
export type Mode = "fields" | "math";

const blank = /[\s,]*/y;
const blankOnly = /\s*/y;
const name = /[A-Za-z_~][A-Za-z0-9_~.]*/y;
const number = /0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const variable = /\$[A-Za-z_][A-Za-z0-9_]*/y;
const iri = /<([^<>"{}|^`\\\s]+)>/y;
const plainText = /[^"\\\n]+/y;
const mathSign = /<=|>=|==|!=|[-+*/%<>(),]/y;
const escapes: Readonly<Record<string, string>> = { '"': '"', "'": "'", "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

export class Lexer {
  readonly #text: string;
  /** Offsets at which lines start. */
  readonly #lineStarts: readonly number[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    const starts = [0];
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
    this.#lineStarts = starts;
  }

  get offset(): number {
    return this.#at;
  }

  /** Goes back, or on, to an offset where a token starts. */
  reset(offset: number): void {
    this.#at = offset;
  }

  placeOf(offset: number): Place {
    const starts = this.#lineStarts;
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }

  next(mode: Mode): Token {
    this.#skip(blankOnly);
    const start = this.#at;
    const character = this.#text[start];
    if (character === undefined) return { kind: "end", text: "", start, end: start };
    return (
      this.#match(name, "name") ??
      this.#number() ??
      (character === '"' ? this.#string() : undefined) ??
      (character === "$" ? this.#variable() : undefined) ??
      (mode === "math" ? this.#match(mathSign, "sign") : undefined) ??
      (character === "<" ? this.#iri() : undefined) ??
      this.#sign(character)
    );
  }

  /** The rest of `/pattern/flags`, whose first slash is the next character. */
  regex(): Token {
    this.#skip(blankOnly);
    const start = this.#at;
    let at = start + 1;
    while (this.#text[at] !== "/") {
      if (this.#text[at] === undefined || this.#text[at] === "\n") throw this.#fault("Unclosed regexp", start);
      at += this.#text[at] === "\\" ? 2 : 1;
    }
    at++;
    while (/[A-Za-z]/.test(this.#text[at] ?? "")) at++;
    this.#at = at;
    return { kind: "string", text: this.#text.slice(start, at), start, end: at };
  }

  /** The character that comes next, after blanks and comments. */
  peekCharacter(): string | undefined {
    this.#skip(blankOnly);
    return this.#text[this.#at];
  }

  /** Skips the commas that may stand between fields. */
  skipCommas(): void {
    this.#skip(blank);
  }

  #skip(what: RegExp): void {
    for (;;) {
      what.lastIndex = this.#at;
      this.#at += what.exec(this.#text)?.[0].length ?? 0;
      if (this.#text[this.#at] !== "#") return;
      const end = this.#text.indexOf("\n", this.#at);
      this.#at = end < 0 ? this.#text.length : end;
    }
  }

  #match(pattern: RegExp, kind: TokenKind): Token | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    const start = this.#at;
    this.#at += found.length;
    return { kind, text: found, start, end: this.#at };
  }

  #number(): Token | undefined {
    const found = this.#match(number, "number");
    const after = this.#text[this.#at];
    if (found && after !== undefined && /[A-Za-z_~.]/.test(after)) throw this.#fault(`Unexpected character '${after}' in a number`, this.#at);
    return found;
  }

  #variable(): Token {
    const found = this.#match(variable, "variable");
    if (!found) throw this.#fault("Expected a name after $", this.#at);
    return { ...found, text: found.text };
  }

  #iri(): Token {
    const start = this.#at;
    iri.lastIndex = start;
    const [whole, text] = iri.exec(this.#text) ?? [];
    if (whole === undefined || text === undefined) throw this.#fault("Expected a predicate name between < and >", start);
    this.#at += whole.length;
    return { kind: "iri", text, start, end: this.#at };
  }

  #sign(character: string): Token {
    const start = this.#at;
    if (this.#text.startsWith("...", start)) {
      this.#at += 3;
      return { kind: "spread", text: "...", start, end: this.#at };
    }
    if (!"{}()[]:,@=+-*.!/".includes(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      throw this.#fault(`Unrecognized character U+${code} '${character}'`, start);
    }
    this.#at++;
    return { kind: "sign", text: character, start, end: this.#at };
  }

  #string(): Token {
    const start = this.#at;
    let text = "";
    let at = start + 1;
    for (;;) {
      const character = this.#text[at];
      if (character === undefined || character === "\n") throw this.#fault("Unclosed text", start);
      if (character === '"') break;
      if (character !== "\\") {
        plainText.lastIndex = at;
        const run = plainText.exec(this.#text)?.[0] ?? character;
        text += run;
        at += run.length;
        continue;
      }
      const [decoded, length] = this.#escape(at);
      text += decoded;
      at += length;
    }
    this.#at = at + 1;
    return { kind: "string", text, start, end: this.#at };
  }

  #escape(at: number): readonly [decoded: string, length: number] {
    const letter = this.#text[at + 1] ?? "";
    const simple = escapes[letter];
    if (simple !== undefined) return [simple, 2];
    const size = letter === "u" ? 4 : letter === "U" ? 8 : 0;
    const digits = this.#text.slice(at + 2, at + 2 + size);
    if (size > 0 && digits.length === size && /^[0-9a-fA-F]+$/.test(digits)) {
      const code = Number.parseInt(digits, 16);
      if (code <= 0x10ffff) return [String.fromCodePoint(code), 2 + size];
    }
    throw this.#fault(`Not a valid escape char: '${letter}'`, at);
  }

  #fault(message: string, offset: number) {
    return mistake(message, this.placeOf(offset));
  }
}
