// Turns one line into what `add<T>` takes: at once, and what must wait until every line's node is there.

import { malformedTexts, parseJson } from "../../../core/index.ts";
import type { ImportShape, InputShape, LinkShape } from "./import-shape.ts";

export type InputObject = Readonly<Record<string, unknown>>;

export interface LineInput {
  /** The new node, without the references that may point forward. */
  readonly node: InputObject;
  /** The same node by its key, with those references; undefined when it has none. Adding it with `upsert` links it. */
  readonly links: InputObject | undefined;
}

/**
 * Reads a line. References that are just a key wait, since they may name a node of a later line; unless the type has no key to find the line's
 * node by, or the field is required: these must be there already.
 *
 * @throws SyntaxError or TypeError with a sentence for people
 */
export function readLine(text: string, shape: ImportShape): LineInput {
  // The end of the line would stand in the parser's message; a byte-order mark counts as blank.
  const value = parseJson(text.trim());
  if (!isObject(value)) throw new TypeError("The line holds no JSON object.");
  const [malformed] = malformedTexts(value);
  if (malformed) throw new TypeError(`${malformed.path.join(".") || "A name"} holds ${JSON.stringify(malformed.text)}: ${malformed.problem}`);
  const { key, input } = shape;
  const canWait = key !== undefined && value[key] !== undefined && value[key] !== null && !createsAgain(value, input);
  const waiting = canWait ? [...input.links].flatMap(([name, link]) => waitingIn(value[name], name, link)) : [];
  if (waiting.length === 0) return { node: expand(value, input), links: undefined };
  const now = waiting.flatMap(({ name, objects }) => (objects.length === 0 ? [] : [[name, objects]]));
  const later = new Set(waiting.map(({ name }) => name));
  const rest = Object.entries(value).filter(([name]) => !later.has(name));
  return {
    node: expand(Object.fromEntries([...rest, ...now]), input),
    links: expand({ ...again(value, shape), ...Object.fromEntries(waiting.map(({ name, keys }) => [name, keys])) }, input),
  };
}

/** References of one field: the bare keys of a list wait, its objects do not. */
interface Waiting {
  readonly name: string;
  readonly keys: unknown;
  readonly objects: readonly unknown[];
}

function waitingIn(value: unknown, name: string, link: LinkShape): readonly Waiting[] {
  if (link.required) return [];
  if (!Array.isArray(value)) return isBareKey(value) ? [{ name, keys: value, objects: [] }] : [];
  const keys = value.filter(isBareKey);
  return keys.length === 0 ? [] : [{ name, keys, objects: value.filter((each) => !isBareKey(each)) }];
}

/** What `add` with `upsert` asks for, and changes nothing: the key and the required fields, objects there by their key alone. */
function again(value: InputObject, { key, input }: ImportShape): InputObject {
  const members = Object.entries(value).filter(([name]) => name === key || input.required.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, input.links.has(name) ? keysOnly(member, input.links.get(name)?.key) : member]));
}

function keysOnly(value: unknown, key: string | undefined): unknown {
  const one = (each: unknown) => (isObject(each) && key !== undefined ? each[key] : each);
  return Array.isArray(value) ? value.map(one) : one(value);
}

/** A required link to an object is part of both steps; one that can only be a new node would be made twice. */
function createsAgain(value: InputObject, input: InputShape): boolean {
  return [...input.links].some(
    ([name, link]) => link.required && listed(value[name]).some((each) => isObject(each) && (link.key === undefined || each[link.key] === undefined)),
  );
}

/** Every bare key becomes an object, at any depth. */
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
    if (link.key === undefined) throw new TypeError(`${name} refers to a type without a key; write an object there.`);
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
