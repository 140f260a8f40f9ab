// Around each spec file: what it registered to clean up runs at its end, and what a failed test left replaced is put back, so that the
// next file in this worker finds the process as it was.

import { afterAll, vi } from "vitest";
import { endFile } from "./when-file-ends.ts";

// Settings of a server in the environment of the run would reach the servers that specs start.
for (const name of ["CONFIG", "DATA", "SCHEMA", "HOST", "PORT", "URL", "ADMIN_TOKEN"]) delete process.env[`QUERN_${name}`];

afterAll(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await endFile();
});
