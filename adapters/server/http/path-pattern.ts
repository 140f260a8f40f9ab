// Paths with parameters: `/users/:name`, `/api/auth/*`.

/** What a path says for the parameters of a pattern, by name. */
export type PathParameters = Readonly<Record<string, string>>;

export class PathPattern {
  readonly text: string;
  readonly #segments: readonly string[];
  readonly #hasRest: boolean;

  constructor(text: string) {
    const segments = segmentsOf(text);
    this.text = text;
    this.#hasRest = segments.at(-1) === "*";
    this.#segments = this.#hasRest ? segments.slice(0, -1) : segments;
  }

  /** The same for all patterns that fit the same paths. */
  get shape(): string {
    return `/${[...this.#segments.map((each) => (isParameter(each) ? ":" : each)), ...(this.#hasRest ? ["*"] : [])].join("/")}`;
  }

  /** Undefined: the path does not fit. */
  match(path: string): PathParameters | undefined {
    const segments = segmentsOf(path);
    const fits = this.#hasRest ? segments.length > this.#segments.length : segments.length === this.#segments.length;
    if (!fits || segments.some(isDots)) return undefined;
    const found: [string, string][] = [];
    for (const [i, expected] of this.#segments.entries()) {
      const segment = segments[i] ?? "";
      if (isParameter(expected) && segment !== "") found.push([expected.slice(1), unescaped(segment)]);
      else if (segment !== expected) return undefined;
    }
    if (this.#hasRest) found.push(["*", segments.slice(this.#segments.length).join("/")]);
    return Object.fromEntries(found);
  }

  /** Before those that are literal for fewer segments from the front. */
  static compare(one: PathPattern, other: PathPattern): number {
    for (let i = 0; ; i++) {
      const difference = one.#rank(i) - other.#rank(i);
      if (difference !== 0 || one.#rank(i) === 3) return difference;
    }
  }

  /** Text, parameter, rest, nothing. */
  #rank(i: number): number {
    const segment = this.#segments[i];
    if (segment !== undefined) return isParameter(segment) ? 1 : 0;
    return this.#hasRest && i === this.#segments.length ? 2 : 3;
  }
}

/** What is wrong with the text of a pattern; undefined: nothing. */
export function patternProblem(text: string): string | undefined {
  if (!text.startsWith("/")) return "a path begins with /";
  if (/[?#\s]/.test(text)) return "a path has no query and no white space";
  const segments = segmentsOf(text);
  if (segments.slice(0, -1).some((each) => each.includes("*")) || (segments.at(-1)?.includes("*") && segments.at(-1) !== "*")) {
    return "* is a whole segment, the last one";
  }
  const names = segments.filter(isParameter);
  if (names.some((each) => !/^:[A-Za-z_]\w*$/.test(each))) return "a parameter is a name after a colon, and a whole segment: /users/:name";
  return new Set(names).size < names.length ? "two parameters have the same name" : undefined;
}

export function hasParameters(text: string): boolean {
  return segmentsOf(text).some((each) => isParameter(each) || each === "*");
}

function segmentsOf(path: string): readonly string[] {
  return path.slice(1).split("/");
}

function isParameter(segment: string): boolean {
  return segment.startsWith(":");
}

/** A handler that resolves such a path would leave the place that it was given. */
function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

/** As sent where its escapes are not well formed. */
function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
