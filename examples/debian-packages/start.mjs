// Serves a thousand packages of Debian 12 as a graph until Ctrl-C. The first start loads them.

import { prometheusMetrics } from "quern/adapters/prometheus";
import { curl, loadAndServe } from "../support/load-and-serve.mjs";

const url = await loadAndServe(new URL(".", import.meta.url), { file: "packages.ndjson", type: "Package" }, { metrics: prometheusMetrics() });
const ask = (query) => curl(url, query);
console.log(`${url}/graphql
Console: ${url}/console

The largest editors and their maintainers:
  ${ask('{ queryPackage(filter: { section: { eq: "editors" } }, order: { desc: installedSizeKiB }, first: 5) { name installedSizeKiB maintainer { name } } }')}

The dependencies of git, three levels deep:
  ${ask('{ getPackage(name: "git") { dependsOn { name dependsOn { name dependsOn { name } } } } }')}

The packages that depend on zlib1g, their number and mean size:
  ${ask('{ getPackage(name: "zlib1g") { requiredBy(first: 5) { name } requiredByAggregate { count installedSizeKiBAvg } } }')}

Add a package:
  ${ask('mutation { addPackage(input: [{ name: "mine", version: "1", dependsOn: [{ name: "git" }] }]) { package { name dependsOn { name } } } }')}

Press Ctrl-C to stop.`);
