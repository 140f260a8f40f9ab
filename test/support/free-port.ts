// A port for a server that another process opens later, or again. Not one of those that the system hands out: another process that opens any
// free port, or connects to somebody, might have it by then.

import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below 32,768, where Linux begins to hand out ports; others begin higher. */
const [lowest, above] = [20_000, 32_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, above);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
