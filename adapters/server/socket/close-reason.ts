// Reasons of close frames, which hold 123 bytes at most.

const maxBytes = 123;

/** The beginning of `text` that fits, in whole characters. */
export function closeReason(text: string): string {
  let bytes = 0;
  let kept = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) return kept;
    kept += character;
  }
  return kept;
}
