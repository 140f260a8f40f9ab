// The questions of the search benchmark, each with several variables to be asked in turn.

import { wordOf } from "./generated-texts.ts";

export interface SearchQuestion {
  readonly name: string;
  /** The index it needs. */
  readonly mode: string;
  readonly query: string;
  readonly variables: readonly Readonly<Record<string, unknown>>[];
  /** Requests a second of the better rival on two cores over the whole graph, PostGraphile 5 on PostgreSQL 15; undefined: not measured. */
  readonly rival?: number;
}

interface Asked {
  readonly mode: string;
  readonly name: string;
  readonly filter: string;
  /** What `$q` stands for, in turn. */
  readonly operands: readonly unknown[];
  readonly takes?: string;
  readonly order?: string;
  readonly rival?: number;
}

function firstTen({ mode, name, filter, operands, takes = "String", order, rival }: Asked): SearchQuestion {
  const query = `query ($q: ${takes}) { queryText(filter: ${filter}, first: 10${order ? `, order: ${order}` : ""}) { id text } }`;
  return { mode, name: `${mode}: ${name}`, query, variables: operands.map((q) => ({ q })), ...(rival !== undefined && { rival }) };
}

function counted({ mode, name, filter, operands, takes = "String" }: Asked): SearchQuestion {
  const query = `query ($q: ${takes}) { aggregateText(filter: ${filter}) { count } }`;
  return { mode, name: `${mode}: ${name}`, query, variables: operands.map((q) => ({ q })) };
}

const allOfTerms = "{ text: { allofterms: $q } }";
const regexp = "{ text: { regexp: $q } }";

/** @param texts the summaries, of which the questions take their words */
export function questionsOfSummaries(texts: readonly string[]): readonly SearchQuestion[] {
  const some = texts.filter((text, index) => index % 97 === 0 && text.split(" ").length > 3);
  const pairs = some.map((text) => text.split(" ").filter((word) => word.length > 3)).filter((words) => words.length > 1);
  const two = pairs.map((words) => `${words[0]} ${words.at(-1)}`);
  const runs = pairs.map((words) => words[0]?.replaceAll(/\W/g, "") ?? "").filter((word) => word.length > 5);
  return [
    firstTen({ mode: "hash", name: "eq", filter: "{ text: { eq: $q } }", operands: some }),
    firstTen({ mode: "exact", name: "eq", filter: "{ text: { eq: $q } }", operands: some }),
    firstTen({ mode: "term", name: "all of two words, ten", filter: allOfTerms, operands: two, rival: 3_350 }),
    firstTen({ mode: "term", name: "any of two words, ten", filter: "{ text: { anyofterms: $q } }", operands: two }),
    firstTen({ mode: "term", name: "two common words, ten", filter: allOfTerms, operands: ["for library", "library files", "development the"] }),
    firstTen({ mode: "term", name: "one common word, ten by size", filter: allOfTerms, operands: ["for", "library"], order: "{ desc: size }" }),
    counted({ mode: "term", name: "two common words, count", filter: allOfTerms, operands: ["for library", "library files"] }),
    firstTen({ mode: "fulltext", name: "all of two words, ten", filter: "{ text: { alloftext: $q } }", operands: two }),
    firstTen({ mode: "ngram", name: "three neighbours, ten", filter: "{ text: { ngram: $q } }", operands: some }),
    firstTen({
      mode: "regexp",
      name: "six letters and a class, any case",
      filter: regexp,
      operands: runs.map((run) => `/${run.slice(0, 6)}[a-z]/i`),
    }),
    firstTen({
      mode: "regexp",
      name: "seven letters and a class, any case",
      filter: regexp,
      operands: runs.filter((run) => run.length > 7).map((run) => `/${run.slice(0, 7)}[a-z]/i`),
      rival: 2_000,
    }),
    firstTen({
      mode: "regexp",
      name: "two words, anything between",
      filter: regexp,
      operands: ["/librar.*python/", "/server.*daemon/i", "/tool(s|box) for/"],
    }),
    firstTen({ mode: "regexp", name: "a common run of letters, ten", filter: regexp, operands: ["/librar/", "/devel/i"] }),
    counted({ mode: "regexp", name: "alternatives, count", filter: regexp, operands: ["/(perl|python) (module|bindings)/i"] }),
    counted({ mode: "regexp", name: "no trigram, every text tried", filter: regexp, operands: ["/q.*z/"] }),
  ];
}

