// quern deploy: deploys a schema file to a running server or a store, and prints what data it hides or finds at odds with the schema.

import type { Kernel, Unreachable } from "../../../core/index.ts";
import type { MigrationStep } from "../../../core/storage.ts";
import type { TokenOptions } from "../client/admin-token.ts";
import { type DeployFindings, deployTo } from "../client/deploy-answer.ts";
import { loggedInAt } from "../client/guardian.ts";
import { unreachableLines } from "../ground/changes-text.ts";
import { type SchemaText, withSource } from "../ground/failure.ts";
import { showSteps } from "../ground/progress.ts";
import { readSchema } from "../ground/read-file.ts";
import { namedStack, type StackChoice, withKernel } from "../stack/stack.ts";

export interface DeployOptions extends StackChoice, TokenOptions {
  readonly url?: string;
}

export async function deploy(file: string, options: DeployOptions): Promise<void> {
  const schema = await readSchema(file);
  const steps = showSteps();
  const { unreachable, warnings } = await deployed(schema, options, steps.progress).finally(steps.stop);
  console.log(`${file} is deployed.`);
  const lines =
    unreachable === undefined
      ? ["The server runs an earlier version. Its log lists the data that this deploy hides."]
      : unreachableLines(unreachable);
  for (const line of [...lines, ...warnings]) console.error(line);
}

async function deployed(schema: SchemaText, options: DeployOptions, progress: (step: MigrationStep) => void): Promise<DeployFindings> {
  if (options.url !== undefined) return await deployTo(await loggedInAt({ ...options, url: options.url }), schema, progress);
  const unreachable: Unreachable[] = [];
  const warnings: string[] = [];
  const report = { onUnreachable: (each: Unreachable) => void unreachable.push(each), onWarning: (each: string) => void warnings.push(each) };
  const stack = await namedStack(options, usage);
  // The command prints what the log would say about the deploy.
  const work = (kernel: Kernel) => withSource(schema, () => kernel.deploy(schema.text, { progress, ...report }));
  // `replacing` opens a store whose deployed schema needs a plugin that is no longer installed.
  await withKernel({ ...stack, log: { level: "error", ...stack.log } }, work, { replacing: true });
  return { unreachable, warnings };
}

const usage = "Name the target: --url <url> for a running server, --data <dir> for a LevelDB store, or --config <file> for a configured storage.";
