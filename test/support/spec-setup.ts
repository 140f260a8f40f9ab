// Around each spec file: what it registered to clean up runs at its end, and what a failed test left replaced is put back, so that the
// next file in this worker finds the process as it was.

import { afterAll, vi } from "vitest";
import { endFile } from "./when-file-ends.ts";

afterAll(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await endFile();
});
