// Bytes in parts of one length.

/** The last part may be shorter; there is none without bytes. Holds one part. */
export async function* inParts(bytes: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let held: Uint8Array[] = [];
  let count = 0;
  for await (const piece of bytes) {
    for (let rest = piece; rest.byteLength > 0; ) {
      const taken = rest.subarray(0, partBytes - count);
      held.push(taken);
      count += taken.byteLength;
      rest = rest.subarray(taken.byteLength);
      if (count < partBytes) continue;
      yield Buffer.concat(held);
      held = [];
      count = 0;
    }
  }
  if (count > 0) yield Buffer.concat(held);
}
