// The public kernel: contracts, values, errors, and what plugins and adapters are written with.
// Our declarations use Node's types, and a configuration reads `process.env`. TypeScript adds no types by itself.
/// <reference types="node" preserve="true" />

export { type HttpServerOptions, listenHttp } from "../adapters/node-http/http-server.ts";
export { type WebSockets, type WebSocketsOptions, webSockets } from "../adapters/node-http/web-sockets.ts";
export { type Server, serve } from "../adapters/server/serve.ts";
export { ChangeLog } from "../adapters/storage-kit/change-log.ts";
export { CommitFeed, type ToldCommit } from "../adapters/storage-kit/commit-feed.ts";
export * from "../adapters/storage-kit/layout-plan.ts";
export {
  assertTakesOver,
  endTaken,
  endViolation,
  keyTaken,
  keyViolation,
  shownValue,
  tooManyChanges,
  uidTaken,
} from "../adapters/storage-kit/refusals.ts";
export { Findings } from "../adapters/storage-kit/verify-report-builder.ts";
export { assertNoProblems, checkKernelConfig, checkServerConfig } from "./config/check-config.ts";
export { checkOptions, type OptionKind, type OptionKinds, type OptionPlace } from "./config/check-options.ts";
export { type AdminConfig, type ApiKey, defaultHost, defaultPort, defineConfig, type KernelConfig, type QuernConfig } from "./config/config.ts";
export * from "./contracts/budget.ts";
export * from "./contracts/change.ts";
export * from "./contracts/change-record.ts";
export * from "./contracts/layout.ts";
export * from "./contracts/logger.ts";
export * from "./contracts/metrics.ts";
export type * from "./contracts/model.ts";
export * from "./contracts/plugin.ts";
export * from "./contracts/predicate.ts";
export * from "./contracts/storage.ts";
export * from "./contracts/transport.ts";
export { type ErrorCode, errorCodes, type Location, QuernError, type QuernErrorOptions } from "./ground/errors.ts";
export { parseJson } from "./ground/json/parse-json.ts";
export { writeJson } from "./ground/json/write-json.ts";
export { defaultLimits, type Limits, resolveLimits } from "./ground/limits.ts";
export { allOf, andThen, isPromise, rescued } from "./ground/maybe-promise.ts";
export { didYouMean } from "./ground/near-name.ts";
export { compareText, compareValues, equalValues } from "./ground/values/compare.ts";
export { convertValue, fitsKind } from "./ground/values/convert.ts";
export { compareInstants, type Instant, normalizeDateTime, parseDateTime } from "./ground/values/date-time.ts";
export { formatUid, parseUid } from "./ground/values/uid.ts";
export * from "./ground/values/value.ts";
export { isWellFormed, type MalformedText, malformedTexts } from "./ground/values/well-formed.ts";
export { createKernel, type Kernel } from "./kernel.ts";
export { prepareDeployment } from "./prepare-deployment.ts";
export { comparison, type Matcher, type MatcherFacts, matcher, type NodeView } from "./query/evaluate/matcher.ts";
export { type OrderedRow, rowComparator, top } from "./query/evaluate/top.ts";
export { cascadeFieldsRule } from "./query/plan/cascade-fields-rule.ts";
export { printPlan } from "./query/plan/print.ts";
export type { GraphQLAnswer, GraphQLRequest } from "./request/request.ts";
export { type ApiChange, apiChanges } from "./schema/deployment/api-changes.ts";
export type { DeployComparison } from "./schema/deployment/compare-deployment.ts";
export type { PreparedDeployment } from "./schema/deployment/deployment.ts";
export type { DeployOptions, OpenOptions, ValidateOptions } from "./schema/deployment/deployments.ts";
export { type Origin, originsOf } from "./schema/deployment/origins.ts";
export { type Renamed, renamedThings } from "./schema/deployment/renamed.ts";
export { type Unreachable, unreachableText } from "./schema/deployment/unreachable.ts";
export { withoutPlace } from "./schema/document/problems.ts";
export { isReservedWord } from "./schema/document/reserved-names.ts";
export type { LiveAnswer } from "./subscriptions/iterate.ts";
export type * from "./subscriptions/live.ts";
export { Gauges } from "./telemetry/gauges.ts";
export { Log, type LogConfig, logLevels, openLog } from "./telemetry/log.ts";
export { maskLiterals } from "./telemetry/mask-literals.ts";
