// What a mutation does to files, in its transaction.

import type { Change, ChangesContext } from "../../../core/plugin.ts";
import type { FileSchema } from "../schema/read-files.ts";
import { withoutLeftFiles } from "./left-files.ts";
import { withUploads } from "./taken-uploads.ts";

/** Undefined: it is about no files. */
export async function fileChanges(context: ChangesContext, schema: FileSchema): Promise<readonly Change[] | undefined> {
  const taken = await withUploads(context, schema);
  return (await withoutLeftFiles(taken ?? context.changes, context, schema)) ?? taken;
}
