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
  /** Where it starts. */
  readonly place: Place;
}

/** `<` opens an IRI, except in `math(...)`, where it compares. */
export type Mode = "fields" | "math";

// Sticky expressions are tested, not executed: most tokens then need no array.
const name = /[A-Za-z_~][A-Za-z0-9_~.]*/y;
const number = /0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const variable = /\$[A-Za-z_][A-Za-z0-9_]*/y;
const iri = /<[^<>"{}|^`\\\s]+>/y;
const plainText = /[^"\\\n]+/y;
const mathSign = /<=|>=|==|!=|[-+*/%<>(),]/y;
const blank = /\s/u;
const signs = "{}()[]:,@=+-*.!/";
const escapes: Readonly<Record<string, string>> = { '"': '"', "'": "'", "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

export class Lexer {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Goes back, or on, to where a token starts. */
  reset({ start, place: { line, column } }: Token): void {
    this.#at = start;
    this.#line = line;
    this.#lineStart = start - column + 1;
  }

  next(mode: Mode): Token {
    this.#skipBlanks();
    const start = this.#at;
    const character = this.#text[start];
    if (character === undefined) return { kind: "end", text: "", start, end: start, place: this.#placeOf(start) };
    const word = this.#match(name, "name") ?? this.#number();
    if (word) return word;
    if (character === '"') return this.#string();
    if (character === "$") return this.#variable();
    const sign = mode === "math" ? this.#match(mathSign, "sign") : undefined;
    return sign ?? (character === "<" ? this.#iri() : this.#sign(character));
  }

  /** The rest of `/pattern/flags`, whose first slash is the next character. */
  regex(): Token {
    this.#skipBlanks();
    const start = this.#at;
    const place = this.#placeOf(start);
    let at = start + 1;
    while (this.#text[at] !== "/") {
      if (this.#text[at] === undefined || this.#text[at] === "\n") throw this.#fault("Unclosed regexp", start);
      if (this.#text[at] === "\\") at++;
      if (this.#text[at] === "\n") this.#beginLine(at + 1);
      at++;
    }
    at++;
    while (/[A-Za-z]/.test(this.#text[at] ?? "")) at++;
    this.#at = at;
    return { kind: "string", text: this.#text.slice(start, at), start, end: at, place };
  }

  /** The character that comes next, after blanks and comments. */
  peekCharacter(): string | undefined {
    this.#skipBlanks();
    return this.#text[this.#at];
  }

  /** Skips the commas that may stand between fields. */
  skipCommas(): void {
    while (this.peekCharacter() === ",") this.#at++;
  }

  #skipBlanks(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === newline) this.#beginLine(this.#at + 1);
      else if (code === hash) this.#skipComment();
      else if (code !== space && !(code < 14 && code > 8) && !(code > 127 && blank.test(this.#text[this.#at] ?? ""))) return;
      this.#at++;
    }
  }

  /** Up to the character before the end of the line. */
  #skipComment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = (end < 0 ? this.#text.length : end) - 1;
  }

  #beginLine(start: number): void {
    this.#line++;
    this.#lineStart = start;
  }

  /** @param offset in the current line */
  #placeOf(offset: number): Place {
    return { line: this.#line, column: offset - this.#lineStart + 1 };
  }

  #match(pattern: RegExp, kind: TokenKind): Token | undefined {
    const start = this.#at;
    pattern.lastIndex = start;
    if (!pattern.test(this.#text)) return undefined;
    this.#at = pattern.lastIndex;
    return { kind, text: this.#text.slice(start, this.#at), start, end: this.#at, place: this.#placeOf(start) };
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
    return found;
  }

  #iri(): Token {
    const found = this.#match(iri, "iri");
    if (!found) throw this.#fault("Expected a predicate name between < and >", this.#at);
    return { ...found, text: found.text.slice(1, -1) };
  }

  #sign(character: string): Token {
    const start = this.#at;
    const place = this.#placeOf(start);
    if (this.#text.startsWith("...", start)) {
      this.#at += 3;
      return { kind: "spread", text: "...", start, end: this.#at, place };
    }
    if (!signs.includes(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      throw this.#fault(`Unrecognized character U+${code} '${character}'`, start);
    }
    this.#at++;
    return { kind: "sign", text: character, start, end: this.#at, place };
  }

  #string(): Token {
    const start = this.#at;
    const parts: string[] = [];
    let at = start + 1;
    for (;;) {
      plainText.lastIndex = at;
      if (plainText.test(this.#text)) {
        parts.push(this.#text.slice(at, plainText.lastIndex));
        at = plainText.lastIndex;
      }
      const character = this.#text[at];
      if (character === '"') break;
      if (character !== "\\") throw this.#fault("Unclosed text", start);
      const [decoded, length] = this.#escape(at);
      parts.push(decoded);
      at += length;
    }
    this.#at = at + 1;
    return { kind: "string", text: parts.join(""), start, end: this.#at, place: this.#placeOf(start) };
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
    return mistake(message, this.#placeOf(offset));
  }
}

const newline = 10;
const hash = 35;
const space = 32;
