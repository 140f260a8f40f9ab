// Names of files are for people. They are texts of the database and of headers, and no store makes a path of them.

/** The longest name, in characters: that of most file systems. */
const maxCharacters = 255;

/** The name without folders and control characters. Undefined: nothing is left of it. */
export function fileName(given: string | null | undefined): string | undefined {
  const last = (given ?? "").split(/[/\\]/u).at(-1) ?? "";
  const clean = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, "")
    .trim();
  const short = [...clean].slice(0, maxCharacters).join("");
  return short === "" || short === "." || short === ".." ? undefined : short;
}
