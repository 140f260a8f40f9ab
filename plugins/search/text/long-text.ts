// Long texts are tokenized a part after the other, so that others run between. A short one is tokenized at once: a generator costs more than its words.

/** UTF-16 units of one part: less than a millisecond, also with a stemmer. */
export const partUnits = 1 << 12;

const longUnits = 1 << 14;

export function isLong(text: string): boolean {
  return text.length > longUnits;
}
