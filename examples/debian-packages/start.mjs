// A thousand packages of Debian 12 as a graph: loads them at the first start, then serves them until Ctrl-C.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { defineConfig, serve } from "quern";
import { standardStack } from "quern/adapters/cli";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const data = process.env.DATA ?? here("data");
const port = Number(process.env.PORT ?? 8080);

// A file that is loaded already is not loaded again.
const quern = fileURLToPath(new URL("./dist/adapters/cli/main.js", import.meta.resolve("quern/package.json")));
const loading = [quern, "import", here("packages.ndjson"), "--type", "Package", "--data", data, "--schema", here("schema.graphql")];
const { status } = spawnSync(process.execPath, loading, { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

const server = await serve(defineConfig({ ...standardStack({ data }), port, debug: true, admin: { open: "loopback" } })).catch((error) => {
  console.error(error.message);
  if (error.code === "ADDRESS_IN_USE") console.error("Another port: PORT=8081 npm start");
  process.exit(1);
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());

const url = `${server.urls[0]}/graphql`;
const ask = (query) => `curl -s ${url} -H 'content-type: application/graphql' -d '${query}'`;
console.log(`${url}

The largest editors, and who keeps them:
  ${ask('{ queryPackage(filter: { section: { eq: "editors" } }, order: { desc: installedSizeKiB }, first: 5) { name installedSizeKiB maintainer { name } } }')}

What git needs, three steps deep:
  ${ask('{ getPackage(name: "git") { dependsOn { name dependsOn { name dependsOn { name } } } } }')}

What needs zlib1g, and how much that is:
  ${ask('{ getPackage(name: "zlib1g") { requiredBy(first: 5) { name } requiredByAggregate { count installedSizeKiBAvg } } }')}

A package of your own:
  ${ask('mutation { addPackage(input: [{ name: "mine", version: "1", dependsOn: [{ name: "git" }] }]) { package { name dependsOn { name } } } }')}

Press Ctrl-C to stop.`);
