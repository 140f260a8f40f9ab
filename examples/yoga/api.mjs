// The API of both servers: a kernel in the process, and the handler that mounts it.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { useDepthLimit } from "@envelop/depth-limit";
import { createServerKernel } from "quern";
import { standardStack } from "quern/adapters/cli";
import { yogaHandler } from "quern/adapters/yoga";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** @param basePath the path before `/graphql`, where the server around does not strip it */
export async function openApi({ basePath } = {}) {
  const { transports, ...stack } = standardStack({ data: process.env.QUERN_DATA || process.env.DATA || here("data") });
  const kernel = createServerKernel({
    ...stack,
    // An envelop plugin: documents deeper than this are refused.
    envelop: [useDepthLimit({ maxDepth: 6 })],
  });
  await kernel.open();
  await kernel.deploy(await readFile(here("schema.graphql"), "utf8"));
  return { kernel, handler: yogaHandler(kernel, basePath === undefined ? {} : { basePath }) };
}

export const port = Number(process.env.QUERN_PORT || process.env.PORT || 8080);
