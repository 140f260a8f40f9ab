// Values of nodes as cells of a CSV file and as members of NDJSON lines, both ways.

import { isList, isObject, type Json, parseJson, textOf, writeJson } from "../api/json.ts";
import type { ApiModel, Field, NodeType } from "../model/api-model.ts";
import { asInput, linkOf, referenceTo, targetsOf } from "../model/links.ts";
import { editable, parseValue } from "../model/values.ts";

/** Texts as they are, lists as JSON, links by the key of the node: `Kiel`, `["Ada", "Bea"]`. Empty: there is no value. */
export function cellOf(model: ApiModel, type: NodeType, field: Field, value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  if (field.kind !== "link") return editable(field, value);
  const keys = (isList(value) ? value : [value]).map((each) => linkText(model, type, field, each));
  return isList(value) ? (keys.length === 0 ? "" : writeJson(keys)) : textOf(keys[0]);
}

/** The key of the node; where several types can stand, what an input takes. */
function linkText(model: ApiModel, type: NodeType, field: Field, value: Json): Json {
  if (targetsOf(model, field).length !== 1 || !isObject(value)) return asInput(model, type, field, value);
  const target = linkOf(model, field, value);
  const own = target && ownKey(target.type);
  return (own && value[own.name]) ?? null;
}

/** One of its own before the ID. */
function ownKey({ keys }: NodeType): Field | undefined {
  return keys.find(({ kind }) => kind !== "id") ?? keys[0];
}

/** What a mutation takes, and `quern import`. */
export function memberOf(model: ApiModel, type: NodeType, field: Field, value: Json | undefined): Json {
  // An input takes a file by its upload alone.
  if (field.kind === "file") return null;
  if (field.kind !== "link" || !isObject(value))
    return isList(value) ? value.map((each) => memberOf(model, type, { ...field, isList: false }, each)) : (value ?? null);
  const target = linkOf(model, field, value);
  const own = target && ownKey(target.type);
  const key = own && value[own.name];
  return target && own && key !== null && key !== undefined
    ? referenceTo(type, field, { type: target.type, key: { field: own.name, value: key } })
    : asInput(model, type, field, value);
}

/** The value that an input takes. Undefined: the cell is empty. Throws with what is expected. */
export function inputOfCell(model: ApiModel, type: NodeType, field: Field, cell: Json): Json | undefined {
  if (cell === null || cell === "") return undefined;
  if (field.kind === "link") return linkInput(model, type, field, cell);
  // NDJSON has values: the server says whether they fit.
  return typeof cell === "string" ? parseValue(field, cell) : cell;
}

function linkInput(model: ApiModel, type: NodeType, field: Field, cell: Json): Json {
  if (!field.isList) return reference(model, type, field, cell);
  const members = typeof cell === "string" ? listIn(cell) : isList(cell) ? cell : [cell];
  return members.map((each) => reference(model, type, field, each));
}

function listIn(text: string): readonly Json[] {
  if (!text.trim().startsWith("[")) return text.split(",").map((each) => each.trim());
  const list = parseJson(text);
  return isList(list) ? list : [list];
}

function reference(model: ApiModel, type: NodeType, field: Field, cell: Json): Json {
  if (isObject(cell)) return cell;
  if (typeof cell === "string" && cell.startsWith("{")) return parseJson(cell);
  const [target, ...others] = targetsOf(model, field);
  const own = target && ownKey(target);
  if (target === undefined || own === undefined || others.length > 0) throw new Error(`Expected a link of ${field.name} as JSON.`);
  return referenceTo(type, field, { type: target, key: { field: own.name, value: parseValue({ ...own, isList: false }, textOf(cell)) } });
}
