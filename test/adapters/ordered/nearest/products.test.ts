// The SIMD instructions compute what the loops compute: for every length, whatever lay in the memory before.

import { describe, expect, it } from "vitest";
import { dotOfBytes, dotOfFloats, type Elements, squareOfFloats } from "../../../../adapters/ordered/nearest/products.ts";
import { openModule } from "../../../../adapters/ordered/nearest/simd-module.ts";
import { type Copied, products } from "../../../../adapters/ordered/nearest/simd-products.ts";
import { seeded } from "../../../conformance/storage/random.ts";

const pick = seeded(5);
const copied = (elements: Elements): Copied => ({ elements, address: 0 });
const floats = (length: number) => copied(Float32Array.from({ length }, () => pick(2_000_001) / 1_000_000 - 1));
const bytes = (length: number) => copied(Int8Array.from({ length }, () => pick(255) - 127));
/** Around the stride of the loops, and longer. */
const lengths = [1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 384, 1536, 4097];
const simd = products();

/** Sums of 32-bit floats: the error grows with the number of terms. */
function expectNear(found: number, expected: number, length: number): void {
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(1e-6 * length);
}

describe("the products of vectors", () => {
  it.each(lengths)("of %i floats are those of the loops", (length) => {
    const [a, b] = [floats(length), floats(length)];
    expectNear(simd.dotOfFloats(a, b), dotOfFloats(a.elements, b.elements), length);
    expectNear(simd.squareOfFloats(a, b), squareOfFloats(a.elements, b.elements), length);
    expect(simd.squareOfFloats(a, a)).toBe(0);
  });

  it.each(lengths)("of %i bytes are those of the loops, exactly", (length) => {
    const [a, b] = [bytes(length), bytes(length)];
    expect(simd.dotOfBytes(a, b)).toBe(dotOfBytes(a.elements, b.elements));
    expect(simd.dotOfBytes(a, a)).toBe(dotOfBytes(a.elements, a.elements));
  });

  it("of bytes at their bounds do not overflow", () => {
    const [low, high] = [copied(new Int8Array(4096).fill(-128)), copied(new Int8Array(4096).fill(127))];
    expect(simd.dotOfBytes(low, high)).toBe(-128 * 127 * 4096);
    expect(simd.dotOfBytes(low, low)).toBe(128 * 128 * 4096);
  });

  it("of no elements are 0", () => {
    expect(simd.dotOfFloats(copied(new Float32Array()), copied(new Float32Array()))).toBe(0);
  });

  it("keep the distance of vectors that are near each other and far from the origin", () => {
    const far = copied(new Float32Array(384).fill(1000));
    const beside = copied(Float32Array.from({ length: 384 }, (_, i) => 1000 + (i % 2)));
    expect(simd.squareOfFloats(far, beside)).toBe(192);
  });

  it("stay right when more vectors of several lengths are compared than the memory holds", () => {
    // 48 MiB in a memory of 32: vectors that were compared before are copied there again.
    const vectors = Array.from({ length: 700 }, (_, i) => copied(new Float32Array(i % 3 === 0 ? 16_001 : 20_000).fill((i % 7) + 1)));
    for (let round = 0; round < 2; round++) {
      for (let i = 3; i < vectors.length; i += 1) {
        const [a, b] = [vectors[i - 3], vectors[i]];
        if (a === undefined || b === undefined) continue;
        expect(simd.squareOfFloats(a, b)).toBe(a.elements.length * ((a.elements[0] ?? 0) - (b.elements[0] ?? 0)) ** 2);
      }
    }
  });

  it("of vectors that are too long for the memory come from the loops", () => {
    const long = copied(new Float32Array(3_000_000).fill(2));
    expect(simd.dotOfFloats(long, long)).toBe(12_000_000);
  });

  it("of vectors in the middle of a larger buffer take only their elements", () => {
    const buffer = new Float32Array(100).fill(9);
    const a = copied(buffer.subarray(7, 12));
    expect(simd.dotOfFloats(a, copied(new Float32Array(5).fill(1)))).toBe(45);
  });
});

it("the module gives way to plain loops where it cannot be made: more memory than an engine has", () => {
  expect(openModule(1)?.memory.byteLength).toBe(65_536);
  expect(openModule(65_537)).toBeUndefined();
});
