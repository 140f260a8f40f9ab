// Vectors as a graph keeps them, whole or in bytes, and the ranks by which it compares them.

import type { Metric, Vector } from "../../../core/storage.ts";
import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import type { Codec } from "../keyspaces/codec.ts";

/** A vector is `elements` times `scale`. */
export interface Point {
  readonly elements: Float32Array | Int8Array;
  readonly scale: number;
  /** The dot product of the vector with itself. */
  readonly square: number;
  /** One divided by the length of the vector. */
  readonly inverse: number;
}

/** Smaller is nearer. Orders points as their distances do; cheaper to compute. */
export type Rank = (a: Point, b: Point) => number;

export function rankOf(metric: Metric, quantize: "int8" | undefined): Rank {
  const dot = quantize === undefined ? dotOfFloats : dotOfBytes;
  switch (metric) {
    case "euclidean":
      return (a, b) => a.square + b.square - 2 * dot(a, b);
    case "cosine":
      return (a, b) => -dot(a, b) * a.inverse * b.inverse;
    case "dotproduct":
      return (a, b) => -dot(a, b);
  }
}

// Both loops keep four sums: additions to one sum would wait for each other. This doubles the speed at 384 elements (test/bench/vectors.ts).

function dotOfFloats(a: Point, b: Point): number {
  const x = a.elements as Float32Array;
  const y = b.elements as Float32Array;
  const whole = x.length & ~3;
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let i = 0; i < whole; i += 4) {
    s0 += (x[i] as number) * (y[i] as number);
    s1 += (x[i + 1] as number) * (y[i + 1] as number);
    s2 += (x[i + 2] as number) * (y[i + 2] as number);
    s3 += (x[i + 3] as number) * (y[i + 3] as number);
  }
  for (let i = whole; i < x.length; i++) s0 += (x[i] as number) * (y[i] as number);
  return s0 + s1 + (s2 + s3);
}

function dotOfBytes(a: Point, b: Point): number {
  const x = a.elements as Int8Array;
  const y = b.elements as Int8Array;
  const whole = x.length & ~3;
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let i = 0; i < whole; i += 4) {
    s0 = (s0 + Math.imul(x[i] as number, y[i] as number)) | 0;
    s1 = (s1 + Math.imul(x[i + 1] as number, y[i + 1] as number)) | 0;
    s2 = (s2 + Math.imul(x[i + 2] as number, y[i + 2] as number)) | 0;
    s3 = (s3 + Math.imul(x[i + 3] as number, y[i + 3] as number)) | 0;
  }
  for (let i = whole; i < x.length; i++) s0 = (s0 + Math.imul(x[i] as number, y[i] as number)) | 0;
  return (s0 + s1 + (s2 + s3)) * a.scale * b.scale;
}

/** The largest magnitude of a byte. */
const most = 127;

export function pointOf(vector: Vector, quantize: "int8" | undefined): Point {
  if (quantize === undefined) return withSquare(vector, 1);
  const largest = vector.reduce((max, element) => Math.max(max, Math.abs(element)), 0);
  const scale = largest === 0 ? 1 : largest / most;
  return withSquare(
    Int8Array.from(vector, (element) => Math.round(element / scale)),
    scale,
  );
}

function withSquare(elements: Point["elements"], scale: number): Point {
  let square = 0;
  for (let i = 0; i < elements.length; i++) square += (elements[i] ?? 0) * (elements[i] ?? 0);
  square *= scale * scale;
  return { elements, scale, square, inverse: 1 / Math.sqrt(square) };
}

export function samePoint(a: Point, b: Point): boolean {
  return a.scale === b.scale && a.elements.length === b.elements.length && a.elements.every((element, i) => element === b.elements[i]);
}

const writer = new ByteWriter();

export function pointCodec(quantize: "int8" | undefined): Codec<Point> {
  return {
    encode({ elements, scale }) {
      writer.double(scale);
      const head = writer.finish();
      return Buffer.concat([head, Buffer.from(elements.buffer, elements.byteOffset, elements.byteLength)]);
    },
    decode(bytes) {
      const scale = new ByteReader(bytes).double();
      // A copy: floats need an aligned place.
      const body = Uint8Array.prototype.slice.call(bytes, 8).buffer;
      return withSquare(quantize === undefined ? new Float32Array(body) : new Int8Array(body), scale);
    },
    copy: (point) => point,
    weigh: ({ elements }) => 200 + elements.byteLength,
  };
}
