// The health of this server: the entry in `/health` and in the field `health`.

import { createRequire } from "node:module";
import type { Kernel } from "../../../core/index.ts";
import type { HttpRequest } from "../../../core/transport.ts";
import { defaultPort } from "../config/config.ts";

const version: string = createRequire(import.meta.url)("quern/package.json").version;
const startedAtMs = Date.now();

/** Where the caller has reached this server. Clients display the address and do not connect to it. In the compatible style it is the one that Dgraph shows. */
export function serverAddress({ config }: Pick<Kernel, "config">, { headers }: Pick<HttpRequest, "headers">): string {
  if (config.errors === "compatible") return "localhost:7080";
  return headers.host ?? `localhost:${defaultPort}`;
}

export function nodeHealth(kernel: Pick<Kernel, "config" | "ready">, request: Pick<HttpRequest, "headers">) {
  const now = Date.now();
  return {
    instance: "alpha",
    address: serverAddress(kernel, request),
    status: kernel.ready ? "healthy" : "starting",
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
