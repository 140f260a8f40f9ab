// Values as the text of an export, by kind.

import { type Geometry, isVector, type Stored, shortestDecimal, type Uid, type Value, type ValueKind } from "../../../core/storage.ts";
import type { Target } from "../import/target.ts";
import { goFloat, plainDecimal } from "./go-text.ts";
import type { NodePart } from "./read-nodes.ts";

/** One fact of a node, before it is written in a form. */
export type Fact =
  | { readonly uid: Uid; readonly predicate: string; readonly to: Uid }
  | { readonly uid: Uid; readonly predicate: string; readonly language: string | undefined; readonly text: string; readonly kind: ValueKind };

export const rdfTypes: Readonly<Record<ValueKind, string>> = {
  string: "xs:string",
  password: "xs:password",
  int: "xs:int",
  int64: "xs:int",
  float: "xs:float",
  boolean: "xs:boolean",
  dateTime: "xs:dateTime",
  geo: "geo:geojson",
  vector: "xs:[]float32",
};

/** The facts about a part of a node: its types first. */
export function factsOf({ uid, type, isFirst, values, links }: NodePart, target: Target): readonly Fact[] {
  const names = [type.model.stored, ...type.model.interfaces.map(({ stored }) => stored)];
  const types = isFirst
    ? [...new Set(names)].map((text) => ({ uid, predicate: "dgraph.type", language: undefined, text, kind: "string" }) as const)
    : [];
  const facts: Fact[] = [...types];
  for (const [name, stored] of values) {
    const kind = target.fields.get(name)?.kind ?? "string";
    const { predicate, language } = splitTag(name);
    for (const value of listed(stored)) facts.push({ uid, predicate, language, text: textOf(value, kind), kind });
  }
  for (const [predicate, targets] of links) for (const to of targets) facts.push({ uid, predicate, to });
  return facts;
}

/** `label@de` is the text of `label` in one language. */
export function splitTag(name: string): { readonly predicate: string; readonly language: string | undefined } {
  const at = name.lastIndexOf("@");
  return at <= 0 ? { predicate: name, language: undefined } : { predicate: name.slice(0, at), language: name.slice(at + 1) };
}

function listed(stored: Stored): readonly Value[] {
  return Array.isArray(stored) ? stored : [stored as Value];
}

function textOf(value: Value, kind: ValueKind): string {
  if (isVector(value)) return `[${[...value].map((element) => plainDecimal(shortestDecimal(element))).join(",")}]`;
  if (typeof value === "number" && kind === "float") return goFloat(value);
  return isGeometry(value) ? JSON.stringify({ type: value.type, coordinates: value.coordinates }).replaceAll('"', "'") : String(value);
}

function isGeometry(value: Value): value is Geometry {
  return typeof value === "object" && !isVector(value);
}
