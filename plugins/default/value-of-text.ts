// Converts the text of a default to a value of its field.

import { fitsKind, type Geometry, normalizeDateTime, type Value, type ValueField } from "../../core/plugin.ts";

/** Undefined when the text is not a value of the field's type. Enum values are not validated. */
export function valueOfText({ kind, type }: ValueField, text: string): Value | undefined {
  switch (kind) {
    case "int":
      return isWhole(text) && fitsKind(kind, Number(text)) ? Number(text) : undefined;
    case "int64":
      return isWhole(text) && fitsKind(kind, BigInt(text)) ? BigInt(text) : undefined;
    case "float":
      return text.trim() === text && text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "boolean":
      return text === "true" || (text === "false" ? false : undefined);
    case "dateTime":
      return normalizeDateTime(text);
    case "geo":
      return geometryOf(type.name, text);
    default:
      return text;
  }
}

function isWhole(text: string): boolean {
  return /^-?\d+$/u.test(text);
}

/** Parses GeoJSON of exactly this type. */
function geometryOf(typeName: string, text: string): Geometry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isGeometry(value) && value.type === typeName ? value : undefined;
  } catch {
    return undefined;
  }
}

function isGeometry(value: unknown): value is Geometry {
  if (typeof value !== "object" || value === null || !("type" in value) || !("coordinates" in value)) return false;
  const depth = ["Point", "", "Polygon", "MultiPolygon"].indexOf(String(value.type));
  return depth >= 0 && isNested(value.coordinates, depth);
}

/** Whether `value` is positions nested in `depth` lists. */
function isNested(value: unknown, depth: number): boolean {
  if (!Array.isArray(value)) return false;
  if (depth > 0) return value.every((each) => isNested(each, depth - 1));
  return value.length === 2 && value.every((each) => typeof each === "number" && Number.isFinite(each));
}
