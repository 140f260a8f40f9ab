// How scalars appear in JSON, as TypeScript types.

export interface ScalarTypes {
  /** In an answer. */
  readonly output: string;
  /** In variables. */
  readonly input: string;
}

const types: Readonly<Record<string, ScalarTypes>> = {
  ID: { output: "string", input: "string | number" },
  String: { output: "string", input: "string" },
  Boolean: { output: "boolean", input: "boolean" },
  Int: { output: "number", input: "number" },
  Float: { output: "number", input: "number" },
  // The answer has all digits; JSON.parse rounds those beyond 2^53. Variables may send them as text.
  Int64: { output: "number", input: "number | string" },
  // RFC 3339; a number is a count of seconds since 1970.
  DateTime: { output: "string", input: "string | number" },
};

/** Of a scalar that a plugin defines nothing is known. */
export function scalarTypes(name: string): ScalarTypes {
  return types[name] ?? { output: "unknown", input: "unknown" };
}
