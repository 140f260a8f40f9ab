// The standard stack on a LevelDB of its own in a temporary folder.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { standardPlugins } from "../../adapters/cli/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import type { KernelConfig } from "../../core/config/config.ts";
import { createKernel, type Kernel } from "../../core/kernel.ts";

export interface TemporaryKernel {
  readonly kernel: Kernel;
  remove(): Promise<void>;
}

export async function temporaryKernel(config: Partial<KernelConfig> = {}): Promise<TemporaryKernel> {
  const path = await mkdtemp(join(tmpdir(), "quern-"));
  const kernel = createKernel({ storage: leveldbStorage({ path }), plugins: standardPlugins(), ...config });
  await kernel.open();
  return {
    kernel,
    async remove() {
      await kernel.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}
