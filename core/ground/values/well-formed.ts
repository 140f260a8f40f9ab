// Well-formed texts have no lone surrogates. UTF-8 cannot encode a lone surrogate: storage would return U+FFFD, and two keys could become equal.

/** A text that is not well-formed. */
export interface MalformedText {
  /** Its path in the value: names of members and list indexes. */
  readonly path: readonly (string | number)[];
  /** The whole text. */
  readonly text: string;
  /** The error message that the GraphQL parser gives for it. */
  readonly problem: string;
}

/** All malformed texts in a JSON value, names of members included. The path of a name is that of its object. */
export function malformedTexts(value: unknown): readonly MalformedText[] {
  const found: MalformedText[] = [];
  const path: (string | number)[] = [];
  const look = (each: unknown): void => {
    if (typeof each === "string") {
      if (!each.isWellFormed()) found.push({ path: [...path], text: each, problem: problemWith(each) });
    } else if (typeof each === "object" && each !== null) {
      for (const [name, member] of Array.isArray(each) ? each.entries() : Object.entries(each)) {
        if (typeof name === "string") look(name);
        path.push(name);
        look(member);
        path.pop();
      }
    }
  };
  look(value);
  return found;
}

/** Whether all texts in a JSON value, names of members included, are well-formed. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  // A vector has thousands of members, and no texts.
  return ArrayBuffer.isView(value) || (Object.keys(value).every(isWellFormed) && Object.values(value).every(isWellFormed));
}

function problemWith(text: string): string {
  const unit = /\p{Surrogate}/u.exec(text)?.[0].charCodeAt(0) ?? 0;
  return `Invalid character within String: U+${unit.toString(16).toUpperCase()}.`;
}
