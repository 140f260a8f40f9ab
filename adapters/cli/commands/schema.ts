// quern schema --from-dgraph: proposes a GraphQL schema for an export without one.

import { prepareDeployment, QuernError } from "../../../core/index.ts";
import { openDgraphExport, proposeSchema, sampleData } from "../../transfer/index.ts";
import { explainFailure } from "../ground/failure.ts";
import { showSteps } from "../ground/progress.ts";
import { chosenPlugins, type StackChoice } from "../stack/stack.ts";

export interface SchemaOptions extends Pick<StackChoice, "config"> {
  /** The folder of the export. */
  readonly fromDgraph?: string;
  readonly namespace: number;
  readonly encryptionKeyFile?: string;
}

/** Prints the schema. Reads the data twice, and writes nothing. */
export async function schema(options: SchemaOptions): Promise<void> {
  const { fromDgraph, namespace, encryptionKeyFile } = options;
  if (fromDgraph === undefined) throw new QuernError("CONFIG_INVALID", "Name the folder of the export with --from-dgraph <dir>.");
  const source = await openDgraphExport(fromDgraph, encryptionKeyFile);
  const steps = showSteps();
  const progress = (done: number, total: number) => steps.progress({ what: "reading", done, total });
  const sample = await sampleData(source, namespace, progress).finally(steps.stop);
  const text = proposeSchema({ schema: source.storageSchema, namespace, sample });
  process.stdout.write(text);
  if (source.schemas.has(namespace))
    console.error("The export has a GraphQL schema of its own; quern import uses that one unless you name another with --schema.");
  await warn(text, options);
}

/** The proposal is a draft: what a deploy would refuse is printed at once. */
async function warn(text: string, options: SchemaOptions): Promise<void> {
  try {
    prepareDeployment(text, await chosenPlugins(options));
  } catch (error) {
    console.error(`Edit the schema before you use it:\n${explainFailure(error)}`);
  }
}
