// The questions of the speed table, with variables that vary from request to request, so that no cache of whole answers helps.

import type { DebianPackage } from "./graph.ts";

export interface Question {
  readonly name: string;
  readonly query: string;
  /** One request each, used in turn. */
  readonly variables: readonly Readonly<Record<string, unknown>>[];
  /** Requests a second of the better rival, Dgraph v25 or PostGraphile 5, on two cores over the whole graph. */
  readonly rival: number;
}

/** What bare `node:http` answers to be compared with: ten rows with a nested object. */
export const bareBody = JSON.stringify({
  query: "query ($n: Int) { queryPackage(first: $n) { name version maintainer { email name } } }",
  variables: { n: 10 },
});

const maxVariants = 2_000;

export function questions(packages: readonly DebianPackage[]): readonly Question[] {
  const some = spread(packages);
  const sections = distinct(packages.map((each) => each.section));
  const tags = distinct(packages.flatMap((each) => each.tags ?? []));
  const depends = (least: number, most: number) => some.filter(({ dependsOn: { length } }) => length >= least && length <= most);
  const byName = (chosen: readonly DebianPackage[]) => chosen.map(({ name }) => ({ name }));
  const threeLevels = "query ($name: String!) { getPackage(name: $name) { name dependsOn { name dependsOn { name dependsOn { name } } } } }";
  const offsets = Array.from({ length: 97 }, (_, index) => ({ offset: index }));
  return [
    {
      name: "package by key",
      query: "query ($name: String!) { getPackage(name: $name) { name version section installedSizeKiB summary } }",
      variables: byName(some),
      rival: 4_000,
    },
    {
      name: "first ten with maintainer",
      query: "query ($offset: Int) { queryPackage(first: 10, offset: $offset) { name version maintainer { email name } } }",
      variables: offsets,
      rival: 2_700,
    },
    {
      name: "section by size desc, ten with maintainer",
      query: `query ($section: String!, $offset: Int) { queryPackage(filter: { section: { eq: $section } }, order: { desc: installedSizeKiB }, first: 10, offset: $offset) {
        name installedSizeKiB maintainer { email name } } }`,
      variables: sections.flatMap((section) => [0, 1, 2].map((offset) => ({ section, offset }))),
      rival: 2_400,
    },
    { name: "three levels, 3 to 12 dependencies", query: threeLevels, variables: byName(depends(3, 12)), rival: 3_000 },
    { name: "three levels, 20 and more dependencies", query: threeLevels, variables: byName(depends(20, Number.POSITIVE_INFINITY)), rival: 630 },
    {
      name: "count, max, avg of a section",
      query:
        "query ($section: String!) { aggregatePackage(filter: { section: { eq: $section } }) { count installedSizeKiBMax installedSizeKiBAvg } }",
      variables: sections.map((section) => ({ section })),
      rival: 2_400,
    },
    {
      name: "whole graph by size desc, first ten",
      query: "query ($offset: Int) { queryPackage(order: { desc: installedSizeKiB }, first: 10, offset: $offset) { name installedSizeKiB } }",
      variables: offsets,
      rival: 3_500,
    },
    {
      name: "a tag, over 10 MB, ten with five dependencies",
      query: `query ($tag: String!) { queryPackage(filter: { tags: { eq: $tag }, installedSizeKiB: { gt: 10240 } }, first: 10) {
        name installedSizeKiB dependsOn(first: 5) { name } } }`,
      variables: tags.map((tag) => ({ tag })),
      rival: 1_400,
    },
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
