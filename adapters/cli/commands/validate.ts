// quern validate: checks a schema file, and prints every error.

import { prepareDeployment, QuernError } from "../../../core/index.ts";
import { explainFailure } from "../ground/failure.ts";
import { readSchema } from "../ground/read-file.ts";
import { chosenPlugins, type StackChoice } from "../stack/stack.ts";

export interface ValidateOptions extends StackChoice {
  readonly json?: boolean;
}

export async function validate(file: string, options: ValidateOptions): Promise<void> {
  const schema = await readSchema(file);
  const plugins = await chosenPlugins(options);
  const errors = schemaErrors(() => prepareDeployment(schema.text, plugins));
  if (options.json) console.log(JSON.stringify({ errors: errors.map(({ message, locations }) => ({ message, locations: locations ?? [] })) }));
  else if (errors.length === 0) console.log(`${file} is valid.`);
  else console.error(errors.map((error) => explainFailure(error, schema)).join("\n\n"));
  if (errors.length > 0) process.exitCode = 1;
}

/** What `prepare` refuses, one by one. */
function schemaErrors(prepare: () => unknown): readonly QuernError[] {
  try {
    prepare();
    return [];
  } catch (error) {
    if (!(error instanceof QuernError)) throw error;
    return error.errors.length > 0 ? error.errors : [error];
  }
}
