// The Levenshtein distance, as far as a limit.

/** Whether `text` becomes `wanted` by at most `most` insertions, deletions and replacements of single characters. */
export function isWithinDistance(wanted: readonly string[], text: string, most: number): boolean {
  // A character has two units at most.
  if (text.length > 2 * (wanted.length + most)) return false;
  const found = Array.from(text);
  if (Math.abs(found.length - wanted.length) > most) return false;
  let row = wanted.map((_, i) => i + 1);
  for (const [f, character] of found.entries()) {
    let diagonal = f;
    let left = f + 1;
    let least = left;
    row = row.map((above, w) => {
      const replaced = diagonal + (wanted[w] === character ? 0 : 1);
      diagonal = above;
      left = Math.min(replaced, above + 1, left + 1);
      least = Math.min(least, left);
      return left;
    });
    if (least > most) return false;
  }
  return (row.at(-1) ?? found.length) <= most;
}
