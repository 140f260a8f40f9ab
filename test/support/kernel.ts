// A kernel with the standard plugins over a store of its own.

import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { createServerKernel, type EndpointConfig, type KernelConfig, type ServerKernel } from "../../adapters/server/index.ts";
import { ReadersHere } from "./readers-here.ts";
import { newPlace, type Place } from "./storage.ts";

export interface TemporaryKernel {
  /** Open. */
  readonly kernel: ServerKernel;
  /** Closes it and opens one with other settings over the same data, which takes its place. */
  restart(config?: TemporaryConfig): Promise<TemporaryKernel>;
  /** Closes it and removes the data. */
  remove(): Promise<void>;
}

/** What is not named is standard; the admin paths are open to this machine. */
export type TemporaryConfig = Omit<Partial<KernelConfig & EndpointConfig>, "storage">;

export async function temporaryKernel(config: TemporaryConfig = {}): Promise<TemporaryKernel> {
  return kernelAt(await newPlace(), config);
}

/** The same with errors as Dgraph words them, for specs of its texts. */
export async function compatibleKernel(config: TemporaryConfig = {}): Promise<TemporaryKernel> {
  return compatible(await temporaryKernel({ errors: "compatible", ...config }));
}

function compatible(at: TemporaryKernel): TemporaryKernel {
  return {
    ...at,
    restart: async (changed) => compatible(await at.restart(changed && { errors: "compatible", ...changed })),
  };
}

/** With `QUERN_TEST_READERS=1` every query that may leave the kernel is answered by a read kernel, as in a read worker. */
const byReaders = process.env.QUERN_TEST_READERS === "1";

async function kernelAt(place: Place, config: TemporaryConfig): Promise<TemporaryKernel> {
  const plugins = config.plugins ?? standardPlugins();
  const kernel = createServerKernel({
    storage: place.storage(),
    plugins,
    ...(byReaders && { readWorkers: new ReadersHere(plugins) }),
    log: { level: "silent" },
    admin: { open: "loopback" },
    ...config,
  });
  // It has its data alone: other plugins than before may lay them out anew.
  await kernel.open({ replaceLayout: true });
  return {
    kernel,
    async restart(changed = config) {
      await kernel.close();
      return kernelAt(place, changed);
    },
    async remove() {
      await kernel.close();
      await place.remove();
    },
  };
}
