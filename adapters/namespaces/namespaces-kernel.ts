// One server with several namespaces: each is a kernel over a store of its own. The kernel of namespace 0 is the server's; the others open when
// a request asks for them.

import { type KernelConfig, type Logger, type Metrics, QuernError, resolveLimits } from "../../core/index.ts";
import { processBudget } from "../../core/server.ts";
import { type EndpointConfig, type ServerKernel, serverKernelWithin, serverRooms } from "../server/index.ts";
import { Host } from "./host.ts";
import type { NamespacesOptions } from "./namespaces.ts";

const defaultMaxOpen = 32;
const defaultIdleMs = 300_000;

/**
 * A kernel that serves several namespaces, for `serve`:
 *
 *     const acl = aclNamespaces({ secretFile: "./acl-secret" });
 *     const configOf = (namespace, all) => ({ plugins: [searchPlugin(), acl.plugin(namespace, all)] });
 *     const stores = leveldbNamespaces({ path: "./data" });
 *     await serve(config, { kernelOf: (own) => namespacesKernel(own, { stores, configOf, namespaceOf: acl.namespaceOf }) });
 *
 * @param config of namespace 0, and of the others what `configOf` leaves
 * @throws QuernError `CONFIG_INVALID`
 */
export function namespacesKernel(config: KernelConfig & EndpointConfig, options: NamespacesOptions): ServerKernel {
  const { stores, configOf, namespaceOf, maxOpen = defaultMaxOpen, idleMs = defaultIdleMs } = options;
  assertFits(config, options);
  const limits = resolveLimits(config.limits);
  const rooms = serverRooms(limits);
  const budget = processBudget(limits);
  const shared = { ...config, budget };
  const host = new Host({
    stores,
    namespaceOf,
    limits,
    budget,
    maxOpen,
    idleMs,
    kernelOf: (namespace) => serverKernelWithin(tenantConfig(shared, namespace, { host, stores, configOf }), rooms),
  });
  const zero = serverKernelWithin({ ...shared, ...configOf(0, host), namespace: host.served(0) }, rooms);
  return host.attachTo(zero);
}

function assertFits({ readWorkers }: KernelConfig, { maxOpen = defaultMaxOpen, idleMs = defaultIdleMs }: NamespacesOptions): void {
  const problem =
    readWorkers === undefined
      ? optionProblem({ maxOpen, idleMs })
      : "Read workers read one store, and this server has one for each namespace; leave readWorkers out, or start it with --workers 0.";
  if (problem !== undefined) throw new QuernError("CONFIG_INVALID", problem);
}

function optionProblem({ maxOpen, idleMs }: Readonly<Record<"maxOpen" | "idleMs", number>>): string | undefined {
  if (!Number.isInteger(maxOpen) || maxOpen < 1) return `maxOpen is ${maxOpen}; it must be a whole number, at least 1.`;
  return idleMs >= 0 ? undefined : `idleMs is ${idleMs}; it must be a number of milliseconds, at least 0.`;
}

interface Making extends Pick<NamespacesOptions, "stores" | "configOf"> {
  readonly host: Host;
}

function tenantConfig(base: KernelConfig & EndpointConfig, namespace: number, { host, stores, configOf }: Making): KernelConfig & EndpointConfig {
  const { log, metrics, admin, ...rest } = base;
  const exports = admin?.exports;
  return {
    ...rest,
    storage: stores.storage(namespace),
    ...configOf(namespace, host),
    ...(log && { log: { ...log, ...(log.to && { to: namingNamespace(log.to, namespace) }) } }),
    ...(metrics && { metrics: countingOnly(metrics) }),
    ...(admin && { admin: { ...admin, ...(exports !== undefined && { exports: `${exports}/namespace-${namespace}` }) } }),
    namespace: host.served(namespace),
  };
}

/** Every line about the namespace says its number. */
function namingNamespace(logger: Logger, namespace: number): Logger {
  return { write: ({ facts, ...entry }) => logger.write({ ...entry, facts: { namespace, ...facts } }) };
}

/** Counts with those of all namespaces. No label names them: their number has no bound. */
function countingOnly({ operation, exchange, commit, expose }: Metrics): Metrics {
  return { ...(operation && { operation }), ...(exchange && { exchange }), ...(commit && { commit }), expose };
}
