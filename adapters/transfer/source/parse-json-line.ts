// Parses one line of a JSON export: `  {"uid":"0x5","namespace":"0x0","Boat.home":[{"uid":"0x4"}]},`

import { isObject, parseJson, writeJson } from "../../../core/plugin.ts";
import { type Literal, type NodeLink, type Statement, UnreadableLine, uidOf } from "./statement.ts";

const uid = /^0x([0-9a-fA-F]{1,16})$/;

/**
 * The statement of a line; undefined for blank lines and for the brackets around the array.
 *
 * @throws UnreadableLine
 */
export function parseJsonLine(line: string): Statement | undefined {
  const text = line.trim().replace(/,$/, "");
  if (text === "" || text === "[" || text === "]") return undefined;
  const { uid: subject, namespace, ...rest } = objectIn(text);
  const members = Object.entries(rest);
  const values = members.filter(([name]) => !name.includes("|"));
  const [member] = values;
  if (member === undefined || values.length > 1) throw new UnreadableLine("The object does not hold one value beside uid and namespace.");
  const [name, value] = member;
  const { object, facets } = readValue(value);
  const { predicate, language } = splitTag(name);
  const beside = members.filter(([each]) => each.startsWith(`${name}|`));
  return { subject: readUid(subject), predicate, language, object, namespace: Number(namespace ?? 0), facets: facetText([...beside, ...facets]) };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw new UnreadableLine("The line is not JSON.");
  }
  if (!isObject(value)) throw new UnreadableLine("The line is not a JSON object.");
  return value;
}

function readUid(value: unknown): number {
  const digits = typeof value === "string" ? uid.exec(value)?.[1] : undefined;
  if (digits === undefined) throw new UnreadableLine(`The uid ${writeJson(value)} is not a hexadecimal text such as "0x5".`);
  return uidOf(digits);
}

type Members = readonly (readonly [string, unknown])[];

/** A link is a list of one object. Numbers are bare, everything else is text. */
function readValue(value: unknown): { readonly object: Literal | NodeLink; readonly facets: Members } {
  if (!Array.isArray(value)) return { object: { kind: "literal", text: scalarText(value) }, facets: [] };
  const [target, ...others] = value;
  if (!isObject(target) || others.length > 0) throw new UnreadableLine("A list does not hold one object with a uid.");
  return { object: { kind: "link", to: readUid(target.uid) }, facets: Object.entries(target).filter(([name]) => name.includes("|")) };
}

function scalarText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  throw new UnreadableLine("A value is neither text nor number.");
}

/** `label@de`: the text of `label` in one language. */
function splitTag(name: string): { readonly predicate: string; readonly language: string | undefined } {
  const at = name.lastIndexOf("@");
  return at <= 0 ? { predicate: name, language: undefined } : { predicate: name.slice(0, at), language: name.slice(at + 1) };
}

function facetText(facets: Members): string | undefined {
  return facets.length === 0 ? undefined : facets.map(([name, value]) => `${name.slice(name.lastIndexOf("|") + 1)}=${writeJson(value)}`).join(",");
}
