// A deployed schema over LevelDB in a folder of its own, for as long as one test runs.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { type DeployOptions, deployOn, type TestApi } from "./test-api.ts";

export { type DeployOptions, overriding, type TestApi } from "./test-api.ts";

export async function deploy(schema: string, options: DeployOptions = {}): Promise<TestApi> {
  const path = await mkdtemp(join(tmpdir(), "quern-read-"));
  const storage = leveldbStorage({ path });
  await storage.open();
  onTestFinished(async () => {
    await storage.close();
    await rm(path, { recursive: true, force: true });
  });
  return deployOn(options.around?.(storage) ?? storage, schema, options);
}
