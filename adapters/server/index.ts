// The package's main entry: a kernel to embed, and a server to configure.

export * from "../../core/index.ts";
export { collectWhenIdle } from "../idle-memory/index.ts";
export {
  type BulkBatch,
  type BulkLinks,
  type BulkOptions,
  type BulkTarget,
  type BulkWriter,
  bulkWriter,
  type GatheredLinks,
} from "../transfer/index.ts";
export { checkServerConfig } from "./config/check-config.ts";
export {
  type AdminConfig,
  type ApiKey,
  defaultHost,
  defaultPort,
  defineConfig,
  type EndpointConfig,
  kernelConfigOf,
  type NamespaceStores,
  type NamespacesConfig,
  type QuernConfig,
  type ServedNamespace,
} from "./config/config.ts";
export { type ServerRooms, serverRooms } from "./parts/server-rooms.ts";
export { type ServeOptions, type Server, serve } from "./serve.ts";
export { serverEndpoint } from "./server-endpoint.ts";
export { createServerKernel, type ServerKernel, serverKernelWithin } from "./server-kernel.ts";
