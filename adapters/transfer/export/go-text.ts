// Texts and numbers as Dgraph, which is written in Go, spells them.

const escapes: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029" };

/** A JSON text that is also safe inside HTML. */
export function goJson(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);
}

/** The shortest digits that give the number. With an exponent, of two digits at least, below 1E-04 and from 1E+06 on. */
export function goFloat(value: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}E${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** The digits of a number without an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  const [, sign = "", whole = "", fraction = "", exponent] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}`;
}
