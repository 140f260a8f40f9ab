// Shared by quern start and quern dev: the configuration of the server, and its shutdown.

import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { readWorkers } from "../../read-workers/index.ts";
import type { QuernConfig, Server } from "../../server/index.ts";
import { grpcOn, namedTransport, type TlsChoice, type TransportName, tlsOptions } from "./named-transport.ts";
import { moduleFile } from "./own-modules.ts";
import { chosenStack, type StackChoice } from "./stack.ts";

export interface ServerOptions extends StackChoice, TlsChoice {
  readonly host?: string;
  readonly port?: number;
  /** Replaces the configured transports. */
  readonly transport?: TransportName;
  /** A port for clients that speak gRPC, beside the transports. */
  readonly grpc?: number;
  /** The layout of this server's plugins may replace the deployed one. */
  readonly takeOver?: boolean;
  /** False overrides the configuration; true does not. */
  readonly introspection?: boolean;
}

/** The stack with the options of the command line. */
export async function configuredServer(options: ServerOptions): Promise<QuernConfig> {
  const { host, port, transport, grpc, introspection } = options;
  const tls = tlsOptions(options);
  const stack = await withTelemetry(await chosenStack(options));
  const transports = transport === undefined && tls === undefined ? stack.transports : [await namedTransport(transport ?? "ws", tls)];
  return {
    ...stack,
    transports: grpc === undefined ? transports : [...transports, await grpcOn(grpc, tls)],
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    // Without --no-introspection commander sets true.
    ...(introspection === false ? { introspection } : {}),
  };
}

/** The same with threads that run long queries, if the storage can be read by several; the command line comes before the configuration. */
export function withReadWorkers(config: QuernConfig, { workers, ...options }: WorkersChoice): QuernConfig {
  const count = workers ?? config.workers ?? availableParallelism() - 1;
  if (count === 0 || config.readWorkers !== undefined || config.storage.readers === undefined) return config;
  const { config: file, data, lambdaUrl } = options;
  const argument: StackChoice = {
    ...(file !== undefined && { config: file }),
    ...(data !== undefined && { data }),
    ...(lambdaUrl !== undefined && { lambdaUrl }),
  };
  const module = pathToFileURL(moduleFile("adapters/cli/stack/reader-config"));
  return { ...config, readWorkers: readWorkers({ count, config: module, argument, collectWhenIdle: config.collectWhenIdle ?? true }) };
}

export interface WorkersChoice extends StackChoice {
  /** How many threads; 0: none. */
  readonly workers?: number;
}

/** Adds the default log and metrics if the configuration has none. */
async function withTelemetry(config: QuernConfig): Promise<QuernConfig> {
  const { log = {}, metrics } = config;
  const to = log.to ?? (await import("../../pino/index.ts")).pinoLogger();
  return { ...config, log: { ...log, to }, metrics: metrics ?? (await import("../../prometheus/index.ts")).prometheusMetrics() };
}

/** Resolves at the first SIGINT or SIGTERM. Call it before the server starts, to catch an early signal. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve());
  });
}

/** Closes the server gracefully. A second Ctrl-C ends the process at once, because the first one removed the handler. */
export async function stop(server: Pick<Server, "close">): Promise<void> {
  console.error("Finishing running requests; press Ctrl-C again to end at once.");
  await server.close();
}
