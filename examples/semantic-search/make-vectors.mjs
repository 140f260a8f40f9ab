// Makes packages.ndjson: the packages of examples/debian-packages with a vector for each summary, by latent semantic analysis. Summaries that
// use related words have near vectors. With a language model you would ask it for the vectors instead.

import { readFileSync, writeFileSync } from "node:fs";

const length = 16;
const rounds = 30;
const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const packages = read("../debian-packages/packages.ndjson").trimEnd().split("\n").map(JSON.parse);
const stopWords = new Set("a an and as at by for from in into is it its of on or that the this to with".split(" "));
const wordsOf = ({ summary = "", section = "" }) =>
  `${summary} ${section}`
    .toLowerCase()
    .match(/[a-z][a-z0-9+]+/g)
    ?.filter((word) => !stopWords.has(word)) ?? [];

// Rows: packages. Columns: words of two or more packages, weighted by how rare they are.
const counts = new Map();
for (const each of packages) for (const word of new Set(wordsOf(each))) counts.set(word, (counts.get(word) ?? 0) + 1);
const columns = new Map([...counts].filter(([, count]) => count > 1).map(([word], i) => [word, i]));
const rows = packages.map((each) => {
  const row = new Map();
  for (const word of wordsOf(each)) if (columns.has(word)) row.set(columns.get(word), Math.log(packages.length / counts.get(word)));
  const size = Math.hypot(...row.values()) || 1;
  return [...row].map(([column, weight]) => [column, weight / size]);
});

// The main directions of the rows, by subspace iteration.
let seed = 1;
const random = () => {
  seed = (seed * 48271) % 2147483647;
  return seed / 2147483647 - 0.5;
};
let basis = Array.from({ length }, () => Float64Array.from({ length: columns.size }, random));
const coordinates = (row) => basis.map((axis) => row.reduce((sum, [column, weight]) => sum + axis[column] * weight, 0));
for (let round = 0; round < rounds; round++) {
  const next = basis.map(() => new Float64Array(columns.size));
  for (const row of rows) {
    for (const [i, along] of coordinates(row).entries()) for (const [column, weight] of row) next[i][column] += along * weight;
  }
  basis = orthonormal(next);
}

function orthonormal(vectors) {
  const done = [];
  for (const vector of vectors) {
    for (const other of done) {
      const along = vector.reduce((sum, element, i) => sum + element * other[i], 0);
      for (const [i, element] of other.entries()) vector[i] -= along * element;
    }
    const size = Math.hypot(...vector) || 1;
    done.push(vector.map((element) => element / size));
  }
  return done;
}

const lines = packages.flatMap(({ name, section, summary, installedSizeKiB }, i) => {
  const vector = coordinates(rows[i]);
  const size = Math.hypot(...vector);
  const topic = size > 0.01 ? { topic: vector.map((element) => Number((element / size).toFixed(3))) } : {};
  return [JSON.stringify({ name, section, summary, installedSizeKiB, ...topic })];
});
writeFileSync(new URL("packages.ndjson", import.meta.url), `${lines.join("\n")}\n`);
