// Compares an answer with the recorded one: data exactly, errors by number and path, ids by what they stand for.

/** `data` as recorded: ids are `@1`, `@2`, ...; ids inside texts `0x?`; integers beyond 2^53 `{"@int": "digits"}`. */
export type Recorded = unknown;

export interface Comparing {
  /** Lists in order, each `@n` one id; else lists as multisets, and any id equals any id. */
  readonly ordered: boolean;
}

/** What differs, each as a line with its place; empty when the data agree. */
export function compareData(actual: unknown, recorded: Recorded, { ordered }: Comparing): readonly string[] {
  if (ordered) return new OrderedComparison().compare(actual, recorded, "data");
  const [found, wanted] = [canonical(actual), canonical(recorded)];
  return found === wanted ? [] : [`data: expected ${wanted}, found ${found}`];
}

/** Errors as the answers hold them. */
export interface AnswerError {
  readonly message?: string;
  readonly path?: readonly (string | number)[];
}

export function compareErrors(actual: readonly AnswerError[], recorded: readonly AnswerError[]): readonly string[] {
  const pathsOf = (errors: readonly AnswerError[]) => errors.map((each) => JSON.stringify(each.path ?? null)).sort();
  const [found, wanted] = [pathsOf(actual), pathsOf(recorded)];
  if (JSON.stringify(found) === JSON.stringify(wanted)) return [];
  return [
    `errors: expected ${wanted.length} at ${wanted.join(" ")} (${texts(recorded)}), found ${found.length} at ${found.join(" ")} (${texts(actual)})`,
  ];
}

function texts(errors: readonly AnswerError[]): string {
  return errors.map((each) => each.message).join(" | ");
}

const id = /^0x[0-9a-f]+$/;
const idMark = /^@\d+$/;
const idInText = /0x[0-9a-f]+/g;

/** In an ordered answer, one mark is one id and one id one mark. */
class OrderedComparison {
  readonly #idOfMark = new Map<string, string>();
  readonly #markOfId = new Map<string, string>();

  compare(actual: unknown, recorded: Recorded, place: string): readonly string[] {
    if (Array.isArray(recorded)) return this.#compareLists(actual, recorded, place);
    if (isObject(recorded) && !isBigInteger(recorded)) return this.#compareObjects(actual, recorded, place);
    return this.#sameScalar(actual, recorded) ? [] : [`${place}: expected ${print(recorded)}, found ${print(actual)}`];
  }

  #compareLists(actual: unknown, recorded: readonly unknown[], place: string): readonly string[] {
    if (!Array.isArray(actual)) return [`${place}: expected a list, found ${print(actual)}`];
    if (actual.length !== recorded.length)
      return [`${place}: expected ${recorded.length} elements ${print(recorded)}, found ${actual.length}: ${print(actual)}`];
    return recorded.flatMap((each, i) => this.compare(actual[i], each, `${place}[${i}]`));
  }

  #compareObjects(actual: unknown, recorded: Readonly<Record<string, unknown>>, place: string): readonly string[] {
    if (!isObject(actual)) return [`${place}: expected an object ${print(recorded)}, found ${print(actual)}`];
    const keys = new Set([...Object.keys(recorded), ...Object.keys(actual)]);
    return [...keys].flatMap((key) => {
      if (!Object.hasOwn(recorded, key)) return [`${place}.${key}: not expected, found ${print(actual[key])}`];
      if (!Object.hasOwn(actual, key)) return [`${place}.${key}: expected ${print(recorded[key])}, not found`];
      return this.compare(actual[key], recorded[key], `${place}.${key}`);
    });
  }

  #sameScalar(actual: unknown, recorded: Recorded): boolean {
    if (typeof recorded === "string" && idMark.test(recorded) && typeof actual === "string" && id.test(actual)) {
      const known = this.#idOfMark.get(recorded) ?? actual;
      const mark = this.#markOfId.get(actual) ?? recorded;
      this.#idOfMark.set(recorded, known);
      this.#markOfId.set(actual, mark);
      return known === actual && mark === recorded;
    }
    return scalarText(actual) === scalarText(recorded);
  }
}

/** One text for all values that are equal without regard to order and to which id an id is. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(",")}]`;
  if (isObject(value) && !isBigInteger(value)) {
    const members = Object.keys(value).sort();
    return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
  }
  return typeof value === "string" && (id.test(value) || idMark.test(value)) ? '"@"' : scalarText(value);
}

function scalarText(value: unknown): string {
  if (isBigInteger(value)) return value["@int"];
  if (typeof value === "string") return JSON.stringify(value.replaceAll(idInText, "0x?"));
  return String(value);
}

function isBigInteger(value: unknown): value is { readonly "@int": string } {
  return isObject(value) && typeof value["@int"] === "string";
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function print(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value, (_key, each) => (typeof each === "bigint" ? `${each}n` : each));
}
