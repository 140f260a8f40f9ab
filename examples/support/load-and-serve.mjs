// What the examples with data share: loads a file at the first start, then serves it until Ctrl-C.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { defineConfig, serve } from "quern";
import { standardStack } from "quern/adapters/cli";

/**
 * The environment variables `QUERN_PORT` and `QUERN_DATA` (or `PORT` and `DATA`) choose another port and folder.
 *
 * @param folder the URL of the example, which contains `schema.graphql` and the file
 * @param data the file of newline-delimited JSON, and the type of its lines
 * @param more options of the configuration
 * @returns the address of the server, such as `http://127.0.0.1:8080`
 */
export async function loadAndServe(folder, { file, type }, more = {}) {
  const here = (name) => fileURLToPath(new URL(name, folder));
  const data = process.env.QUERN_DATA || process.env.DATA || here("data");
  load([here(file), "--type", type, "--data", data, "--schema", here("schema.graphql")]);
  const port = Number(process.env.QUERN_PORT || process.env.PORT || 8080);
  const config = defineConfig({ ...standardStack({ data }), port, debug: true, admin: { open: "loopback" }, ...more });
  const server = await serve(config).catch(stopWith);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());
  return server.urls[0];
}

/** Runs `quern import`, which skips a file that is already loaded. */
function load(args) {
  const quern = fileURLToPath(new URL("./dist/adapters/cli/main.js", import.meta.resolve("quern/package.json")));
  const { status } = spawnSync(process.execPath, [quern, "import", ...args], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

function stopWith(error) {
  console.error(error.message);
  if (error.code === "ADDRESS_IN_USE") console.error("Choose another port by the environment variable QUERN_PORT: QUERN_PORT=8081");
  process.exit(1);
}

/** A command that asks the server at `url`. */
export function curl(url, query) {
  return `curl -s ${url}/graphql -H 'content-type: application/graphql' -d '${query}'`;
}
