// Starts a configured server: kernel, schema, transports. Stops it in the opposite order.

import { type DeployOptions, type Kernel, type KernelConfig, type OpenOptions, QuernError } from "../../core/index.ts";
import { assertNoProblems } from "../../core/plugin.ts";
import type { Listening } from "../../core/transport.ts";

import { checkServerConfig } from "./config/check-config.ts";
import { defaultHost, defaultPort, type EndpointConfig, type QuernConfig } from "./config/config.ts";
import { createServerKernel, type ServerKernel } from "./server-kernel.ts";

/** A listening server. */
export interface Server {
  readonly kernel: ServerKernel;
  /** One URL for each transport, such as `http://127.0.0.1:8080`. */
  readonly urls: readonly string[];
  /** Accepts no new requests, lets running ones finish for `graceMs` (default 5,000), then closes the store. A second call waits for the first. */
  close(graceMs?: number): Promise<void>;
  /** Resolves when the server has been closed, by `close` or by an administrator. */
  readonly closed: Promise<void>;
}

/** Options of `serve`. */
export interface ServeOptions extends DeployOptions, Pick<OpenOptions, "replaceLayout"> {
  /** Makes the kernel. Default: `createServerKernel`. */
  readonly kernelOf?: (config: KernelConfig & EndpointConfig) => ServerKernel;
}

/**
 * Opens the store, deploys `config.schema` when it differs from the deployed schema, and listens. Resolves when the server accepts
 * requests. When a step fails, the earlier ones are undone.
 *
 * @param options how to report the progress of the deploy; whether the layout of these plugins may replace the deployed one
 * @throws QuernError `CONFIG_INVALID`, `SCHEMA_INVALID`, `MIGRATION_REFUSED`, `ADDRESS_IN_USE`, `ADDRESS_UNAVAILABLE`, or an error of the store
 */
export async function serve(
  config: QuernConfig,
  { replaceLayout = false, kernelOf = createServerKernel, ...options }: ServeOptions = {},
): Promise<Server> {
  assertNoProblems(checkServerConfig(config));
  const {
    transports,
    schema,
    host = defaultHost,
    port = defaultPort,
    workers: _workers,
    collectWhenIdle: _collectWhenIdle,
    namespaces,
    ...own
  } = config;
  if (namespaces !== undefined && kernelOf === createServerKernel) throw needsNamespacesKernel();
  for (const plugin of own.plugins ?? []) plugin.serving?.({ host });
  const kernel = kernelOf(own);
  await kernel.open({ replaceLayout });
  const listening: Listening[] = [];
  try {
    if (schema !== undefined && schema !== kernel.deployment?.document) await kernel.deploy(schema, options);
    for (const [index, transport] of transports.entries()) {
      listening.push(await transport.listen(kernel, { host, port: port === 0 ? 0 : port + index }));
    }
  } catch (error) {
    await closeAll(listening, kernel, 0).catch((thrown) => kernel.log.fault(thrown, { where: "start" }));
    throw error;
  }
  kernel.log.info("start", `listening on ${listening.map(({ url }) => url).join(", ")}`, { urls: listening.map(({ url }) => url), pid: process.pid });
  return running(kernel, listening);
}

function needsNamespacesKernel(): QuernError {
  return new QuernError(
    "CONFIG_INVALID",
    "This configuration has namespaces. Start it with quern start --acl-secret <file>, or pass serve a kernelOf that calls namespacesKernel of quern/adapters/namespaces.",
  );
}

function running(kernel: ServerKernel, listening: readonly Listening[]): Server {
  let closing: Promise<void> | undefined;
  let settle: (ending: Promise<void>) => void = () => {};
  const closed = new Promise<void>((resolve) => (settle = resolve));
  const close = (graceMs = 5_000) => {
    closing ??= closeAll(listening, kernel, graceMs);
    settle(closing);
    return closing;
  };
  // A failure reaches the callers that await `close()` or `closed`; it is no unhandled rejection when none does.
  closed.catch(() => undefined);
  kernel.onShutdown(() => void close().catch((thrown) => kernel.log.fault(thrown)));
  return { kernel, urls: listening.map(({ url }) => url), close, closed };
}

async function closeAll(listening: readonly Listening[], kernel: Kernel, graceMs: number): Promise<void> {
  if (listening.length > 0) kernel.log.info("stop", "no more requests are taken", { graceMs });
  const closed = await Promise.allSettled(listening.map((each) => each.close(graceMs)));
  await kernel.close();
  for (const each of closed) if (each.status === "rejected") throw each.reason;
}
