// quern deploy: hands a schema file to a running server or a store, and says what it puts out of sight.

import type { Kernel, MigrationStep, Unreachable } from "../../../core/index.ts";
import type { TokenOptions } from "../admin-token.ts";
import { unreachableLines } from "../changes-text.ts";
import { deployTo } from "../deploy-answer.ts";
import { about, type SchemaText } from "../failure.ts";
import { showSteps } from "../progress.ts";
import { readSchema } from "../read-file.ts";
import { serverAt } from "../server-url.ts";
import { namedStack, type StackChoice, withKernel } from "../stack.ts";

export interface DeployOptions extends StackChoice, TokenOptions {
  readonly url?: string;
}

export async function deploy(file: string, options: DeployOptions): Promise<void> {
  const schema = await readSchema(file);
  const steps = showSteps();
  const unreachable = await deployed(schema, options, steps.progress).finally(steps.stop);
  console.log(`${file} is deployed.`);
  const lines =
    unreachable === undefined ? ["The server runs an earlier version: what leaves sight is told in its log alone."] : unreachableLines(unreachable);
  for (const line of lines) console.error(line);
}

/** What has left sight; undefined when nobody says. */
async function deployed(
  schema: SchemaText,
  options: DeployOptions,
  progress: (step: MigrationStep) => void,
): Promise<readonly Unreachable[] | undefined> {
  if (options.url !== undefined) return await deployTo(await serverAt({ ...options, url: options.url }), schema, progress);
  const unreachable: Unreachable[] = [];
  const stack = await namedStack(options, ways);
  // What the log would say of deploys is said here.
  const work = (kernel: Kernel) => about(schema, () => kernel.deploy(schema.text, { progress, onUnreachable: (each) => unreachable.push(each) }));
  // A plugin of the schema that is deployed may be gone: this is the way on.
  await withKernel({ ...stack, log: { level: "error", ...stack.log } }, work, { replacing: true });
  return unreachable;
}

const ways = "Say where to: --url <url> for a running server, --data <dir> for a store, or --config <file> for the storage configured there.";
