// Serializes JSON without losing digits.

/**
 * The compact JSON text of a value, as `JSON.stringify` writes it, with bigints as plain digits. Values that JSON does not have (undefined,
 * functions, symbols) are omitted from objects and are `null` elsewhere; numbers that are not finite are `null`.
 */
export function writeJson(value: unknown): string {
  return jsonText(value) ?? "null";
}

/** The same; undefined: JSON does not have the value. */
export function jsonText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? `[${value.map(writeJson).join(",")}]` : writeObject(value);
    default:
      return undefined;
  }
}

function writeObject(value: object): string | undefined {
  if ("toJSON" in value && typeof value.toJSON === "function") return jsonText(value.toJSON());
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    const text = jsonText(member);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(",")}}`;
}
