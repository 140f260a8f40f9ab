// Serves a thousand packages of Debian 12 as a graph until Ctrl-C. The first start loads them.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { defineConfig, serve } from "quern";
import { standardStack } from "quern/adapters/cli";
import { prometheusMetrics } from "quern/adapters/prometheus";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const data = process.env.DATA ?? here("data");
const port = Number(process.env.PORT ?? 8080);

// The import skips a file that is already loaded.
const quern = fileURLToPath(new URL("./dist/adapters/cli/main.js", import.meta.resolve("quern/package.json")));
const loading = [quern, "import", here("packages.ndjson"), "--type", "Package", "--data", data, "--schema", here("schema.graphql")];
const { status } = spawnSync(process.execPath, loading, { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

const server = await serve(
  defineConfig({ ...standardStack({ data }), port, debug: true, metrics: prometheusMetrics(), admin: { open: "loopback" } }),
).catch((error) => {
  console.error(error.message);
  if (error.code === "ADDRESS_IN_USE") console.error("Choose another port: PORT=8081 npm start");
  process.exit(1);
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());

const url = `${server.urls[0]}/graphql`;
const ask = (query) => `curl -s ${url} -H 'content-type: application/graphql' -d '${query}'`;
console.log(`${url}
Console: ${server.urls[0]}/console

The largest editors and their maintainers:
  ${ask('{ queryPackage(filter: { section: { eq: "editors" } }, order: { desc: installedSizeKiB }, first: 5) { name installedSizeKiB maintainer { name } } }')}

The dependencies of git, three levels deep:
  ${ask('{ getPackage(name: "git") { dependsOn { name dependsOn { name dependsOn { name } } } } }')}

The packages that depend on zlib1g, their number and mean size:
  ${ask('{ getPackage(name: "zlib1g") { requiredBy(first: 5) { name } requiredByAggregate { count installedSizeKiBAvg } } }')}

Add a package:
  ${ask('mutation { addPackage(input: [{ name: "mine", version: "1", dependsOn: [{ name: "git" }] }]) { package { name dependsOn { name } } } }')}

Press Ctrl-C to stop.`);
