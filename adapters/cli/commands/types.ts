// quern types: prints TypeScript types for the code that a schema leaves to the application.

import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { prepareDeployment } from "../../../core/index.ts";
import { functionTypes } from "../../../plugins/lambda/index.ts";
import { withSource } from "../failure.ts";
import { readSchema } from "../read-file.ts";
import { chosenPlugins, type StackChoice } from "../stack.ts";

export interface TypesOptions extends StackChoice {
  /** The file to write. Default: standard output. */
  readonly output?: string;
}

export async function types(file: string, options: TypesOptions): Promise<void> {
  const schema = await readSchema(file);
  const deployment = await withSource(schema, async () => prepareDeployment(schema.text, await chosenPlugins(options)));
  const text = functionTypes(deployment, basename(file));
  if (options.output === undefined) process.stdout.write(text);
  else await writeFile(options.output, text);
}
