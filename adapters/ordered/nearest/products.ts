// Sums of products over the elements of two vectors of one length: for vectors that do not fit the module of SIMD instructions, and to say what it
// computes. The loops keep four sums: additions to one sum would wait for each other.

export type Elements = Float32Array | Int8Array;
/** Each is called with one kind of elements, so that its loop stays fast. */
export type Product = (x: Elements, y: Elements) => number;

export const dotOfFloats: Product = (x, y) => {
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
};

/** The squared distance. */
export const squareOfFloats: Product = (x, y) => {
  const whole = x.length & ~3;
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let i = 0; i < whole; i += 4) {
    const d0 = (x[i] as number) - (y[i] as number);
    const d1 = (x[i + 1] as number) - (y[i + 1] as number);
    const d2 = (x[i + 2] as number) - (y[i + 2] as number);
    const d3 = (x[i + 3] as number) - (y[i + 3] as number);
    s0 += d0 * d0;
    s1 += d1 * d1;
    s2 += d2 * d2;
    s3 += d3 * d3;
  }
  for (let i = whole; i < x.length; i++) s0 += ((x[i] as number) - (y[i] as number)) ** 2;
  return s0 + s1 + (s2 + s3);
};

/** A signed 32-bit number: exact up to 133,000 elements. */
export const dotOfBytes: Product = (x, y) => {
  const whole = x.length & ~3;
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let i = 0; i < whole; i += 4) {
    s0 = (s0 + Math.imul(x[i] as number, y[i] as number)) | 0;
    s1 = (s1 + Math.imul(x[i + 1] as number, y[i + 1] as number)) | 0;
    s2 = (s2 + Math.imul(x[i + 2] as number, y[i + 2] as number)) | 0;
    s3 = (s3 + Math.imul(x[i + 3] as number, y[i + 3] as number)) | 0;
  }
  for (let i = whole; i < x.length; i++) s0 = (s0 + Math.imul(x[i] as number, y[i] as number)) | 0;
  return (s0 + s1 + (s2 + s3)) | 0;
};
