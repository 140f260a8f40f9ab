// Vectors: 32-bit elements, the distances between two of them, and their shortest decimal texts.

import { QuernError } from "../errors.ts";
import type { Stored, Vector } from "./value.ts";

/**
 * How far two vectors are from each other; smaller is nearer:
 *
 * | metric | distance |
 * |---|---|
 * | euclidean | the square root of the sum of squared differences |
 * | cosine | 1 - the cosine of the angle; undefined (NaN) for a vector of zeros |
 * | dotproduct | 1 - the dot product |
 */
export type Metric = "euclidean" | "cosine" | "dotproduct";

/** The names of all metrics. */
export const metrics: readonly Metric[] = ["euclidean", "cosine", "dotproduct"];

/** Whether a stored value is a vector. */
export function isVector(value: Stored): value is Vector {
  return value instanceof Float32Array;
}

/** The vector of these numbers, each rounded to 32 bits. Undefined when there are none, or one is beyond the range of 32-bit floats. */
export function vectorOf(numbers: readonly number[]): Vector | undefined {
  if (numbers.length === 0) return undefined;
  const vector = Float32Array.from(numbers);
  return vector.every(Number.isFinite) ? vector : undefined;
}

/** Whether both have the same elements. */
export function equalVectors(a: Vector, b: Vector): boolean {
  return a.length === b.length && a.every((element, i) => element === b[i]);
}

/** The distance of two vectors of one length. Differences are rounded to 32 bits; products and sums are doubles. */
export function distanceOf(metric: Metric, a: Vector, b: Vector): number {
  return distanceFrom(metric, a)(b);
}

/** The function that measures distances from `vector`. */
export function distanceFrom(metric: Metric, vector: Vector): (other: Vector) => number {
  switch (metric) {
    case "euclidean":
      return (other) => euclidean(vector, other);
    case "cosine":
      return cosineFrom(vector);
    case "dotproduct":
      return (other) => 1 - dot(vector, other);
  }
}

function cosineFrom(vector: Vector): (other: Vector) => number {
  const square = dot(vector, vector);
  return (other) => 1 - dot(vector, other) / Math.sqrt(square * dot(other, other));
}

function euclidean(a: Vector, b: Vector): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.fround((a[i] ?? 0) - (b[i] ?? 0));
    sum += difference * difference;
  }
  return Math.sqrt(sum);
}

function dot(a: Vector, b: Vector): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

const distanceNames: Readonly<Record<Metric, string>> = { euclidean: "euclidean distance", cosine: "cosine distance", dotproduct: "dot product" };

/** The error for vectors that have no distance. */
export function wrongLength(metric: Metric): QuernError {
  return new QuernError("VALUE_INVALID", `can not compute ${distanceNames[metric]} on vectors of different lengths`);
}

/** Digits after which two neighbouring 32-bit floats always differ. */
const longestDigits = 9;

/** The shortest decimal number that rounds to the 32-bit float `value`: 0.1, not 0.10000000149011612. */
export function shortestDecimal(value: number): number {
  for (let digits = 1; digits < longestDigits; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(longestDigits));
}
