// Functions on texts: words, regular expressions, and texts that differ in a few letters.

import { RE2JS } from "re2js";
import {
  all,
  assertModestPattern,
  assertModestProgram,
  type FieldLayout,
  type IndexLayout,
  none,
  type Predicate,
  QuernError,
  runAtOnce,
  tokensTest,
  type Work,
} from "../../../core/plugin.ts";
import { excess, refusal } from "../language/problem.ts";
import type { Call } from "../language/syntax.ts";
import type { Catalog } from "../schema/catalog.ts";
import type { ValueLimits } from "../state/document-budget.ts";
import type { FieldAbout } from "./context.ts";
import { isWithinDistance } from "./edit-distance.ts";
import { assertFewTokens, tokensOfText } from "./texts.ts";

/** The index that a function needs. */
const indexes: Readonly<Record<string, string>> = {
  allofterms: "term",
  anyofterms: "term",
  alloftext: "fulltext",
  anyoftext: "fulltext",
  ngram: "ngram",
};

export function* wordsCondition({ name }: Call, { field, texts, context }: FieldAbout): Work<Predicate> {
  const index = indexes[name] ?? "";
  const indexed = context.catalog.indexesOf(field.name).tokens.get(index);
  if (!indexed) throw refusal(`Attribute ${field.name} is not indexed with type ${index}`);
  if (texts.length !== 1) throw refusal(`Function '${name}' requires 1 arguments, but got ${texts.length} ([${texts.join(" ")}])`);
  const limits = context.work?.values;
  if (indexed.field !== field.name) return yield* wordsScan(field, { name, text: texts[0] ?? "", index: indexed, limits });
  const condition = yield* filterCondition(context.catalog, { field, operator: name, operand: texts[0] });
  if (condition.kind === "lookup") assertFewTokens(field.name, condition.tokens.length, limits);
  return condition;
}

interface Scanned {
  readonly name: string;
  readonly text: string;
  readonly index: IndexLayout;
  readonly limits: ValueLimits | undefined;
}

/** A language without an index of its own: its texts are split as those of the language that has one. */
function* wordsScan(field: FieldLayout, { name, text, index, limits }: Scanned): Work<Predicate> {
  if (index.by !== "tokens") return none;
  const tokens = yield* tokensOfText(index, text, limits);
  const holds = tokensTest(index, { match: name.startsWith("all") ? "all" : "any", tokens });
  return { kind: "check", field: field.name, test: { id: `dql-${name}@1 ${index.name} ${JSON.stringify(text)}`, holds } };
}

/** The condition that the filter of the field gives for one of its operators. */
export function* filterCondition(
  catalog: Catalog,
  { field, operator, operand }: { readonly field: FieldLayout; readonly operator: string; readonly operand: unknown },
): Work<Predicate> {
  try {
    const filter = catalog.filterOf(field.name);
    const asked = { [operator]: operand };
    const condition = filter?.steps ? yield* filter.steps(asked) : filter?.predicate(asked);
    if (condition) return condition;
  } catch (thrown) {
    throw thrown instanceof QuernError ? (thrown.code === "LIMIT_REACHED" ? excess(thrown.message) : refusal(thrown.message)) : thrown;
  }
  throw refusal(`Predicate ${field.name} is not indexed`);
}

const written = /^\/(.*)\/([A-Za-z]*)$/s;

export function regexpCondition(_call: Call, { field, texts, at, context }: FieldAbout): Predicate {
  const [text] = texts;
  if (text === undefined || texts.length !== 1)
    throw refusal(`Function 'regexp' requires 2 arguments, but got ${texts.length} ([${texts.join(" ")}])`);
  if (text === "") throw refusal("Found empty regex: []");
  const [, pattern, flags] = written.exec(text) ?? [];
  if (pattern === undefined || flags === undefined) throw refusal(`Found invalid regex: [${text}]`);
  if (flags !== "" && flags !== "i") throw refusal(`Invalid regexp modifier: ${flags}`);
  if (field.kind !== "string") throw refusal("Got non-string type. Regex match is allowed only on string type.");
  const trigrams = trigramsOf(field, context.catalog);
  if (trigrams?.field === field.name) return runAtOnce(filterCondition(context.catalog, { field, operator: "regexp", operand: text }));
  if (at === "root" && !trigrams) throw refusal(withoutTrigrams(field.name, "regex matching", "regexp()"));
  return scan(field, text, compile(pattern, flags));
}

