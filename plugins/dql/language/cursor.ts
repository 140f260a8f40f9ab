// What all parsers of DQL share: one token ahead, and errors with places.

import type { QuernError } from "../../../core/plugin.ts";
import { Lexer, type Mode, type Token } from "./lexer.ts";
import { excess, mistake, type Place } from "./problem.ts";
import type { Literal } from "./syntax.ts";

/** Braces, brackets and operators inside one another. */
const maxDepth = 200;
/** Fields, functions and values of a document, with the fields of fragments counted wherever they are used. */
const maxParts = 50_000;
/** Functions of a document, at roots and in filters: a condition costs more than a field. */
const maxFunctions = 5_000;
/** Characters of a document: what it takes to read them, comments too, is one turn. */
const maxLength = 1_000_000;

export class Cursor {
  readonly #lexer: Lexer;
  #mode: Mode = "fields";
  #ahead: Token | undefined;
  #depth = 0;
  #parts = 0;
  #functions = 0;
  readonly #parameters = new Set<string>();
  #isUnused = false;

  /** @throws QuernError when the text is too long */
  constructor(text: string) {
    if (text.length > maxLength) throw excess(`The document is too long: ${maxLength} characters are allowed. Pass long values as query variables.`);
    this.#lexer = new Lexer(text);
  }

  peek(): Token {
    this.#ahead ??= this.#lexer.next(this.#mode);
    return this.#ahead;
  }

  next(): Token {
    const token = this.peek();
    this.#ahead = undefined;
    return token;
  }

  /** Where the next token starts. */
  get offset(): number {
    return this.peek().start;
  }

  get place(): Place {
    return this.#lexer.placeOf(this.offset);
  }

  /** Runs `read` from another offset, and comes back. */
  elsewhere<T>(offset: number, read: () => T): T {
    const back = this.offset;
    this.#jump(offset);
    const result = read();
    this.#jump(back);
    return result;
  }

  #jump(offset: number): void {
    this.#ahead = undefined;
    this.#lexer.reset(offset);
  }

  /** Runs `read` one level deeper, and refuses documents that are too deep. */
  deeper<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw excess(`${this.#prefix()}The document is nested too deeply: ${maxDepth} levels are allowed.`);
    const result = read();
    this.#depth--;
    return result;
  }

  /** The query variables that were read, with `$`. */
  get parameters(): ReadonlySet<string> {
    return this.#parameters;
  }

  /** Reads what the document does not use, such as a fragment where it is defined: its query variables do not count. */
  unused(read: () => void): void {
    this.#isUnused = true;
    read();
    this.#isUnused = false;
  }

  /** Notes that the document uses a query variable. */
  parameter(name: string): string {
    if (!this.#isUnused) this.#parameters.add(name);
    return name;
  }

  /** Counts a part of the document. */
  count(): void {
    if (++this.#parts > maxParts) throw excess(`${this.#prefix()}The document is too large: ${maxParts} fields, functions and values are allowed.`);
  }

  /** Counts a function. */
  countFunction(): void {
    this.count();
    if (++this.#functions > maxFunctions)
      throw excess(`${this.#prefix()}The document has too many functions: ${maxFunctions} are allowed. Give one function a list of values.`);
  }

  #prefix(): string {
    const { line, column } = this.place;
    return `line ${line} column ${column}: `;
  }

  inMath<T>(read: () => T): T {
    this.#switch("math");
    const result = read();
    this.#switch("fields");
    return result;
  }

  #switch(mode: Mode): void {
    const at = this.offset;
    this.#mode = mode;
    this.#jump(at);
  }

  isSign(text: string): boolean {
    const { kind, text: found } = this.peek();
    return kind === "sign" && found === text;
  }

  /** Takes the sign when it is next. */
  takeSign(text: string): boolean {
    const found = this.isSign(text);
    if (found) this.next();
    return found;
  }

  expectSign(text: string, message?: string): void {
    if (!this.takeSign(text)) throw this.fault(message ?? `Expected ${text}. Got: ${this.shown()}`);
  }

  /** Whether `@` and this word come next. */
  isDirective(word: string): boolean {
    if (!this.isSign("@")) return false;
    const at = this.offset;
    this.next();
    const { kind, text } = this.peek();
    this.#jump(at);
    return kind === "name" && text === word;
  }

  takeDirective(word: string): boolean {
    const found = this.isDirective(word);
    if (found) {
      this.next();
      this.next();
    }
    return found;
  }

  isName(): boolean {
    const { kind } = this.peek();
    return kind === "name" || kind === "iri";
  }

  /** A name or `<...>`; parts that `-` joins without blanks are one name. */
  name(what: string): string {
    if (!this.isName()) throw this.fault(`Expected ${what}. Got: ${this.shown()}`);
    let { text, end, kind } = this.next();
    while (kind === "name" && this.isSign("-") && this.peek().start === end) {
      const dash = this.next();
      const part = this.peek();
      if ((part.kind !== "name" && part.kind !== "number") || part.start !== dash.end) throw this.fault(`Expected a name after ${text}-`);
      this.next();
      text += `-${part.text}`;
      ({ end, kind } = part);
    }
    return text;
  }

  /** Whether the word after a name that was just read is `as`. */
  takeAs(): boolean {
    const { kind, text } = this.peek();
    const found = kind === "name" && text.toLowerCase() === "as";
    if (found) this.next();
    return found;
  }

  /** A regular expression, when one starts here. */
  takeRegex(): Token | undefined {
    if (this.#ahead !== undefined) this.#jump(this.#ahead.start);
    return this.#lexer.peekCharacter() === "/" ? this.#lexer.regex() : undefined;
  }

  literal(what: string): Literal {
    this.count();
    const token = this.peek();
    switch (token.kind) {
      case "string":
        this.next();
        return { kind: "text", text: token.text, quoted: true };
      case "number":
        this.next();
        return { kind: "text", text: token.text, quoted: false };
      case "variable":
        this.next();
        return { kind: "variable", name: this.parameter(token.text) };
      case "name":
      case "iri":
        return { kind: "text", text: this.name(what), quoted: false };
      default:
        return this.#signed(what);
    }
  }

  #signed(what: string): Literal {
    const minus = this.takeSign("-");
    if (!minus && !this.takeSign("+")) throw this.fault(`Expected ${what}. Got: ${this.shown()}`);
    const token = this.next();
    if (token.kind !== "number") throw this.fault(`Expected a number after the sign. Got: ${token.text}`);
    return { kind: "text", text: minus ? `-${token.text}` : token.text, quoted: false };
  }

  /** `(a, b, c)`, or in other brackets, from after the opening one to the closing one. A comma at the end is a mistake. */
  list(closing: ")" | "]", readItem: () => void): void {
    if (this.takeSign(closing)) return;
    for (;;) {
      readItem();
      if (this.takeSign(closing)) return;
      this.expectSign(",", `Expected , or ${closing}. Got: ${this.shown()}`);
      if (this.isSign(closing) || this.isSign(",")) throw this.fault("Empty Argument");
    }
  }

  /** The next token as messages show it. */
  shown(): string {
    const { kind, text } = this.peek();
    return kind === "end" ? "the end of the document" : text;
  }

  fault(message: string, at: Place = this.place): QuernError {
    return mistake(message, at);
  }

  /** Skips the commas that may stand between fields. */
  skipCommas(): void {
    while (this.takeSign(","));
  }
}
