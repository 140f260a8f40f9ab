// The questions of the speed table, with variables that vary from request to request, so that no cache of whole answers helps.

import type { DebianPackage } from "./graph.ts";

export interface Question {
  readonly name: string;
  readonly query: string;
  /** One request each, used in turn; undefined: ids, which every server gives as it likes. */
  readonly variables: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Requests a second of the better rival, Dgraph v25 or PostGraphile 5, on two cores over the whole graph; undefined: not measured. */
  readonly rival: number | undefined;
}

/** What bare `node:http` answers to be compared with: ten rows with a nested object. */
export const bareBody = JSON.stringify({
  query: "query ($n: Int) { queryPackage(first: $n) { name version maintainer { email name } } }",
  variables: { n: 10 },
});

const maxVariants = 2_000;

/** By these names the servers written by hand know what they are asked. */
export type Asked = "ids" | "id" | "key" | "ten" | "section" | "threeLevels" | "aggregate" | "bySize" | "tag";

export const questionTexts: Readonly<Record<Asked, string>> = {
  ids: "{ queryPackage(first: 2000) { id } }",
  id: "query ($id: ID!) { getPackage(id: $id) { name version section installedSizeKiB summary } }",
  key: "query ($name: String!) { getPackage(name: $name) { name version section installedSizeKiB summary } }",
  ten: "query ($offset: Int) { queryPackage(first: 10, offset: $offset) { name version maintainer { email name } } }",
  section: `query ($section: String!, $offset: Int) { queryPackage(filter: { section: { eq: $section } }, order: { desc: installedSizeKiB }, first: 10, offset: $offset) {
    name installedSizeKiB maintainer { email name } } }`,
  threeLevels: "query ($name: String!) { getPackage(name: $name) { name dependsOn { name dependsOn { name dependsOn { name } } } } }",
  aggregate:
    "query ($section: String!) { aggregatePackage(filter: { section: { eq: $section } }) { count installedSizeKiBMax installedSizeKiBAvg } }",
  bySize: "query ($offset: Int) { queryPackage(order: { desc: installedSizeKiB }, first: 10, offset: $offset) { name installedSizeKiB } }",
  tag: `query ($tag: String!) { queryPackage(filter: { tags: { eq: $tag }, installedSizeKiB: { gt: 10240 } }, first: 10) {
    name installedSizeKiB dependsOn(first: 5) { name } } }`,
};

export function questions(packages: readonly DebianPackage[]): readonly Question[] {
  const some = spread(packages);
  const sections = distinct(packages.map((each) => each.section));
  const tags = distinct(packages.flatMap((each) => each.tags ?? []));
  const depends = (least: number, most: number) => some.filter(({ dependsOn: { length } }) => length >= least && length <= most);
  const byName = (chosen: readonly DebianPackage[]) => chosen.map(({ name }) => ({ name }));
  const offsets = Array.from({ length: 97 }, (_, index) => ({ offset: index }));
  const asked = (name: string, text: Asked, variables: Question["variables"], rival: number | undefined): Question => ({
    name,
    query: questionTexts[text],
    variables,
    rival,
  });
  const pages = sections.flatMap((section) => [0, 1, 2].map((offset) => ({ section, offset })));
  return [
    asked("package by id", "id", undefined, undefined),
    asked("package by key", "key", byName(some), 4_000),
    asked("first ten with maintainer", "ten", offsets, 2_700),
    asked("section by size desc, ten with maintainer", "section", pages, 2_400),
    asked("three levels, 3 to 12 dependencies", "threeLevels", byName(depends(3, 12)), 3_000),
    asked("three levels, 20 and more dependencies", "threeLevels", byName(depends(20, Number.POSITIVE_INFINITY)), 630),
    asked(
      "count, max, avg of a section",
      "aggregate",
      sections.map((section) => ({ section })),
      2_400,
    ),
    asked("whole graph by size desc, first ten", "bySize", offsets, 3_500),
    asked(
      "a tag, over 10 MB, ten with five dependencies",
      "tag",
      tags.map((tag) => ({ tag })),
      1_400,
    ),
  ];
}

/** A durable add with read-back; `[<id>]` is replaced by something new in every request. */
export const add: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> } = {
  query: "mutation ($input: [AddPackageInput!]!) { addPackage(input: $input) { package { name version section installedSizeKiB } } }",
  variables: {
    input: [{ name: "bench-[<id>]", version: "1.0", section: "games", priority: "optional", installedSizeKiB: 4_096, downloadSize: 1_000_000 }],
  },
};

/** Requests a second of the better rival for adds, by the number of clients. */
export const addRivals: ReadonlyMap<number, number> = new Map([
  [1, 690],
  [32, 1_800],
]);

/** Evenly over the file, in an order that does not follow it. */
function spread<T>(values: readonly T[]): readonly T[] {
  const step = 7_919;
  return Array.from({ length: Math.min(values.length, maxVariants * 4) }, (_, index) => values[(index * step) % values.length]).flatMap((each) =>
    each === undefined ? [] : [each],
  );
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
