// A server whose queries all run in read workers, with little memory for each. Each thread loads this file, too.

import { standardStack } from "quern/adapters/cli";
import { readWorkers } from "quern/adapters/read-workers";

export default {
  ...standardStack(),
  readWorkers: readWorkers({
    count: 2,
    config: import.meta.url,
    fromCost: 0,
    cacheBytes: 1,
    maxHeapBytes: 32 << 20,
    ...(process.env.IDLE_MS && { idleMs: Number(process.env.IDLE_MS) }),
  }),
};
