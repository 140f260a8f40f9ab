// quern directives: prints what schemas may use besides their own definitions, so that editors know it.

import { chosenPlugins, type StackChoice } from "../stack.ts";
import { schemaVocabulary } from "../vocabulary.ts";

const heading = "# What Quern adds to GraphQL schemas, for editors. It is not part of a schema. Written by: quern directives";

export async function directives(options: StackChoice): Promise<void> {
  process.stdout.write(`${heading}\n\n${schemaVocabulary(await chosenPlugins(options))}`);
}
