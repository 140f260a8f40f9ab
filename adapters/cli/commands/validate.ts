// quern validate: checks a schema file, and prints every error.

import { prepareDeployment, QuernError } from "../../../core/index.ts";
import { explainAll, printedProblem } from "../ground/failure.ts";
import { readSchema } from "../ground/read-file.ts";
import { chosenReading, type StackChoice } from "../stack/stack.ts";

export interface ValidateOptions extends StackChoice {
  readonly json?: boolean;
}

export async function validate(file: string, options: ValidateOptions): Promise<void> {
  const schema = await readSchema(file);
  const { plugins, errors: style } = await chosenReading(options);
  const errors = schemaErrors(() => prepareDeployment(schema.text, plugins, undefined, style));
  if (options.json) console.log(JSON.stringify({ errors: errors.map((each) => printedProblem(each, style)) }));
  else if (errors.length === 0) console.log(`${file} is valid.`);
  else console.error(explainAll(errors, schema));
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
