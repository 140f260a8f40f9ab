// What runs in the thread that builds the indexes of an import: it makes the layout of the schema again, whose functions cannot be sent.

import { workerData } from "node:worker_threads";
import { prepareDeployment } from "../../../core/index.ts";
import { chosenStack } from "../stack/stack.ts";
import type { IndexingData } from "./indexing-beside.ts";

await run(workerData);

async function run({ indexing, choice, document, kept }: IndexingData): Promise<void> {
  const { storage, plugins = [] } = await chosenStack(choice);
  // As in the kernel of the import.
  const own = plugins.filter(({ access }) => access === undefined);
  const { layout } = prepareDeployment(document, own, { deployed: undefined, kept });
  await storage.indexThreads?.run(indexing, layout);
}
