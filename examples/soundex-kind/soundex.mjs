// `@search(by: [soundex])`: names that sound alike. An index kind of somebody else's, whole in one file.

import { words } from "quern/plugins/search";

/** @type {import("quern/plugins/search").IndexKind} */
export const soundex = {
  name: "soundex",
  fits: ["String"],
  search: ({ index }) => ({
    input: "StringSoundexFilter",
    operators: {
      soundsLike: { takes: "String", predicate: (operand) => (typeof operand === "string" ? lookup(index, codesOf(operand)) : undefined) },
    },
    // Storage calls it for every value written, and builds the index anew when the id changes.
    index: { by: "tokens", id: "soundex@1", tokens: (value) => codesOf(String(value)) },
  }),
};

/** Every word of the question must sound like one of the value's. */
function lookup(index, tokens) {
  return tokens.length > 0 ? { kind: "lookup", index, match: "all", tokens } : { kind: "none" };
}

function codesOf(text) {
  return [...new Set(words(text).map(codeOf))].filter((code) => code !== "");
}

const groups = ["BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"];

/** American Soundex: the first letter and three digits for the consonants after it, `R163` for Robert and Rupert. */
export function codeOf(word) {
  const letters = [
    ...word
      .normalize("NFD")
      .toUpperCase()
      .replaceAll(/[^A-Z]/g, ""),
  ];
  const [first] = letters;
  if (first === undefined) return "";
  let code = first;
  let last = digitOf(first);
  for (const letter of letters.slice(1)) {
    const digit = digitOf(letter);
    if (digit !== "" && digit !== last) code += digit;
    // H and W do not part two consonants of one sound, vowels do.
    if (letter !== "H" && letter !== "W") last = digit;
  }
  return code.slice(0, 4).padEnd(4, "0");
}

function digitOf(letter) {
  const group = groups.findIndex((each) => each.includes(letter));
  return group < 0 ? "" : String(group + 1);
}
