// --verify: asks the running Dgraph and the store the same, and prints what differs.

import { isObject, type Kernel, parseJson, QuernError, writeJson } from "../../core/plugin.ts";
import { type AskGraph, compareGraphs } from "../transfer/index.ts";
import { createProgress } from "./progress.ts";
import { postText } from "./server-url.ts";

const nodesToCompare = 1_000;
const maxShown = 20;

/** Sets the exit code when an answer differs. */
export async function compareImport(kernel: Kernel, url: string, highestUid: number): Promise<void> {
  const { deployment, storage } = kernel;
  if (deployment === undefined) return;
  const snapshot = storage.snapshot({ version: deployment.version });
  const bar = createProgress("verify");
  try {
    const { types, nodes, differences } = await compareGraphs({
      model: deployment.model,
      snapshot,
      highestUid,
      nodes: nodesToCompare,
      here: async (query, variables) => dataOf((await kernel.execute({ query, variables })).body, "the store"),
      there: askServer(url),
      progress: (done, total) => bar.update(done, total, `${done.toLocaleString("en")} nodes`),
    });
    bar.stop();
    for (const { place, field, here, there } of differences.slice(0, maxShown))
      console.log(`${place}, ${field}: ${writeJson(there)} there, ${writeJson(here)} here`);
    if (differences.length > maxShown) console.log(`and ${differences.length - maxShown} more`);
    const scope = `counts of ${types} types and ${nodes.toLocaleString("en")} nodes with all fields, compared with ${url}`;
    console.log(differences.length === 0 ? `${scope}: equal.` : `${scope}: ${differences.length} differences.`);
    if (differences.length > 0) process.exitCode = 1;
  } finally {
    bar.stop();
    snapshot.close();
  }
}

function askServer(url: string): AskGraph {
  return async (query, variables) =>
    dataOf(await postText({ url }, "/graphql", { body: writeJson({ query, variables }), contentType: "application/json" }), url);
}

function dataOf(body: string, who: string): Readonly<Record<string, unknown>> {
  const answer = parseJson(body);
  const { data, errors } = isObject(answer) ? answer : {};
  if (Array.isArray(errors) && errors.length > 0) {
    const [first] = errors;
    throw new QuernError("REQUEST_REFUSED", `--verify: ${who} refuses a question: ${isObject(first) ? String(first.message) : "unknown reason"}`);
  }
  return isObject(data) ? data : {};
}
