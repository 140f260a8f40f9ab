// Cells that a spreadsheet would run as a formula, made into texts by an apostrophe, and back. Every text comes back as it was.

/** Numbers are left alone: a spreadsheet reads them as numbers. */
const number = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Apostrophes before it count too: otherwise a text that has one could not be told from a guarded one. */
const formula = /^'*[=+\-@\t\r\n]/;

function isFormula(text: string): boolean {
  return formula.test(text) && !number.test(text);
}

export function guarded(text: string): string {
  return isFormula(text) ? `'${text}` : text;
}

export function unguarded(text: string): string {
  return text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text;
}
