// Reads triples from JSON objects: `{"uid": "_:a", "Author.name": "Ada", "Author.posts": [{"Post.title": "Notes"}]}`.

import { isObject, type Work } from "../../../core/plugin.ts";
import { excess, refusal } from "../language/problem.ts";
import { referenceOf } from "./references.ts";
import type { Reference, Triple, WrittenLiteral } from "./syntax.ts";

/** Names blank nodes that the request does not name. One for each request. */
export type NewName = () => string;

/** Objects inside one another. */
const maxDepth = 200;
const maxTriples = 1_000_000;
const stepTriples = 64;

export function* triplesToSet(value: unknown, newName: NewName): Work<readonly Triple[]> {
  const reader = new Setting(newName);
  yield* reader.objects(value);
  return reader.triples;
}

export function* triplesToDelete(value: unknown): Work<readonly Triple[]> {
  const reader = new Deleting();
  yield* reader.objects(value);
  return reader.triples;
}

abstract class JsonReader {
  readonly triples: Triple[] = [];
  #depth = 0;

  *objects(value: unknown): Work<void> {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (!isObject(each)) throw refusal(`Expected a JSON object to write, not ${shown(each)}`);
      yield* this.object(each, "top");
    }
  }

  /** Returns the node that the object names. */
  protected abstract object(value: Readonly<Record<string, unknown>>, at: "top" | "below"): Work<Reference>;

  protected *members(subject: Reference, value: Readonly<Record<string, unknown>>): Work<void> {
    if (++this.#depth > maxDepth) throw excess(`The objects are nested too deeply: ${maxDepth} levels are allowed.`);
    for (const [name, member] of Object.entries(value)) {
      if (name === "uid") continue;
      if (name.includes("|")) throw refusal(`Facets are not kept: leave out ${JSON.stringify(name)}.`);
      yield* this.member(subject, name, member);
    }
    this.#depth--;
  }

  protected abstract member(subject: Reference, name: string, value: unknown): Work<void>;

  protected *add(triple: Triple): Work<void> {
    this.triples.push(triple);
    if (this.triples.length > maxTriples) throw excess(`A request may have ${maxTriples} triples. Split it.`);
    if (this.triples.length % stepTriples === 0) yield;
  }

  protected *single(subject: Reference, predicate: string, value: unknown): Work<void> {
    if (isObject(value) && !isGeo(value)) yield* this.add({ subject, predicate, object: yield* this.object(value, "below") });
    else yield* this.add({ subject, predicate, object: objectOf(predicate, value) });
  }
}

class Setting extends JsonReader {
  readonly #newName: NewName;

  constructor(newName: NewName) {
    super();
    this.#newName = newName;
  }

  protected override *object(value: Readonly<Record<string, unknown>>): Work<Reference> {
    const subject = namedBy(value) ?? { kind: "blank", name: this.#newName() };
    yield* this.members(subject, value);
    return subject;
  }

  protected override *member(subject: Reference, name: string, value: unknown): Work<void> {
    if (value === null || (isObject(value) && Object.keys(value).length === 0)) return;
    if (!Array.isArray(value)) return yield* this.single(subject, name, value);
    for (const each of value) {
      if (each === null) throw refusal(`got unsupported type for list: ${name}`);
      yield* this.single(subject, name, each);
    }
  }
}

class Deleting extends JsonReader {
  protected override *object(value: Readonly<Record<string, unknown>>, at: "top" | "below"): Work<Reference> {
    const subject = namedBy(value);
    if (subject === undefined) throw refusal("UID must be present and non-zero while deleting edges.");
    if (at === "top" && Object.keys(value).length === 1) yield* this.add({ subject, predicate: undefined, object: { kind: "star" } });
    else yield* this.members(subject, value);
    return subject;
  }

  protected override *member(subject: Reference, name: string, value: unknown): Work<void> {
    if (value === null || value === "" || value === false) return yield* this.add({ subject, predicate: name, object: { kind: "star" } });
    for (const each of Array.isArray(value) ? value : [value]) yield* this.single(subject, name, each);
  }
}

/** Undefined: the object names no node. */
function namedBy({ uid }: Readonly<Record<string, unknown>>): Reference | undefined {
  if (uid === undefined || uid === null || uid === "") return undefined;
  if (typeof uid === "number" || typeof uid === "bigint") return referenceOf(String(uid));
  if (typeof uid !== "string") throw refusal(`UID must be a text or a number, not ${shown(uid)}`);
  const [, variable] = /^uid\(\s*([^\s()]+)\s*\)$/.exec(uid) ?? [];
  return variable === undefined ? referenceOf(uid) : { kind: "variable", name: variable };
}

function isGeo(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value.type === "string" && Array.isArray(value.coordinates);
}

function objectOf(predicate: string, value: unknown): Triple["object"] {
  if (typeof value === "string") {
    const [, name] = /^val\(\s*([^\s()]+)\s*\)$/.exec(value) ?? [];
    return name === undefined ? { kind: "literal", text: value, type: "default" } : { kind: "val", name };
  }
  return literalOf(predicate, value);
}

const largest = 2n ** 63n;

function literalOf(predicate: string, value: unknown): WrittenLiteral {
  if (typeof value === "boolean") return { kind: "literal", text: String(value), type: "bool" };
  if (typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))) {
    const whole = BigInt(value);
    if (whole >= largest || whole < -largest) throw refusal(`parsing: "${whole}": value out of range`);
    return { kind: "literal", text: String(whole), type: "int" };
  }
  if (typeof value === "number") return { kind: "literal", text: String(value), type: "float" };
  if (isObject(value)) return { kind: "literal", text: JSON.stringify(value), type: "geo" };
  throw refusal(`got unsupported type for: ${predicate}`);
}

function shown(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}
