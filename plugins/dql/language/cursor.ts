// What all parsers of DQL share: one token ahead, and errors with places.

import type { QuernError, Work } from "../../../core/plugin.ts";
import { Lexer, type Mode, type Token } from "./lexer.ts";
import { excess, mistake, type Place } from "./problem.ts";
import type { Literal } from "./syntax.ts";

/** Braces, brackets and operators inside one another. */
const maxDepth = 200;
/** Fields, functions and values of a document, with the fields of fragments counted wherever they are used. */
const maxParts = 50_000;
/** Functions of a document, at roots and in filters: a condition costs more than a field. */
const maxFunctions = 5_000;
/** Operators of one math expression. */
const maxOperators = 1_000;
/** Characters of a document. */
const maxLength = 1_000_000;
/** Tokens that are read in one step. */
const stepTokens = 256;

export class Cursor {
  readonly #lexer: Lexer;
  #mode: Mode = "fields";
  #ahead: Token | undefined;
  /** The token after `#ahead`. */
  #second: Token | undefined;
  #depth = 0;
  #parts = 0;
  #functions = 0;
  #operators = 0;
  /** Tokens of this step. */
  #tokens = 0;
  readonly #parameters = new Set<string>();
  /** True while it reads what the document does not use, such as a fragment where it is defined: its query variables do not count. */
  isUnused = false;

  /** @throws QuernError when the text is too long */
  constructor(text: string) {
    if (text.length > maxLength) throw excess(`The document is too long: ${maxLength} characters are allowed. Pass long values as query variables.`);
    this.#lexer = new Lexer(text);
  }

  peek(): Token {
    this.#ahead ??= this.#read();
    return this.#ahead;
  }

  #peekSecond(): Token {
    this.peek();
    this.#second ??= this.#read();
    return this.#second;
  }

  #read(): Token {
    this.#tokens++;
    return this.#lexer.next(this.#mode);
  }

  next(): Token {
    const token = this.peek();
    this.#ahead = this.#second;
    this.#second = undefined;
    return token;
  }

  get place(): Place {
    return this.peek().place;
  }

  /** Goes on at another token. Returns the one that was next. */
  jump(to: Token): Token {
    const from = this.peek();
    this.#reset(to);
    return from;
  }

  #reset(to: Token): void {
    this.#ahead = undefined;
    this.#second = undefined;
    this.#lexer.reset(to);
  }

  /** Whether enough was read for one step; then the next one begins. Every loop over parts of a document asks. */
  endsStep(): boolean {
    if (this.#tokens < stepTokens) return false;
    this.#tokens = 0;
    return true;
  }

  /** Begins a level. `ascend` ends it. @throws QuernError when there are too many */
  descend(): void {
    if (++this.#depth > maxDepth) throw excess(`${this.#prefix()}The document is nested too deeply: ${maxDepth} levels are allowed.`);
  }

  ascend(): void {
    this.#depth--;
  }

  /** The query variables that were read, with `$`. */
  get parameters(): ReadonlySet<string> {
    return this.#parameters;
  }

  /** Notes that the document uses a query variable. */
  parameter(name: string): string {
    if (!this.isUnused) this.#parameters.add(name);
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

  /** Counts an operator of the math expression that began last. */
  countOperator(): void {
    this.count();
    if (++this.#operators > maxOperators)
      throw excess(`${this.#prefix()}The math expression has too many operators: ${maxOperators} are allowed. Compute parts of it in variables.`);
  }

  #prefix(): string {
    const { line, column } = this.place;
    return `line ${line} column ${column}: `;
  }

  /** How the tokens from the next one on are read. */
  set mode(mode: Mode) {
    const next = this.peek();
    this.#mode = mode;
    this.#operators = 0;
    this.#reset(next);
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

  /** The word of the directive that comes next. */
  get directive(): string | undefined {
    if (!this.isSign("@")) return undefined;
    const { kind, text } = this.#peekSecond();
    return kind === "name" ? text : undefined;
  }

  takeDirective(word: string): boolean {
    const found = this.directive === word;
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
    if (this.#ahead !== undefined) this.#reset(this.#ahead);
    return this.#lexer.peekCharacter() === "/" ? this.#lexer.regex() : undefined;
  }

  literal(what: string): Literal {
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

  /** `(a, b, c)`, or in other brackets, from after the opening one to the closing one. A comma at the end is a mistake. Each item is a part. */
  *list(closing: ")" | "]", readItem: () => void): Work<void> {
    if (this.takeSign(closing)) return;
    do {
      this.count();
      readItem();
      if (this.endsStep()) yield;
    } while (this.#hasMore(closing));
  }

  /** The same for items that may be long. */
  *listInSteps(closing: ")" | "]", readItem: () => Work<void>): Work<void> {
    if (this.takeSign(closing)) return;
    do {
      this.count();
      yield* readItem();
      if (this.endsStep()) yield;
    } while (this.#hasMore(closing));
  }

  #hasMore(closing: ")" | "]"): boolean {
    if (this.takeSign(closing)) return false;
    this.expectSign(",", `Expected , or ${closing}. Got: ${this.shown()}`);
    if (this.isSign(closing) || this.isSign(",")) throw this.fault("Empty Argument");
    return true;
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
    if (!this.isSign(",")) return;
    if (this.#ahead) this.#reset(this.#ahead);
    this.#lexer.skipCommas();
  }
}
