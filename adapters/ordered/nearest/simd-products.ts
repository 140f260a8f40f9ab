// Compares vectors by SIMD instructions. These read the module's own memory, so each vector is copied there first; the last ones stay there for the next
// comparison. One for each thread: every memory of WebAssembly takes gigabytes of address space.

import { dotOfBytes, dotOfFloats, type Elements, squareOfFloats } from "./products.ts";
import { openModule, stride, type VectorFunctions } from "./simd-module.ts";

/** A vector, and where its last copy was. Only this file looks at `address`. */
export interface Copied {
  readonly elements: Elements;
  address: number;
}

const pageBytes = 1 << 16;
/** 20,000 vectors of 384 floats: what a walk through a graph compares again and again. */
const memoryBytes = 32 << 20;
/** Two vectors lie there at a time, wherever the next place is. */
const longestBytes = memoryBytes / 4;

/** A ring of copies: the next one takes the place of the oldest. */
class Copies {
  readonly #bytes: Uint8Array;
  /** By the stride in which the copy begins. */
  readonly #owners: (Copied | undefined)[];
  #next = 0;

  constructor(memory: ArrayBuffer) {
    this.#bytes = new Uint8Array(memory);
    this.#owners = new Array(memory.byteLength / stride).fill(undefined);
  }

  has(vector: Copied): boolean {
    return this.#owners[vector.address / stride] === vector;
  }

  /** @param size the bytes of the vector, padded */
  add(vector: Copied, size: number): void {
    if (this.#next + size > this.#bytes.length) this.#next = 0;
    const address = this.#next;
    this.#next += size;
    this.#owners.fill(undefined, address / stride, this.#next / stride);
    const { buffer, byteOffset, byteLength } = vector.elements;
    this.#bytes.set(new Uint8Array(buffer, byteOffset, byteLength), address);
    if (byteLength < size) this.#bytes.fill(0, address + byteLength, this.#next);
    vector.address = address;
    this.#owners[address / stride] = vector;
  }
}

export type CopiedProduct = (a: Copied, b: Copied) => number;
export type Products = Readonly<Record<keyof VectorFunctions, CopiedProduct>>;

const plain: Products = {
  dotOfFloats: (a, b) => dotOfFloats(a.elements, b.elements),
  squareOfFloats: (a, b) => squareOfFloats(a.elements, b.elements),
  dotOfBytes: (a, b) => dotOfBytes(a.elements, b.elements),
};

function open(): Products {
  const module = openModule(memoryBytes / pageBytes);
  if (module === undefined) return plain;
  const { functions } = module;
  const copies = new Copies(module.memory);
  /** The padded size of both, which then lie in the memory; 0: they are too short or too long for it. */
  const place = (a: Copied, b: Copied): number => {
    const size = (a.elements.byteLength + stride - 1) & -stride;
    if (size === 0 || size > longestBytes) return 0;
    if (!copies.has(a)) copies.add(a, size);
    if (copies.has(b)) return size;
    copies.add(b, size);
    // The copy of `b` may have taken the place of `a`, which then comes behind it.
    if (!copies.has(a)) copies.add(a, size);
    return size;
  };
  // One closure for each: the engine then inlines its callee.
  return {
    dotOfFloats(a, b) {
      const size = place(a, b);
      return size === 0 ? plain.dotOfFloats(a, b) : functions.dotOfFloats(a.address, b.address, size);
    },
    squareOfFloats(a, b) {
      const size = place(a, b);
      return size === 0 ? plain.squareOfFloats(a, b) : functions.squareOfFloats(a.address, b.address, size);
    },
    dotOfBytes(a, b) {
      const size = place(a, b);
      return size === 0 ? plain.dotOfBytes(a, b) : functions.dotOfBytes(a.address, b.address, size);
    },
  };
}

let opened: Products | undefined;

/** Of two vectors of one length. The products of floats are sums of 32-bit floats: as exact as one element, not more. */
export function products(): Products {
  opened ??= open();
  return opened;
}
