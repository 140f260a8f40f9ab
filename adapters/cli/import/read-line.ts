// Turns one line into inputs of `add<T>`: the node, and the references that are deferred until all nodes exist.

import { malformedTexts, parseJson } from "../../../core/index.ts";
import type { ImportShape, InputShape, LinkShape } from "./import-shape.ts";

export type InputObject = Readonly<Record<string, unknown>>;

export interface LineInput {
  /** The new node, without references that may point to later lines. */
  readonly node: InputObject;
  /** The same node by its key, with those references; undefined if there are none. `add` with `upsert` links it. */
  readonly links: InputObject | undefined;
}

/**
 * Reads a line. References that are just a key are deferred, because they may name a node of a later line. If the type has no key, or the
 * field is required, they are not deferred, and must name an existing node.
 *
 * @throws SyntaxError or TypeError with a readable message
 */
export function readLine(text: string, shape: ImportShape): LineInput {
  // Trimming keeps the line break out of the parser's message, and removes a byte-order mark.
  const value = parseJson(text.trim());
  if (!isObject(value)) throw new TypeError("The line is not a JSON object.");
  const [malformed] = malformedTexts(value);
  if (malformed) throw new TypeError(`${malformed.path.join(".") || "A name"} holds ${JSON.stringify(malformed.text)}: ${malformed.problem}`);
  const { key, input } = shape;
  const canDefer = key !== undefined && value[key] !== undefined && value[key] !== null && !createsAgain(value, input);
  const deferred = canDefer ? [...input.links].flatMap(([name, link]) => deferredIn(value[name], name, link)) : [];
  if (deferred.length === 0) return { node: expand(value, input), links: undefined };
  const now = deferred.flatMap(({ name, objects }) => (objects.length === 0 ? [] : [[name, objects]]));
  const later = new Set(deferred.map(({ name }) => name));
  const rest = Object.entries(value).filter(([name]) => !later.has(name));
  return {
    node: expand(Object.fromEntries([...rest, ...now]), input),
    links: expand({ ...upsertMembers(value, shape), ...Object.fromEntries(deferred.map(({ name, keys }) => [name, keys])) }, input),
  };
}

/** References of one field: the bare keys of a list are deferred, its objects are not. */
interface DeferredReference {
  readonly name: string;
  readonly keys: unknown;
  readonly objects: readonly unknown[];
}

function deferredIn(value: unknown, name: string, link: LinkShape): readonly DeferredReference[] {
  if (link.required) return [];
  if (!Array.isArray(value)) return isBareKey(value) ? [{ name, keys: value, objects: [] }] : [];
  const keys = value.filter(isBareKey);
  return keys.length === 0 ? [] : [{ name, keys, objects: value.filter((each) => !isBareKey(each)) }];
}

/** The members that `add` with `upsert` requires, without changes: the key and the required fields, nested objects by their key only. */
function upsertMembers(value: InputObject, { key, input }: ImportShape): InputObject {
  const members = Object.entries(value).filter(([name]) => name === key || input.required.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, input.links.has(name) ? keysOnly(member, input.links.get(name)?.key) : member]));
}

function keysOnly(value: unknown, key: string | undefined): unknown {
  const one = (each: unknown) => (isObject(each) && key !== undefined ? each[key] : each);
  return Array.isArray(value) ? value.map(one) : one(value);
}

/** Whether a second `add` would create a nested node again: a required link to an object without a key. */
function createsAgain(value: InputObject, input: InputShape): boolean {
  return [...input.links].some(
    ([name, link]) => link.required && listed(value[name]).some((each) => isObject(each) && (link.key === undefined || each[link.key] === undefined)),
  );
}

/** Replaces each bare key by an object, at any depth. */
function expand(value: InputObject, input: InputShape): InputObject {
  if (input.links.size === 0) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const link = input.links.get(name);
    return [name, link === undefined ? member : expandLink(member, name, link)];
  });
  return Object.fromEntries(members);
}

function expandLink(value: unknown, name: string, link: LinkShape): unknown {
  const one = (each: unknown): unknown => {
    if (isObject(each)) return expand(each, link.input());
    if (!isBareKey(each)) return each;
    if (link.key === undefined) throw new TypeError(`${name} refers to a type without a key; use an object.`);
    return { [link.key]: each };
  };
  return Array.isArray(value) ? value.map(one) : one(value);
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isBareKey(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}

function isObject(value: unknown): value is InputObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
