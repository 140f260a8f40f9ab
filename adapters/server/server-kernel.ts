// A kernel with its HTTP surface, for programs that do not use `serve`.

import { createKernel, type Kernel, type KernelConfig, resolveLimits } from "../../core/index.ts";
import { assertNoProblems } from "../../core/plugin.ts";
import type { KernelEndpoint } from "../../core/transport.ts";
import { checkServerKernelConfig } from "./config/check-config.ts";
import { type EndpointConfig, kernelConfigOf } from "./config/config.ts";
import { shortTokens } from "./config/weak-secrets.ts";
import { type ServerRooms, serverRooms } from "./parts/server-rooms.ts";
import { kernelEndpoint } from "./server-endpoint.ts";

/** A kernel that transports can serve. */
export interface ServerKernel extends Kernel, Omit<KernelEndpoint, "unsent"> {
  /** Whether an administrator's export, backup, restore or check runs or waits. */
  hasTasks(): boolean;
}

/**
 * A kernel that answers HTTP requests and WebSockets as plain data.
 *
 *     const kernel = createServerKernel({ storage, plugins, admin: { token } });
 *     await kernel.open();
 *     const { status, body } = await kernel.http({ method: "GET", url: "/health", headers: {}, body: new Uint8Array() });
 *
 * @throws QuernError `CONFIG_INVALID`
 */
export function createServerKernel(config: KernelConfig & EndpointConfig): ServerKernel {
  return serverKernelWithin(config, serverRooms(resolveLimits(config.limits)));
}

/**
 * The same for one of several kernels of a process.
 *
 * @param rooms what they hold for clients together
 */
export function serverKernelWithin(config: KernelConfig & EndpointConfig, rooms: ServerRooms): ServerKernel {
  assertNoProblems(checkServerKernelConfig(config));
  const kernel = createKernel(kernelConfigOf(config));
  const weak = shortTokens(config.admin?.token);
  if (weak !== undefined && (config.namespace?.number ?? 0) === 0) kernel.log.warn("admin-token", weak);
  return Object.assign(kernel, kernelEndpoint(kernel, config, rooms));
}
