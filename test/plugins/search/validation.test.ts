import { describe, expect, it } from "vitest";
import { problems } from "./harness.ts";

const start = "Type T; Field f:";
const strings = "can have @search by exact, fulltext, hash, ngram, regexp, term and trigram";

describe("an invalid @search", () => {
  it.each([
    ["ID! @search", `${start} has the @search directive but fields of type ID can't have the @search directive.`],
    ["[Y!] @search(by: [])", `${start} has the @search directive but fields of type Y can't have the @search directive.`],
    ['String @search(by: "hash")', `${start} the @search directive requires a list argument, like @search(by: ["hash"])`],
    ['Y @search(by: "hash")', `${start} the @search directive requires a list argument, like @search(by: ["hash"])`],
    ["String @search(by: [bogus])", `${start} the argument to @search bogus isn't valid.Fields of type String ${strings}.`],
    ['String @search(by: ["term(x: 1)"])', `${start} the argument to @search term(x: 1) isn't valid.Fields of type String ${strings}.`],
    ["Int @search(by: [bogus])", `${start} the argument to @search bogus isn't valid.Fields of type Int are searchable by just @search.`],
    ["Y @search(by: [bogus])", `${start} the argument to @search bogus isn't valid.Fields of type Y can't have the @search directive.`],
    ["E @search(by: [bogus])", `${start} the argument to @search bogus isn't valid.Fields of type E are searchable by just @search.`],
    [
      "DateTime @search(by: [bogus])",
      `${start} the argument to @search bogus isn't valid.Fields of type DateTime can have @search by day, hour, month and year.`,
    ],
    ["Float @search(by: [bogus])", `${start} the argument to @search bogus isn't valid.Fields of type Float can have @search by float and hnsw.`],
    ["Point @search(by: [geo])", `${start} the argument to @search geo isn't valid.Fields of type Point are searchable by just @search.`],
    [
      "String @search(by: [day])",
      `${start} has the @search directive but the argument day doesn't apply to field type String.  Search by day applies to fields of type DateTime. Fields of type String ${strings}.`,
    ],
    [
      "Int @search(by: [term])",
      `${start} has the @search directive but the argument term doesn't apply to field type Int.  Search by term applies to fields of type String. Fields of type Int are searchable by just @search.`,
    ],
    [
      "[Int64] @search(by: [int])",
      `${start} has the @search directive but the argument int doesn't apply to field type Int64.  Search by int applies to fields of type Int. Fields of type Int64 are searchable by just @search.`,
    ],
    [
      'Int @search(by: ["hnsw(metric: cosine)"])',
      `${start} has the @search directive but the argument hnsw(metric: cosine) doesn't apply to field type Int.  Search by hnsw(metric: cosine) applies to fields of type . Fields of type Int are searchable by just @search.`,
    ],
    [
      "Int! @id @search(by: [int])",
      `${start} has the @search directive but the argument hash doesn't apply to field type Int.  Search by hash applies to fields of type String. Fields of type Int are searchable by just @search.`,
    ],
    [
      "E @search(by: [term])",
      `${start} has the @search directive but the argument term doesn't apply to field type E which is an Enum. Enum only supports hash, exact, regexp and trigram`,
    ],
    ["[Float!] @search(by: [hnsw])", `${start} has the @search directive but the argument hnsw requires the field also has @embedding directive.`],
    [
      "String @search(by: [trigram, regexp])",
      `${start} the argument to @search 'trigram' is the same as the index 'regexp' provided before and shouldn't be used together`,
    ],
    [
      "E @search(by: [hash, hash])",
      `${start} the argument to @search 'hash' is the same as the index 'hash' provided before and shouldn't be used together`,
    ],
    ["DateTime @search(by: [month, hour])", `${start} has the search directive on DateTime. DateTime allows only one argument for @search.`],
    ["String @search(by: [hash, exact])", `${start} the arguments 'hash' and 'exact' can't be used together as arguments to @search.`],
    ["E @search(by: [exact, regexp, hash])", `${start} the arguments 'hash' and 'exact' can't be used together as arguments to @search.`],
    ["String @search(by: [term, zzz, hash, exact])", `${start} the arguments 'hash' and 'exact' can't be used together as arguments to @search.`],
  ])("is refused with its first error, at the directive: %s", (declaration, message) => {
    const column = `  f: ${declaration}`.indexOf("@search") + 2;
    const others = "\ntype Y { y: String }\nenum E { A B }";
    expect(problems(`type T {\n  f: ${declaration}\n  g: Int\n}${others}`)).toEqual([`${message} @2:${column}`]);
  });

  it("is refused once for an interface, not again for the types that inherit the field", () => {
    const schema = "interface I {\n  f: String @search(by: [hash, exact])\n}\ntype T implements I { g: Int }\ntype U implements I { h: Int }";
    expect(problems(schema)).toEqual(["Type I; Field f: the arguments 'hash' and 'exact' can't be used together as arguments to @search. @2:14"]);
  });

  it.each([
    "Int @search(by: [int])",
    "Int! @id @search",
    "String! @id @search(by: [exact, term])",
    "[String!]! @search(by: [hash, term, fulltext, trigram, ngram])",
    'String @search(by: ["hash", term])',
    "String @search(by: [])",
    "Boolean @search(by: [bool])",
    "Point @search(by: [point])",
    "E @search(by: [hash, regexp, ngram])",
  ])("is not %s", (declaration) => {
    expect(problems(`type T {\n  f: ${declaration}\n  g: Int\n}\nenum E { A }`)).toEqual([]);
  });
});

describe("hnsw beside @embedding", () => {
  const embedding = { name: "embedding", definitions: "directive @embedding on FIELD_DEFINITION", model: () => undefined };
  const judge = (word: string) => problems(`type T {\n  f: [Float!] @embedding @search(by: ["${word}"])\n}`, embedding);

  it.each(["hnsw", "hnsw(metric: cosine)", "hnsw(metric: cosine, exponent: 4)"])("accepts %s", (word) => expect(judge(word)).toEqual([]));

  it.each(["hnsw()", "hnsw(metric:cosine)", "hnsw(metric: cosine exponent: 4)", "hnsw(metric)"])("refuses %s", (word) => {
    expect(judge(word)).toEqual([
      `${start} has the @search directive but the argument '${word}' with search options is malformed. Search options are comma-separated key-value pairs in YAML format => <optionName><COLON><SPACE><VALUE> @2:27`,
    ]);
  });
});
