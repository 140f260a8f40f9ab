// Serves a thousand packages of Debian 12 that can be searched by meaning until Ctrl-C. The first start loads them.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { defineConfig, serve } from "quern";
import { standardStack } from "quern/adapters/cli";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const data = process.env.DATA ?? here("data");
const port = Number(process.env.PORT ?? 8080);

// The import skips a file that is already loaded.
const quern = fileURLToPath(new URL("./dist/adapters/cli/main.js", import.meta.resolve("quern/package.json")));
const loading = [quern, "import", here("packages.ndjson"), "--type", "Package", "--data", data, "--schema", here("schema.graphql")];
const { status } = spawnSync(process.execPath, loading, { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

const server = await serve(defineConfig({ ...standardStack({ data }), port, debug: true, admin: { open: "loopback" } })).catch((error) => {
  console.error(error.message);
  if (error.code === "ADDRESS_IN_USE") console.error("Choose another port: PORT=8081 node start.mjs");
  process.exit(1);
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());

const url = `${server.urls[0]}/graphql`;
const ask = (query) => `curl -s ${url} -H 'content-type: application/graphql' -d '${query}'`;
console.log(`${url}

What is related to vim:
  ${ask('{ querySimilarPackageById(name: "vim", by: topic, topK: 5) { name summary vector_distance } }')}

The vector of vim:
  ${ask('{ getPackage(name: "vim") { topic } }')}

The five packages of at most 500 KiB nearest to a vector (paste that of vim):
  ${ask("{ queryPackage(near: { by: topic, vector: [...], topK: 5 }, filter: { installedSizeKiB: { le: 500 } }) { name summary vector_distance } }")}

Press Ctrl-C to stop.`);
