// quern diff: prints what a deploy would change, for clients and for the data. Changes nothing.

import type { DeployComparison } from "../../../core/index.ts";
import type { TokenOptions } from "../client/admin-token.ts";
import { compareWith } from "../client/deploy-answer.ts";
import { loggedInAt } from "../client/guardian.ts";
import { comparisonText, isBreaking } from "../ground/changes-text.ts";
import { type SchemaText, schemaProblems, withSource } from "../ground/failure.ts";
import { readSchema } from "../ground/read-file.ts";
import { namedStack, type StackChoice, withKernel } from "../stack/stack.ts";

export interface DiffOptions extends StackChoice, TokenOptions {
  readonly url?: string;
  readonly json?: boolean;
}

/** Exit code 0 if nothing breaks; 1 if clients break, data would be hidden, or the deploy would be refused. */
export async function diff(file: string, options: DiffOptions): Promise<void> {
  const schema = await readSchema(file);
  try {
    const comparison = await compared(schema, options);
    console.log(options.json ? JSON.stringify(comparison) : comparisonText(comparison));
    if (isBreaking(comparison)) process.exitCode = 1;
  } catch (thrown) {
    const problems = schemaProblems(thrown);
    if (!options.json || problems === undefined) throw thrown;
    console.log(JSON.stringify({ errors: problems }));
    process.exitCode = 1;
  }
}

async function compared(schema: SchemaText, options: DiffOptions): Promise<DeployComparison> {
  if (options.url !== undefined) return await compareWith(await loggedInAt({ ...options, url: options.url }), schema);
  return await withKernel(await namedStack(options, usage), (kernel) => withSource(schema, () => kernel.compare(schema.text)));
}

const usage =
  "Name what to compare with: --url <url> for a running server, --data <dir> for a LevelDB store, or --config <file> for a configured storage.";
