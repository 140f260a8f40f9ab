// The ranks by which points are compared.

import type { Metric } from "../../../core/storage.ts";
import type { Point } from "./points.ts";
import { dotOfFloats, squareOfFloats } from "./products.ts";
import { products } from "./simd-products.ts";

/** Smaller is nearer. Orders points of one length as their distances do; cheaper to compute. */
export type Rank = (a: Point, b: Point) => number;

/** For walks through a graph: rounded to 32-bit floats. */
export function rankOf(metric: Metric, quantize: "int8" | undefined): Rank {
  const { dotOfFloats, squareOfFloats, dotOfBytes } = products();
  const dot: Rank = quantize === undefined ? dotOfFloats : (a, b) => dotOfBytes(a, b) * a.scale * b.scale;
  switch (metric) {
    case "euclidean":
      return quantize === undefined ? squareOfFloats : (a, b) => a.square + b.square - 2 * dot(a, b);
    case "cosine":
      return (a, b) => -dot(a, b) * a.inverse * b.inverse;
    case "dotproduct":
      return (a, b) => -dot(a, b);
  }
}

/** For comparisons with all candidates, which must miss none: in 64-bit floats. */
export function exactRankOf(metric: Metric): Rank {
  switch (metric) {
    case "euclidean":
      return (a, b) => squareOfFloats(a.elements, b.elements);
    case "cosine":
      return (a, b) => -dotOfFloats(a.elements, b.elements) * a.inverse * b.inverse;
    case "dotproduct":
      return (a, b) => -dotOfFloats(a.elements, b.elements);
  }
}
