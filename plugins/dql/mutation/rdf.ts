// Reads triples in RDF: `<0x1> <Author.name> "Ada"@en .`, one after the other.

import type { Work } from "../../../core/plugin.ts";
import { excess, refusal } from "../language/problem.ts";
import { unquoted } from "./go-text.ts";
import { blankOf, referenceOf } from "./references.ts";
import type { LiteralType, Reference, Triple } from "./syntax.ts";

/** Triples of one request. */
const maxTriples = 1_000_000;
/** Triples that are read in one step. */
const stepTriples = 64;

const xsd = "http://www.w3.org/2001/XMLSchema#";

const literalTypes: ReadonlyMap<string, LiteralType> = new Map([
  ...(
    [
      ["int", "int"],
      ["integer", "int"],
      ["positiveInteger", "int"],
      ["boolean", "bool"],
      ["float", "float"],
      ["double", "float"],
      ["decimal", "float"],
      ["dateTime", "dateTime"],
      ["date", "dateTime"],
      ["string", "string"],
      ["password", "password"],
      ["base64Binary", "binary"],
      ["[]float32", "vector"],
    ] as const
  ).flatMap(([name, type]): [string, LiteralType][] => [
    [`xs:${name}`, type],
    [`${xsd}${name}`, type],
  ]),
  [`${xsd}gYear`, "dateTime"],
  [`${xsd}gYearMonth`, "dateTime"],
  ["geo:geojson", "geo"],
]);

const blanks = /(?:\s|#[^\n]*)+/uy;
const iri = /<([^<>"{}|^`\\\s]*)>/uy;
const blank = /_:([^\s<>"{}()]+)/uy;
const call = /(uid|val)\s*\(\s*([^\s()]+)\s*\)/uy;
const text = /"((?:[^"\\]|\\.)*)"/suy;
const language = /@([a-zA-Z]+(?:-[a-zA-Z0-9]+)*)/uy;
const type = /\^\^<([^<>\s]*)>/uy;

export function* readTriples(source: string): Work<readonly Triple[]> {
  const reader = new RdfReader(source);
  const triples: Triple[] = [];
  while (!reader.isAtEnd()) {
    triples.push(reader.triple());
    if (triples.length > maxTriples) throw excess(`A request may have ${maxTriples} triples. Split it.`);
    if (triples.length % stepTriples === 0) yield;
  }
  return triples;
}

class RdfReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  isAtEnd(): boolean {
    this.#skip();
    return this.#at >= this.#source.length;
  }

  triple(): Triple {
    const start = this.#at;
    const subject = this.#subject();
    this.#blank();
    const predicate = this.#predicate(start);
    this.#skip();
    const { object, tag } = this.#object();
    this.#skip();
    if (this.#source[this.#at] === "(") throw refusal("Facets are not kept: leave out what is in ( ) after an object.");
    if (this.#match(iri)) this.#skip();
    if (this.#source[this.#at] !== ".") throw this.#fault("invalid end of input");
    this.#at++;
    if (predicate === undefined && object.kind !== "star") throw onlyWildcards();
    return { subject, predicate: predicate !== undefined && tag !== undefined ? withLanguage(predicate, tag) : predicate, object };
  }

  #subject(): Reference {
    if (this.#take("*")) throw onlyWildcards();
    return this.#reference() ?? this.#failed("Expected the subject of a triple");
  }

  #predicate(start: number): string | undefined {
    if (this.#take("*")) return undefined;
    const name = this.#match(iri);
    if (name === undefined) return this.#failed("Expected a predicate in < >");
    if (name === "") throw refusal(`empty required fields in NQuad. Input: [${this.#source.slice(start, this.#at + 40)}]`);
    return name;
  }

  #object(): { readonly object: Triple["object"]; readonly tag?: string | undefined } {
    if (this.#take("*")) return { object: { kind: "star" } };
    const node = this.#reference();
    if (node) return { object: node };
    const [kind, name] = this.#call();
    if (kind === "val") return { object: { kind, name } };
    const inner = this.#match(text);
    if (inner === undefined) return this.#failed("Expected an object");
    const tag = this.#match(language);
    const iriOfType = tag === undefined ? this.#match(type) : undefined;
    return { object: { kind: "literal", text: unquoted(inner), type: iriOfType === undefined ? "default" : literalType(iriOfType) }, tag };
  }

  #reference(): Reference | undefined {
    const name = this.#match(iri);
    if (name !== undefined) return referenceOf(name);
    const label = this.#match(blank);
    if (label !== undefined) return blankOf(label);
    const before = this.#at;
    const [kind, variable] = this.#call();
    if (kind === "uid") return { kind: "variable", name: variable };
    this.#at = before;
    return undefined;
  }

  #call(): readonly [kind: string, name: string] {
    call.lastIndex = this.#at;
    const found = call.exec(this.#source);
    if (!found) return ["", ""];
    this.#at = call.lastIndex;
    return [found[1] ?? "", found[2] ?? ""];
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (!found) return undefined;
    this.#at = pattern.lastIndex;
    return found[1];
  }

  #take(sign: string): boolean {
    const found = this.#source[this.#at] === sign;
    if (found) this.#at++;
    return found;
  }

  #skip(): void {
    blanks.lastIndex = this.#at;
    if (blanks.test(this.#source)) this.#at = blanks.lastIndex;
  }

  /** A name and what follows it are apart. */
  #blank(): void {
    const before = this.#at;
    this.#skip();
    if (this.#at === before) throw this.#fault("Expected a blank after the subject");
  }

  #failed(what: string): never {
    throw this.#fault(what);
  }

  #fault(what: string) {
    const before = this.#source.slice(0, this.#at);
    const line = before.split("\n").length;
    const column = this.#at - before.lastIndexOf("\n") - 1;
    return refusal(`while lexing line ${line} column ${column} of the triples: ${what}. Input: [${this.#source.slice(this.#at, this.#at + 40)}]`);
  }
}

function onlyWildcards() {
  return refusal("Only valid wildcard delete patterns are 'S * *' and 'S P *'");
}

function literalType(name: string): LiteralType {
  const known = literalTypes.get(name);
  if (known === undefined) throw refusal(`unrecognized rdf type ${name}`);
  return known;
}

/** The language of a literal counts before that of its predicate. */
function withLanguage(predicate: string, tag: string): string {
  return `${predicate.split("@", 1)[0] ?? predicate}@${tag}`;
}
