// How much each read worker keeps in memory.

import { afterEach, expect, it, vi } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { type ReadWorkersOptions, readWorkers } from "../../../adapters/read-workers/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { temporaryFolder } from "../../cli/quern.ts";

let remove: (() => Promise<void>) | undefined;
afterEach(async () => {
  await remove?.();
  remove = undefined;
});

const mebibyte = 2 ** 20;

/** The cache that the first worker asks for. */
async function cacheOfWorker(options: Omit<ReadWorkersOptions, "config">): Promise<number> {
  const folder = temporaryFolder();
  const storage = leveldbStorage({ path: folder.path, cacheBytes: 128 * mebibyte });
  const config = new URL("../read-workers/mills.config.mjs", import.meta.url);
  const kernel: Kernel = createKernel({ storage, readWorkers: readWorkers({ ...options, config, fromCost: 0 }), log: { level: "silent" } });
  remove = async () => {
    await kernel.close();
    folder.remove();
  };
  await kernel.open();
  await kernel.deploy("type Mill { name: String }");
  if (storage.readers === undefined) throw new TypeError("the storage has no readers");
  const admit = vi.spyOn(storage.readers, "admit");
  await kernel.execute({ query: "{ queryMill { name } }" });
  expect(admit).toHaveBeenCalledTimes(1);
  return admit.mock.calls[0]?.[0].cacheBytes ?? 0;
}

it.each([
  ["as much as the kernel's storage, when there are few", { count: 2 }, 128],
  ["a share of four such caches, when there are many", { count: 8 }, 64],
  ["a share of what the configuration gives to all", { count: 4, cacheBytes: 400 * mebibyte }, 100],
  ["32 MiB at least", { count: 4, cacheBytes: 1 }, 32],
])("a worker keeps %s", async (_, options, mebibytes) => {
  expect(await cacheOfWorker(options)).toBe(mebibytes * mebibyte);
});
