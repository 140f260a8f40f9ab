// Exports up to version 20.03 have no file for the GraphQL schema: its text is a value in the data.

import type { ExportSource } from "./export-folder.ts";
import { Findings } from "./findings.ts";
import { readStatements } from "./read-statements.ts";

/** The schema of a namespace: of its file, or among the data; undefined: there is none. */
export async function schemaIn(source: ExportSource, namespace: number): Promise<string | undefined> {
  const known = source.schemas.get(namespace);
  if (known !== undefined || source.schemas.size > 0) return known;
  let found: string | undefined;
  for await (const statements of readStatements(source, new Findings(), { progress: () => undefined })) {
    for (const { predicate, object, namespace: own } of statements) {
      if (predicate === "dgraph.graphql.schema" && object.kind === "literal" && own === namespace && object.text !== "") found = object.text;
    }
  }
  return found;
}
