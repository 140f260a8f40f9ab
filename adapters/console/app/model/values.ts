// Values as people read and write them in a table or a form.

import { isList, isObject, type Json, parseJson, textOf, writeJson } from "../api/json.ts";
import type { Field } from "./api-model.ts";
import { fileName } from "./files.ts";

/** Text of a value in a cell. */
export function shown(field: Pick<Field, "kind" | "named" | "isKey">, value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  if (isList(value)) return isVector(field, value) ? vectorText(field, value) : value.map((each) => shown(field, each)).join(", ");
  if (field.kind === "geo") return geoText(value);
  if (field.kind === "file") return fileName(value);
  return isNumber(value) && !field.isKey ? numberText(value) : textOf(value);
}

function isNumber(value: Json): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** As the browser writes numbers, with all their digits. */
function numberText(value: number | bigint): string {
  return typeof value === "number" && Math.abs(value) >= 1e15 && !Number.isSafeInteger(value)
    ? String(value)
    : value.toLocaleString(undefined, { maximumFractionDigits: 20 });
}

const mostNumbers = 8;

/** Long lists of numbers are vectors of models: nobody reads them. */
function isVector({ named }: Pick<Field, "named">, value: readonly Json[]): boolean {
  return named === "Float" && value.length > mostNumbers;
}

function vectorText(field: Parameters<typeof shown>[0], value: readonly Json[]): string {
  return `${value
    .slice(0, 3)
    .map((each) => shown(field, each))
    .join(", ")} … ${value.length} numbers`;
}

/** What a picker of dates gives, in the zone of the browser: `2024-05-01T12:00:00+02:00`. */
export function zonedTime(local: string): string {
  const minutes = -new Date(local).getTimezoneOffset();
  const zone = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((each) => String(each).padStart(2, "0")).join(":");
  const seconds = /T\d\d:\d\d$/.test(local) ? ":00" : "";
  return `${local}${seconds}${minutes === 0 ? "Z" : `${minutes < 0 ? "-" : "+"}${zone}`}`;
}

/** What a picker of dates shows of a text, in the zone of the browser. */
export function pickedTime(text: string): string {
  const instant = new Date(text);
  if (text === "" || Number.isNaN(instant.getTime())) return "";
  return new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** `52.5° N, 13.4° E` of a point; other shapes by their number of points. */
function geoText(value: Json): string {
  if (!isObject(value)) return textOf(value);
  const { longitude, latitude, coordinates, polygons } = value;
  if (typeof longitude === "number" && typeof latitude === "number") return `${degrees(latitude, "N", "S")}, ${degrees(longitude, "E", "W")}`;
  if (isList(polygons)) return `${polygons.length} polygons`;
  const [ring] = isList(coordinates) ? coordinates : [];
  const points = isObject(ring) && isList(ring.points) ? ring.points.length : 0;
  return `polygon of ${points} points`;
}

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value).toLocaleString(undefined, { maximumFractionDigits: 6 })}° ${value < 0 ? negative : positive}`;
}

/** The text in which a value is edited. */
export function editable(field: Pick<Field, "kind" | "named" | "isList">, value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  if (field.kind === "file") return fileName(value);
  if (field.kind === "geo" && isObject(value) && field.named === "Point") return `${textOf(value.longitude)}, ${textOf(value.latitude)}`;
  return typeof value === "object" ? writeJson(value) : String(value);
}

/** The value of a text that somebody wrote; null: none. Throws with what is expected. */
export function parseValue(field: Pick<Field, "kind" | "named" | "isList" | "values">, text: string): Json {
  const trimmed = text.trim();
  if (trimmed === "" && (field.isList || !isText(field))) return null;
  if (field.isList) return listOf(trimmed, field);
  if (field.kind === "geo") return geoOf(field.named, trimmed);
  return scalarOf(field, text);
}

function isText({ named }: Pick<Field, "named">): boolean {
  return named === "String" || named === "ID";
}

function listOf(text: string, { named }: Pick<Field, "named">): Json {
  const value = text.startsWith("[") ? json(text, `a JSON list of ${named}`) : text.split(",").map((each) => each.trim());
  if (!isList(value)) throw new Error(`Expected a JSON list of ${named}, such as ${named === "String" ? '["a", "b"]' : "[1, 2]"}.`);
  return text.startsWith("[") ? value : value.map((each) => scalarOf({ named, values: [] }, textOf(each)));
}

/** Undefined: the text is no point yet. */
export function pickedPoint(text: string): Json | undefined {
  try {
    return text.trim() === "" ? undefined : geoOf("Point", text.trim());
  } catch {
    return undefined;
  }
}

function geoOf(named: string, text: string): Json {
  const [, longitude, latitude] = /^(-?[\d.]+)\s*,\s*(-?[\d.]+)$/.exec(text) ?? [];
  if (named === "Point" && longitude !== undefined && latitude !== undefined) return { longitude: Number(longitude), latitude: Number(latitude) };
  if (text.startsWith("{")) return json(text, named);
  throw new Error(named === "Point" ? "Expected longitude, latitude: 13.4, 52.5" : `Expected a ${named} as JSON.`);
}

function scalarOf({ named, values }: Pick<Field, "named" | "values">, text: string): Json {
  const trimmed = text.trim();
  switch (named) {
    case "Int":
    case "Int64":
      if (!/^-?\d+$/.test(trimmed)) throw new Error(`Expected a whole number (${named}).`);
      return parseJson(trimmed.replace(/^(-?)0+(?=\d)/, "$1"));
    case "Float": {
      const value = Number(trimmed);
      if (trimmed === "" || !Number.isFinite(value)) throw new Error("Expected a number (Float).");
      return value;
    }
    case "Boolean":
      if (trimmed !== "true" && trimmed !== "false") throw new Error("Expected true or false.");
      return trimmed === "true";
    default:
      if (values.length > 0 && !values.includes(trimmed)) throw new Error(`Expected one of ${values.join(", ")}.`);
      return values.length > 0 || named === "DateTime" ? trimmed : text;
  }
}

function json(text: string, expected: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new Error(`Expected ${expected} as JSON.`);
  }
}

/** What an empty input shows. */
export function placeholderOf({ named, isList, kind }: Pick<Field, "named" | "isList" | "kind">): string {
  if (isList) return kind === "geo" ? "JSON list" : "a, b, c";
  if (named === "DateTime") return "2024-05-01T12:00:00+02:00";
  if (named === "Point") return "longitude, latitude";
  return kind === "geo" ? "JSON" : "";
}

export function isNumeric({ named, isList }: Pick<Field, "named" | "isList">): boolean {
  return !isList && (named === "Int" || named === "Int64" || named === "Float");
}

/** A date in the reader's own zone, as a hint beside the exact text. */
export function localTime(text: string): string | undefined {
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : `${instant.toLocaleString()} (your time zone)`;
}
