// How this server is: one entry for `/health` and for the administration's `health`.

import { createRequire } from "node:module";

const version: string = createRequire(import.meta.url)("quern/package.json").version;
const startedAtMs = Date.now();

/** A fixed text: clients of this API show it and connect to nothing by it. */
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
