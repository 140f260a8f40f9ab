// Folders that vanish when the test file is done.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenFileEnds } from "../../support/when-file-ends.ts";

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "quern-level-"));
  whenFileEnds(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