const near = "{ place: { near: $q } }";

export const questionsOfTexts: readonly SearchQuestion[] = [
  firstTen({ mode: "hash", name: "eq", filter: "{ text: { eq: $q } }", operands: ["none such"] }),
  firstTen({ mode: "term", name: "10 with 1,000,000, ten", filter: allOfTerms, operands: ["needle every"] }),
  firstTen({ mode: "term", name: "the 10 alone, ten", filter: allOfTerms, operands: ["needle"] }),
  firstTen({ mode: "term", name: "all of two words, ten", filter: allOfTerms, operands: range(50, 250).map((k) => `${wordOf(k)} ${wordOf(k + 7)}`) }),
  firstTen({ mode: "term", name: "500,000 with 1,000,000, ten", filter: allOfTerms, operands: ["even every"] }),
  firstTen({ mode: "term", name: "1,000,000, ten by size", filter: allOfTerms, operands: ["every"], order: "{ desc: size }" }),
  firstTen({ mode: "term", name: "500,000, ten by size", filter: allOfTerms, operands: ["odd every"], order: "{ asc: size }" }),
  firstTen({ mode: "term", name: "10, ten by size", filter: allOfTerms, operands: ["needle every"], order: "{ asc: size }" }),
  firstTen({ mode: "term", name: "a common or a rare word, ten", filter: "{ text: { anyofterms: $q } }", operands: ["needle every"] }),
  counted({ mode: "term", name: "500,000 with 1,000,000, count", filter: allOfTerms, operands: ["even every"] }),
  firstTen({
    mode: "fulltext",
    name: "all of two words, ten",
    filter: "{ text: { alloftext: $q } }",
    operands: range(50, 250).map((k) => `${wordOf(k)} ${wordOf(k + 7)}`),
  }),
  firstTen({
    mode: "regexp",
    name: "seven letters and a class, any case",
    filter: regexp,
    operands: range(500, 700).map((k) => `/${wordOf(k).slice(0, 7)}[a-z]/i`),
  }),
  firstTen({ mode: "regexp", name: "in every text, ten", filter: regexp, operands: ["/every/"] }),
  firstTen({ mode: "regexp", name: "in ten texts", filter: regexp, operands: ["/nee[d-f]le$/"] }),
  firstTen({ mode: "ngram", name: "three neighbours, ten", filter: "{ text: { ngram: $q } }", operands: ["every even needle", "every odd needle"] }),
  firstTen({ mode: "places", name: "within 10 km, ten", filter: near, takes: "NearFilter", operands: places(10_000) }),
  firstTen({ mode: "places", name: "within 100 km, ten", filter: near, takes: "NearFilter", operands: places(100_000) }),
  firstTen({ mode: "places", name: "in a square of 1 degree, ten", filter: "{ place: { within: $q } }", takes: "WithinFilter", operands: squares() }),
];

const point = (k: number) => ({ longitude: ((k * 137) % 358) - 179, latitude: ((k * 53) % 158) - 79 });

export const questionsOfAreas: readonly SearchQuestion[] = [
  firstTen({
    mode: "areas",
    name: "that hold a point, ten",
    filter: "{ area: { contains: { point: $q } } }",
    takes: "PointRef",
    operands: range(0, 100).map(point),
  }),
  firstTen({ mode: "areas", name: "within 100 km, ten", filter: "{ area: { near: $q } }", takes: "NearFilter", operands: places(100_000) }),
  firstTen({ mode: "areas", name: "in a square of 1 degree, ten", filter: "{ area: { within: $q } }", takes: "WithinFilter", operands: squares() }),
  firstTen({
    mode: "areas",
    name: "that meet a square, ten",
    filter: "{ area: { intersects: $q } }",
    takes: "IntersectsFilter",
    operands: squares(),
  }),
];

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function places(distance: number): readonly unknown[] {
  return range(0, 100).map((k) => ({ coordinate: { longitude: ((k * 137) % 360) - 180, latitude: ((k * 53) % 160) - 80 }, distance }));
}

function squares(): readonly unknown[] {
  return range(0, 100).map((k) => {
    const [west, south] = [((k * 137) % 358) - 180, ((k * 53) % 158) - 80];
    const corners = [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
    ] as const;
    return { polygon: { coordinates: [{ points: corners.map(([east, north]) => ({ longitude: west + east, latitude: south + north })) }] } };
  });
}
