// Reads `@search(by: ["hnsw(metric: cosine)"])` of an embedding: the metric and the options of its index.

import { type FieldDefinitionNode, Kind } from "graphql";
import { didYouMean, type Field, type Metric, metrics, QuernError } from "../../core/plugin.ts";

/** How the vectors of a field are searched. */
export interface VectorSearch {
  readonly metric: Metric;
  /** Undefined: the field has no index. */
  readonly index: IndexOptions | undefined;
  readonly problems: readonly Problem[];
}

/** Options of the index; undefined: the storage's default. */
export interface IndexOptions {
  readonly buildBreadth: number | undefined;
  readonly searchBreadth: number | undefined;
  readonly quantize: "int8" | undefined;
}

/** Why the schema cannot be deployed, for the field that has the options. */
export type Problem = (type: string, field: Field) => QuernError;

const kindName = "hnsw";
/** Of Dgraph's index. `exponent` and `maxLevels` shape its graph; ours follows from the number of vectors. */
const numbers = ["exponent", "maxLevels", "efConstruction", "efSearch"];
const known = [...numbers, "metric", "quantize"];

export function readSearch(field: FieldDefinitionNode): VectorSearch {
  const words = searchWords(field);
  if (words === undefined) return { metric: "euclidean", index: undefined, problems: [] };
  const other = words.length === 0 ? "float" : words.find((word) => nameOf(word) !== kindName);
  if (other !== undefined) return { metric: "euclidean", index: undefined, problems: [otherIndex(other)] };
  const options = new Map(words.flatMap(optionsOf));
  const metric = metrics.find((each) => each === options.get("metric"));
  return {
    metric: metric ?? "euclidean",
    index: {
      buildBreadth: positive(options.get("efConstruction")),
      searchBreadth: positive(options.get("efSearch")),
      quantize: options.get("quantize") === "int8" ? "int8" : undefined,
    },
    problems: [...options].flatMap(([name, value]) => problemOf(name, value) ?? []),
  };
}

/** The words of `by`; undefined: the field has no `@search`. */
function searchWords({ directives = [] }: FieldDefinitionNode): readonly string[] | undefined {
  const search = directives.find(({ name }) => name.value === "search");
  const by = search?.arguments?.find(({ name }) => name.value === "by")?.value;
  if (by?.kind !== Kind.LIST) return search && [];
  return by.values.map((value) => (value.kind === Kind.STRING || value.kind === Kind.ENUM ? value.value : ""));
}

function nameOf(word: string): string {
  return /^\w*/.exec(word)?.[0] ?? "";
}

/** Values may be in quotes. `@search` has validated the form. */
function optionsOf(word: string): readonly (readonly [name: string, value: string])[] {
  return [...word.matchAll(/(\w+): +"?([^",)]+)"?/g)].map(([, name = "", value = ""]) => [name, value.trim()]);
}

function positive(text: string | undefined): number | undefined {
  const number = Number(text ?? Number.NaN);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

function problemOf(name: string, value: string): Problem | undefined {
  if (!known.includes(name)) return refused(`option ${name} is not allowed!`, didYouMean(name, known) || `; options are ${known.join(", ")}.`);
  if (numbers.includes(name) && !/^[+-]?\d+$/.test(value)) return refused(`${name} must be a whole number, not "${value}"`);
  if (name === "metric" && !metrics.some((each) => each === value))
    return refused(`Can't create a vector index for ${value}`, didYouMean(value, metrics) || `; metrics are ${metrics.join(", ")}.`);
  if (name === "quantize" && value !== "int8") return refused(`quantize can only be int8, not "${value}"`);
  return undefined;
}

function refused(reason: string, hint = ""): Problem {
  return (type, field) =>
    new QuernError("SCHEMA_INVALID", `Type ${type}; Field ${field.name}: the index ${kindName} cannot be built: ${reason}${hint}`, locationOf(field));
}

function otherIndex(word: string): Problem {
  return (type, field) =>
    new QuernError(
      "SCHEMA_INVALID",
      `Type ${type}; Field ${field.name}: the index ${word} does not fit a field with @embedding. Use @search(by: ["${kindName}"]).`,
      locationOf(field),
    );
}

function locationOf({ definition: { name } }: Field) {
  const token = name.loc?.startToken;
  return token ? { locations: [{ line: token.line, column: token.column }] } : {};
}
