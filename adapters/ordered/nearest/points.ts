// Vectors as a graph keeps them, whole or in bytes.

import type { Vector } from "../../../core/storage.ts";
import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import type { Codec } from "../keyspaces/codec.ts";
import type { Elements } from "./products.ts";

/** A vector is `elements` times `scale`. */
export interface Point {
  readonly elements: Elements;
  readonly scale: number;
  /** The dot product of the vector with itself. */
  readonly square: number;
  /** One divided by the length of the vector. */
  readonly inverse: number;
  /** Of its last copy (simd-products.ts). */
  address: number;
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

function withSquare(elements: Elements, scale: number): Point {
  let square = 0;
  for (let i = 0; i < elements.length; i++) square += (elements[i] ?? 0) * (elements[i] ?? 0);
  square *= scale * scale;
  return { elements, scale, square, inverse: 1 / Math.sqrt(square), address: 0 };
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
