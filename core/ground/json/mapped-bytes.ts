// Bytes in pages of their own. What `malloc` gives for buffers of this size stays in the arenas of the process when it is free: after answers of 250 MiB,
// 270 MiB remained resident. V8 maps the pages of a resizable buffer, and the system has them back with the collection that finds it unused.

/** Shorter texts are no burden, and would leave most of a page empty. */
const fewBytes = 16 * 1024;

/** The UTF-8 bytes of a text. */
export function mappedBytes(text: string): Uint8Array {
  const bytes = Buffer.byteLength(text);
  if (bytes < fewBytes) return Buffer.from(text);
  const mapped = Buffer.from(new ArrayBuffer(bytes, { maxByteLength: bytes }));
  mapped.write(text);
  return mapped;
}
