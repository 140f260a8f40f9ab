// quern directives: prints what schemas may use besides their own definitions, so that editors know it.

import { schemaVocabulary } from "../ground/vocabulary.ts";
import { chosenPlugins, type StackChoice } from "../stack/stack.ts";

const heading = "# What Quern adds to GraphQL schemas, for editors. It is not part of a schema. Written by: quern directives";

export async function directives(options: StackChoice): Promise<void> {
  process.stdout.write(`${heading}\n\n${schemaVocabulary(await chosenPlugins(options))}`);
}
