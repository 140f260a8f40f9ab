// The health of this server: the entry in `/health` and in the field `health`.

import { createRequire } from "node:module";

const version: string = createRequire(import.meta.url)("quern/package.json").version;
const startedAtMs = Date.now();

/** Fixed: clients display the address and do not connect to it. */
export const serverAddress = "localhost:7080";

export function nodeHealth({ ready }: { readonly ready: boolean }) {
  const now = Date.now();
  return {
    instance: "alpha",
    address: serverAddress,
    status: ready ? "healthy" : "starting",
    group: "1",
    version,
    /** Seconds. */
    uptime: Math.floor((now - startedAtMs) / 1000),
    /** Seconds since 1970. */
    lastEcho: Math.floor(now / 1000),
    ongoing: [],
    indexing: [],
    ee_features: [],
  };
}
