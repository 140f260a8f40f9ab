// The kernel, for who embeds and configures it: `createKernel`, its configuration, requests, answers and live queries.
// Authors of plugins, storages and transports import `plugin.ts`, `storage.ts` and `transport.ts` beside this file.
// Our declarations use Node's types, and a configuration reads `process.env`. TypeScript adds no types by itself.
/// <reference types="node" preserve="true" />

export type { KernelConfig } from "./config/config.ts";
export type { KernelObserver } from "./contracts/kernel-observer.ts";
export * from "./contracts/logger.ts";
export * from "./contracts/metrics.ts";
export type { LiveError, LiveReport } from "./contracts/plugin/live-engine.ts";
export type * from "./contracts/read-workers.ts";
export * from "./ground/index.ts";
export { type CallerLimits, defaultLimits, type LimitOptions, type Limits, type PersistedQueryLimits, resolveLimits } from "./ground/limits.ts";
export type { Kernel } from "./kernel.ts";
export { prepareDeployment } from "./prepare-deployment.ts";
export type { ResponseError } from "./query/operation-context.ts";
export { createReadKernel, type ReadKernel, type ReadKernelConfig } from "./read-kernel.ts";
export type { CallerRights, GraphQLAnswer, GraphQLRequest } from "./request/caller/request.ts";
export { createKernel } from "./running-kernel.ts";
export type { ApiChange } from "./schema/deployment/api-changes.ts";
export type { BrokenDocument, DeployComparison } from "./schema/deployment/compare-deployment.ts";
export type { PastDeploy } from "./schema/deployment/deploy-history.ts";
export type { Deployment, PreparedDeployment, StoredLayout } from "./schema/deployment/deployment.ts";
export type { DeployOptions, OpenOptions, ValidateOptions } from "./schema/deployment/options.ts";
export type { Renamed } from "./schema/deployment/renamed.ts";
export type { Unreachable } from "./schema/deployment/unreachable.ts";
export type { SchemaSettings } from "./schema/document/settings.ts";
export type { LiveAnswer } from "./subscriptions/iterate.ts";
export type * from "./subscriptions/live.ts";
export type { Gauges } from "./telemetry/gauges.ts";
export { type Log, type LogConfig, logLevels } from "./telemetry/log.ts";
export { maskLiterals } from "./telemetry/mask-literals.ts";
export type { Telemetry } from "./telemetry/telemetry.ts";
