// The checksum of an entry: CRC-32 of its key and its value, in four bytes behind the value. It covers the key too, so that a value under a wrong key
// is no answer.

import { crc32 } from "node:zlib";

const checksumBytes = 4;

/** From this length on, the call of native code is quicker than the loop. */
const nativeFrom = 64;

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
  return value;
});

/** The register of the checksum after the bytes of a key. */
function registerOf(key: string): number {
  let value = -1;
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    value = (table[(value ^ unit) & 0xff] ?? 0) ^ (value >>> 8);
    if (unit > 0xff) value = (table[(value ^ (unit >>> 8)) & 0xff] ?? 0) ^ (value >>> 8);
  }
  return value;
}

/** The checksum of a key and of `bytes` behind it. */
function checksumOf(key: string, bytes: Uint8Array): number {
  let value = registerOf(key);
  if (bytes.length >= nativeFrom) return crc32(bytes, ~value >>> 0);
  for (let i = 0; i < bytes.length; i++) value = (table[(value ^ (bytes[i] ?? 0)) & 0xff] ?? 0) ^ (value >>> 8);
  return ~value >>> 0;
}

/** The CRC-32 of any bytes with their own CRC-32 behind them, lowest byte first: comparing with it takes neither a cut nor a look at the checksum. */
const residue = 0x2144_df1c;

/** A copy of `bytes` with the checksum behind it: what the store holds under `key`. */
export function seal(key: string, bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  // From node's pool of small buffers: far cheaper than an array buffer for each.
  const sealed = Buffer.allocUnsafe(length + checksumBytes);
  sealed.set(bytes);
  sealed.writeUInt32LE(checksumOf(key, bytes), length);
  return sealed;
}

/**
 * The value in what the store holds under `key`.
 *
 * @throws RangeError when its checksum is another one
 */
export function unseal(key: string, sealed: Uint8Array): Uint8Array {
  const length = sealed.length - checksumBytes;
  if (length < 0) throw new RangeError("the bytes end before their checksum");
  if (checksumOf(key, sealed) !== residue) throw new RangeError("the bytes do not match their checksum");
  return sealed.subarray(0, length);
}
