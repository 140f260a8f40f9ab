// Reasons of close frames, which are at most 123 bytes long.

const maxBytes = 123;

/** The longest prefix of `text` that fits, cut between characters. */
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
