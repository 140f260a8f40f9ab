// --verify: asks the running Dgraph and the store the same, and prints what differs.

import { isObject, type Kernel, parseJson, QuernError, writeJson } from "../../../core/plugin.ts";
import { type AskGraph, compareGraphs } from "../../transfer/index.ts";
import { createProgress } from "../ground/progress.ts";
import { postText } from "./server-url.ts";

const nodesToCompare = 1_000;

/** Who is asked, and as whom. */
export interface ComparedServer {
  readonly url: string;
  /** Of each question, to the server and to the store alike. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Sets the exit code when an answer differs. */
export async function compareImport(kernel: Kernel, server: ComparedServer, highestUid: number): Promise<void> {
  const { url, headers } = server;
  const { deployment, storage } = kernel;
  if (deployment === undefined) return;
  const snapshot = storage.snapshot({ version: deployment.version });
  const bar = createProgress("verify");
  try {
    const { types, nodes, hidden, countedOnly, differences } = await compareGraphs({
      model: deployment.model,
      snapshot,
      highestUid,
      nodes: nodesToCompare,
      here: async (query, variables) => dataOf((await kernel.execute({ query, variables, headers })).body, "the store"),
      there: askServer(server),
      progress: (done, total) => bar.update(done, total, `${done.toLocaleString("en")} nodes`),
    });
    bar.stop();
    for (const { type, field, count, samples } of differences) {
      for (const { place, here, there } of samples) console.log(`${place}, ${field}: ${writeJson(there)} there, ${writeJson(here)} here`);
      if (count > samples.length) console.log(`${type}, ${field}: and ${(count - samples.length).toLocaleString("en")} more`);
    }
    if (countedOnly.length > 0) console.log(`Of ${countedOnly.join(", ")} only the counts are compared: no query finds a single node.`);
    if (hidden > 0)
      console.log(`${hidden.toLocaleString("en")} of the nodes are shown by neither: access rules hide them, or they lack a required value.`);
    const scope = `counts of ${types} types and ${nodes.toLocaleString("en")} nodes with all fields, compared with ${url}`;
    const sum = differences.reduce((total, { count }) => total + count, 0);
    console.log(`${scope}: ${sum === 0 ? "equal" : sum === 1 ? "one difference" : `${sum.toLocaleString("en")} differences`}.`);
    if (sum > 0) process.exitCode = 1;
  } finally {
    bar.stop();
    snapshot.close();
  }
}

function askServer(server: ComparedServer): AskGraph {
  return async (query, variables) =>
    dataOf(await postText(server, "/graphql", { body: writeJson({ query, variables }), contentType: "application/json" }), server.url);
}

/** Where a node lacks a required value, both servers answer with an error for this node, and with the other nodes. */
function dataOf(body: string, who: string): Readonly<Record<string, unknown>> {
  const answer = parseJson(body);
  const { data, errors } = isObject(answer) ? answer : {};
  const isAnswered = isObject(data) && data.found !== null && data.found !== undefined;
  if (!isAnswered && Array.isArray(errors) && errors.length > 0) {
    const [first] = errors;
    throw new QuernError("REQUEST_REFUSED", `--verify: ${who} refuses a question: ${isObject(first) ? String(first.message) : "unknown reason"}`);
  }
  return isObject(data) ? data : {};
}
