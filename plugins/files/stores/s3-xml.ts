// The little XML that S3 answers: elements by their names, none within one of the same name.

/** The texts of all elements `name`, as they stand. */
export function textsOf(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, "gu"))].map(([, text = ""]) => text);
}

/** The text of the first one. */
export function textOf(xml: string, name: string): string | undefined {
  const [text] = textsOf(xml, name);
  return text === undefined ? undefined : unescaped(text);
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/giu, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal));
  });
}