function withoutTrigrams(name: string, what: string, call: string): string {
  return `Attribute ${name} does not have trigram index for ${what}. Please add a trigram index or use has/uid function with ${call} as filter.`;
}

function trigramsOf(field: FieldLayout, catalog: Catalog) {
  const { tokens } = catalog.indexesOf(field.name);
  return tokens.get("trigram") ?? tokens.get("regexp");
}

function compile(pattern: string, flags: string): RE2JS {
  try {
    assertModestPattern(pattern);
    const compiled = RE2JS.compile(pattern, flags === "i" ? RE2JS.MULTILINE | RE2JS.CASE_INSENSITIVE : RE2JS.MULTILINE);
    assertModestProgram(compiled.programSize());
    return compiled;
  } catch (cause) {
    if (cause instanceof QuernError) throw excess(cause.message);
    throw refusal(cause instanceof Error ? cause.message : String(cause));
  }
}

function scan(field: FieldLayout, text: string, compiled: RE2JS): Predicate {
  const holds = (value: unknown) => typeof value === "string" && value !== "" && compiled.test(value);
  return { kind: "check", field: field.name, test: { id: `dql-regexp@1 ${text}`, holds: (values) => values.some(holds) } };
}

const maxDistance = 100;
/** UTF-16 units: the time for one text grows with the square of this. */
const maxMatchedUnits = 1_000;

export function matchCondition(_call: Call, { field, texts, at, context }: FieldAbout): Predicate {
  const [text = "", distance = ""] = texts;
  if (text.length > maxMatchedUnits)
    throw excess(`The text of match has ${text.length} characters; at most ${maxMatchedUnits} are allowed. Compare a shorter one.`);
  if (texts.length !== 2) throw refusal(`Function 'match' requires 2 arguments, but got ${texts.length} ([${texts.join(" ")}])`);
  if (!/^[+-]?\d+$/.test(distance)) throw refusal(`Levenshtein distance value must be an int, got ${distance}`);
  const most = Number(distance);
  if (most < 0) throw refusal(`Levenshtein distance value must be greater than 0, got ${distance}`);
  if (most > maxDistance) throw refusal(`Levenshtein distance value must be at most ${maxDistance}, got ${distance}`);
  if (field.kind !== "string") throw refusal("Got non-string type. Fuzzy match is allowed only on string type.");
  const index = trigramsOf(field, context.catalog);
  if (index?.by !== "tokens")
    throw refusal(
      at === "root" ? withoutTrigrams(field.name, "fuzzy matching", "match()") : `Attribute ${field.name} is not indexed with type trigram`,
    );
  // An empty text has no trigrams, by which candidates are found at the root.
  if (text === "" && at === "root") return none;
  const wanted = Array.from(text);
  const holds = (value: unknown) => typeof value === "string" && value !== "" && isWithinDistance(wanted, value, most);
  const test = { id: `dql-match@1 ${most} ${JSON.stringify(text)}`, holds: (values: readonly unknown[]) => values.some(holds) };
  // An edit changes at most three trigrams, so that a longer text shares one with each text that is near.
  const shares = index.field === field.name && wanted.length - 2 - 3 * most > 0;
  const within: Predicate = shares ? { kind: "lookup", index: index.name, match: "any", tokens: [...index.tokens(text)].sort() } : all;
  return { kind: "check", field: field.name, test, ...(shares && { within }) };
}
