// Turns one line into inputs of `add<T>`: the node, and the references that are deferred until all nodes exist.

import { malformedTexts, parseJson } from "../../../core/index.ts";
import type { KeyedLinks } from "../../transfer/index.ts";
import type { ImportShape, InputShape, LinkShape } from "./import-shape.ts";

export type InputObject = Readonly<Record<string, unknown>>;

/** An escaped surrogate. Other texts of a line are well-formed: it was read as UTF-8. */
const escapedSurrogate = /\\u[dD]/;

/**
 * Reads a line. References that are just a key are deferred, because they may name a node of a later line. If the type has no key, or the
 * field is required, they are not deferred, and must name an existing node.
 *
 * @throws SyntaxError or TypeError with a readable message
 */
export function readLine(text: string, shape: ImportShape): ImportLine {
  // Trimming keeps the line break out of the parser's message, and removes a byte-order mark.
  const value = parseJson(text.trim());
  if (!isObject(value)) throw new TypeError("The line is not a JSON object.");
  const [malformed] = escapedSurrogate.test(text) ? malformedTexts(value) : [];
  if (malformed) throw new TypeError(`${malformed.path.join(".") || "A name"} holds ${JSON.stringify(malformed.text)}: ${malformed.problem}`);
  return new ImportLine(value, shape);
}

/** The inputs of a line. Each is made when it is asked for: a pass over the file needs one of them. */
class ImportLine {
  readonly #value: InputObject;
  readonly #shape: ImportShape;
  readonly #deferred: readonly DeferredReference[];

  constructor(value: InputObject, shape: ImportShape) {
    this.#value = value;
    this.#shape = shape;
    const { key, input } = shape;
    const canDefer = key !== undefined && value[key] !== undefined && value[key] !== null && !createsAgain(value, input);
    this.#deferred = canDefer ? deferredIn(value, input) : [];
  }

  /**
   * The new node, without references that may point to later lines.
   *
   * @throws TypeError for a bare key where the type has none
   */
  get node(): InputObject {
    const { input } = this.#shape;
    if (this.#deferred.length === 0) return expand(this.#value, input);
    let now = this.#value;
    for (const { name, objects } of this.#deferred) now = objects.length === 0 ? without(now, name) : { ...now, [name]: objects };
    return expand(now, input);
  }

  /** Those references and the key of the node, if all are texts. */
  get keyed(): KeyedLinks | undefined {
    const key = this.#value[this.#shape.key ?? ""];
    if (typeof key !== "string" || key === "" || this.#deferred.length === 0) return undefined;
    const links: { field: string; keys: readonly string[] }[] = [];
    for (const { name, keys } of this.#deferred) {
      const texts = listed(keys);
      if (!texts.every(isText)) return undefined;
      links.push({ field: name, keys: texts });
    }
    return { key, links };
  }

  /** The same node by its key, with those references; undefined if there are none. `add` with `upsert` links it. */
  get links(): InputObject | undefined {
    if (this.#deferred.length === 0) return undefined;
    const members = upsertMembers(this.#value, this.#shape);
    for (const { name, keys } of this.#deferred) members[name] = keys;
    return expand(members, this.#shape.input);
  }
}

/** A copy. An object of which a member is deleted would be a hash table, which all later steps read slowly. */
function without(value: InputObject, name: string): InputObject {
  const { [name]: _, ...rest } = value;
  return rest;
}

/** References of one field: the bare keys of a list are deferred, its objects are not. */
interface DeferredReference {
  readonly name: string;
  readonly keys: unknown;
  readonly objects: readonly unknown[];
}

function deferredIn(value: InputObject, input: InputShape): readonly DeferredReference[] {
  const deferred: DeferredReference[] = [];
  for (const [name, link] of input.links) {
    const given = member(value, name);
    // Without a key the reference is invalid: it stays in the node, which says so.
    if (link.required || link.key === undefined || given === undefined) continue;
    if (Array.isArray(given)) {
      const objects = given.filter((each) => !isBareKey(each));
      if (objects.length < given.length) deferred.push({ name, keys: objects.length === 0 ? given : given.filter(isBareKey), objects });
    } else if (isBareKey(given)) deferred.push({ name, keys: given, objects: [] });
  }
  return deferred;
}

/** The members that `add` with `upsert` requires, without changes: the key and the required fields, nested objects by their key only. */
function upsertMembers(value: InputObject, { key, input }: ImportShape): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name in value) {
    if (name !== key && !input.required.has(name)) continue;
    const link = input.links.get(name);
    members[name] = link === undefined ? value[name] : keysOnly(value[name], link.key);
  }
  return members;
}

function keysOnly(value: unknown, key: string | undefined): unknown {
  const one = (each: unknown) => (isObject(each) && key !== undefined ? each[key] : each);
  return Array.isArray(value) ? value.map(one) : one(value);
}

/** Whether a second `add` would create a nested node again: a required link to an object without a key. */
function createsAgain(value: InputObject, input: InputShape): boolean {
  for (const [name, link] of input.links) {
    if (!link.required) continue;
    if (listed(member(value, name)).some((each) => isObject(each) && (link.key === undefined || each[link.key] === undefined))) return true;
  }
  return false;
}

/** Replaces each bare key by an object, at any depth. What needs no change is not copied. */
function expand(value: InputObject, input: InputShape): InputObject {
  let expanded: Record<string, unknown> | undefined;
  for (const [name, link] of input.links) {
    const given = member(value, name);
    if (typeof given !== "object" ? !isBareKey(given) : given === null) continue;
    const now = Array.isArray(given) ? expandAll(given, name, link) : expandOne(given, name, link);
    if (now === given) continue;
    expanded ??= { ...value };
    expanded[name] = now;
  }
  return expanded ?? value;
}

function expandAll(given: readonly unknown[], name: string, link: LinkShape): readonly unknown[] {
  const expanded = given.map((each) => expandOne(each, name, link));
  return expanded.every((each, i) => each === given[i]) ? given : expanded;
}

function expandOne(each: unknown, name: string, link: LinkShape): unknown {
  if (isObject(each)) return expand(each, link.input());
  if (!isBareKey(each)) return each;
  if (link.key === undefined) throw new TypeError(`${name} refers to a type without a key; use an object.`);
  return { [link.key]: each };
}

/** Only what the line gives: a field may be called `constructor`. */
function member(value: InputObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isBareKey(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}

function isObject(value: unknown): value is InputObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
