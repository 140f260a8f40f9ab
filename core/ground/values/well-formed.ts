// Texts that UTF-8 can hold: no half of a surrogate pair stands alone. Storage would give back U+FFFD for it, and take two keys for one.

/** A text that is not well-formed. */
export interface MalformedText {
  /** Where it stands in the value. */
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** What is wrong with it, in the words of the GraphQL parser. */
  readonly problem: string;
}

/** Every malformed text in a value such as JSON makes, names of members included. A name has the path of its object. */
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

/** Whether every text in a value such as JSON makes is well-formed. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  return typeof value !== "object" || value === null || malformedTexts(value).length === 0;
}

function problemWith(text: string): string {
  const unit = /\p{Surrogate}/u.exec(text)?.[0].charCodeAt(0) ?? 0;
  return `Invalid character within String: U+${unit.toString(16).toUpperCase()}.`;
}
