// Values that nodes hold in these tests: few enough to meet again, awkward enough to be mixed up.

export const scalars = ["String", "Int", "Int64", "Float", "Boolean", "DateTime", "Mood", "Point"] as const;
export type Scalar = (typeof scalars)[number];
/** A point is the text `longitude,latitude`. */
export type Value = string | number | bigint | boolean;
export type Stored = Value | readonly Value[];

/** By scalar: `["2031", "2031-01-01T00:00:00Z"]` is written the first way and read the second. */
const vocabulary: Readonly<Record<Scalar, readonly (Value | readonly [written: string, read: string])[]>> = {
  String: ["", "mill", "stone mill", "Stone", "é", "🛥", "\uffff", "mill stone"],
  Int: [-1, 0, 1, 2, 255, 256, 2_147_483_647, -2_147_483_648],
  Int64: [-1n, 0n, 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 40n)],
  Float: [-0.5, 0, 0.1, 2.5, 1e21, 1e-7],
  Boolean: [true, false],
  DateTime: [
    "2031-04-09T06:00:00Z",
    "2031-04-09T08:00:00+02:00",
    "2031-04-09T05:59:59.5Z",
    "1999-12-31T23:59:59Z",
    ["2031", "2031-01-01T00:00:00Z"],
    ["2031-04-09", "2031-04-09T00:00:00Z"],
  ],
  Mood: ["CALM", "Angry", "merry"],
  Point: ["0,0", "0.001,0", "180,0", "-180,0", "18.42,-33.92", "9.99,53.55", "179.9,-16.5", "-179.9,-16.5", "0,90", "45,90", "-0.5,-89.9"],
};

export const passwords = ["secret", "sesame", "S\u00e9same", "x".repeat(72)] as const;

export function writtenValues(scalar: Scalar): readonly Value[] {
  return vocabulary[scalar].map((each) => (Array.isArray(each) ? each[0] : each) as Value);
}

export function readAs(scalar: Scalar, written: Value): Value {
  const known = vocabulary[scalar].find((each) => Array.isArray(each) && each[0] === written);
  return known ? (known as readonly [string, string])[1] : written;
}

/** As requests write it. */
export function inputOf(scalar: Scalar, value: Value): Input {
  if (scalar === "Mood") return new Name(String(value));
  return scalar === "Point" ? pointOf(value) : value;
}

export function fromInput(scalar: Scalar, input: Input): Value {
  if (scalar === "Point" && isObject(input)) return `${input.longitude},${input.latitude}`;
  return readAs(scalar, input instanceof Name ? input.text : (input as Value));
}

export function pointOf(value: Value): { readonly longitude: number; readonly latitude: number } {
  const [longitude = 0, latitude = 0] = String(value).split(",").map(Number);
  return { longitude, latitude };
}

/** Metres on a sphere. */
export function distanceBetween(a: Value, b: Value): number {
  const [from, to] = [pointOf(a), pointOf(b)];
  const sine = (degrees: number) => Math.sin((degrees * Math.PI) / 360) ** 2;
  const cosine = (degrees: number) => Math.cos((degrees * Math.PI) / 180);
  const h = sine(to.latitude - from.latitude) + cosine(from.latitude) * cosine(to.latitude) * sine(to.longitude - from.longitude);
  return 2 * 6_371_000 * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Below 0, 0 or above 0: numbers by size, times by instant, texts and names by UTF-8 bytes, false before true. */
export function compareValues(scalar: Scalar, a: Value, b: Value): number {
  if (scalar === "DateTime") return Date.parse(String(a)) - Date.parse(String(b));
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

export function listOf(stored: Stored | undefined): readonly Value[] {
  if (stored === undefined) return [];
  return Array.isArray(stored) ? stored : [stored as Value];
}

// ---- as GraphQL and as JSON -------------------------------------------------------------------------------------------

/** A bare name in a document, a text in variables. */
export class Name {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Input = null | Value | Name | readonly Input[] | { readonly [key: string]: Input };
export type InputObject = { readonly [key: string]: Input };

export function isObject(input: Input | undefined): input is InputObject {
  return typeof input === "object" && input !== null && !Array.isArray(input) && !(input instanceof Name);
}

export function asList(input: Input | undefined): readonly Input[] {
  if (input === undefined || input === null) return [];
  return Array.isArray(input) ? input : [input as Input];
}

export function literal(input: Input): string {
  if (input === null) return "null";
  if (input instanceof Name) return input.text;
  if (Array.isArray(input)) return `[${input.map(literal).join(", ")}]`;
  if (isObject(input))
    return `{${Object.entries(input)
      .map(([key, value]) => `${key}: ${literal(value)}`)
      .join(", ")}}`;
  return typeof input === "string" ? JSON.stringify(input) : String(input);
}

/** For variables, where long integers travel as text. */
export function plain(input: Input): unknown {
  if (input instanceof Name) return input.text;
  if (Array.isArray(input)) return input.map(plain);
  if (isObject(input)) return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, plain(value)]));
  return typeof input === "bigint" ? String(input) : input;
}
