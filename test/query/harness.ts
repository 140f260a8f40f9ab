// A deployed schema over a store of its own, for as long as one test runs.

import { onTestFinished } from "vitest";
import { newStorage } from "../support/storage.ts";
import { type DeployOptions, deployOn, type TestApi } from "./test-api.ts";

export { type DeployOptions, overriding, type TestApi } from "./test-api.ts";

export async function deploy(schema: string, options: DeployOptions = {}): Promise<TestApi> {
  const storage = await newStorage();
  await storage.open();
  onTestFinished(() => storage.close());
  return deployOn(options.around?.(storage) ?? storage, schema, options);
}
