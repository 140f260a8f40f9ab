// Serves a thousand packages of Debian 12 that can be searched by meaning until Ctrl-C. The first start loads them.

import { curl, loadAndServe } from "../support/load-and-serve.mjs";

const url = await loadAndServe(new URL(".", import.meta.url), { file: "packages.ndjson", type: "Package" });
const ask = (query) => curl(url, query);
console.log(`${url}/graphql

What is related to vim:
  ${ask('{ querySimilarPackageById(name: "vim", by: topic, topK: 5) { name summary vector_distance } }')}

The vector of vim:
  ${ask('{ getPackage(name: "vim") { topic } }')}

The five packages of at most 500 KiB nearest to a vector (paste that of vim):
  ${ask("{ queryPackage(near: { by: topic, vector: [...], topK: 5 }, filter: { installedSizeKiB: { le: 500 } }) { name summary vector_distance } }")}

Press Ctrl-C to stop.`);
