// What quern start and quern dev share: the stack they serve, and how they end.

import type { QuernConfig, Server } from "../server/index.ts";
import { namedTransport, type TransportName } from "./named-transport.ts";
import { chosenStack, type StackChoice } from "./stack.ts";

export interface ServerOptions extends StackChoice {
  readonly host?: string;
  readonly port?: number;
  /** Takes the place of the configured transports. */
  readonly transport?: TransportName;
  /** False takes the place of what is configured. */
  readonly introspection?: boolean;
}

/** The chosen stack with what the command line says. */
export async function configuredServer(options: ServerOptions): Promise<QuernConfig> {
  const { host, port, transport, introspection } = options;
  return {
    ...(await watched(await chosenStack(options))),
    ...(transport === undefined ? {} : { transports: [await namedTransport(transport)] }),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    // Without --no-introspection the command line says true.
    ...(introspection === false ? { introspection } : {}),
  };
}

/** A server has a log and metrics where its configuration names none. */
async function watched(config: QuernConfig): Promise<QuernConfig> {
  const { log = {}, metrics } = config;
  const to = log.to ?? (await import("../pino/index.ts")).pinoLogger();
  return { ...config, log: { ...log, to }, metrics: metrics ?? (await import("../prometheus/index.ts")).prometheusMetrics() };
}

/** Resolves at the first Ctrl-C or SIGTERM, also one that comes while the server still starts. */
export function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve());
  });
}

/** A second Ctrl-C while requests finish ends the process at once: its handler is gone by then. */
export async function stop(server: Server): Promise<void> {
  console.error("Finishing running requests; press Ctrl-C again to end at once.");
  await server.close();
}
