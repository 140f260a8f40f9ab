// Makes packages.ndjson: a part of the Debian 12 package graph in which every dependency and recommendation is there too.
// Needs the whole graph, one JSON object a line: node make-extract.mjs path/to/debian-packages.ndjson.gz
// The same input gives the same output, byte for byte.

import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const sections = ["editors", "games", "vcs", "shells", "database", "httpd"];
const maxPackages = 1_000;
const maxBroughtAlong = 40;

const [source] = process.argv.slice(2);
if (source === undefined) throw new TypeError("usage: node make-extract.mjs path/to/debian-packages.ndjson.gz");
const lines = gunzipSync(readFileSync(source)).toString("utf8").trimEnd().split("\n");
const packages = new Map(lines.map((line) => JSON.parse(line)).map((each) => [each.name, each]));

const chosen = new Set();
const turns = sections.map((section) => [...packages.values()].filter((each) => each.section === section).map((each) => each.name));
for (let round = 0; turns.some((names) => round < names.length); round++) {
  for (const names of turns) if (round < names.length) choose(names[round]);
}

const extract = [...packages.values()].filter((each) => chosen.has(each.name));
writeFileSync(new URL("packages.ndjson", import.meta.url), `${extract.map((each) => JSON.stringify(each)).join("\n")}\n`);
console.log(`${extract.length} packages`);

/** Takes `name` and all it needs, unless that is too much for a small file. */
function choose(name) {
  const added = reach(name);
  if (added.size <= maxBroughtAlong && chosen.size + added.size <= maxPackages) for (const each of added) chosen.add(each);
}

function reach(name) {
  const found = new Set();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next) || chosen.has(next)) continue;
    found.add(next);
    const { dependsOn = [], recommends = [] } = packages.get(next);
    waiting.push(...dependsOn, ...recommends);
  }
  return found;
}
