// quern types: prints TypeScript types, for the functions that a schema leaves to the application or for clients of its API.

import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { QuernError } from "../../../core/index.ts";
import { functionTypes } from "../../../plugins/lambda/index.ts";
import { clientTypes } from "../client-types/client-types.ts";
import { withSource } from "../ground/failure.ts";
import { readSchema } from "../ground/read-file.ts";
import { preparedSchema, type StackChoice } from "../stack/stack.ts";

export interface TypesOptions extends StackChoice {
  readonly functions?: boolean;
  readonly client?: boolean;
  /** The file to write. Default: standard output. */
  readonly output?: string;
  /** The same. */
  readonly out?: string;
}

export async function types(file: string, options: TypesOptions): Promise<void> {
  if (!options.client && !options.functions) throw new QuernError("CONFIG_INVALID", usage);
  const schema = await readSchema(file);
  const deployment = await withSource(schema, () => preparedSchema(schema.text, options));
  const text = options.client ? clientTypes(deployment.api.schema, basename(file)) : functionTypes(deployment, basename(file));
  const output = options.output ?? options.out;
  if (output === undefined) process.stdout.write(text);
  else await writeFile(output, text);
}

const usage = "Name what to write: --client for the types of the API, or --functions for the functions of @lambda and @lambdaOnMutate.";
