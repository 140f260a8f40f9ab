// The public kernel: contracts, values, errors, and what plugins and adapters are written with.
// Our declarations use Node's types, and a configuration reads `process.env`. TypeScript adds no types by itself.
/// <reference types="node" preserve="true" />

export { assertNoProblems, checkConfig, checkKernelConfig, type MoreOptions } from "./config/check-config.ts";
export { checkOptions, isObject, type OptionKind, type OptionKinds, type OptionPlace } from "./config/check-options.ts";
export type { KernelConfig } from "./config/config.ts";
export type * from "./contracts/background.ts";
export * from "./contracts/budget.ts";
export * from "./contracts/change.ts";
export * from "./contracts/change-record.ts";
export type * from "./contracts/execute.ts";
export type * from "./contracts/field-filter.ts";
export type * from "./contracts/kernel-access.ts";
export type { KernelObserver } from "./contracts/kernel-observer.ts";
export * from "./contracts/layout.ts";
export type * from "./contracts/link-filter.ts";
export type * from "./contracts/link-order.ts";
export * from "./contracts/logger.ts";
export * from "./contracts/metrics.ts";
export type * from "./contracts/model.ts";
export type * from "./contracts/permissions.ts";
export * from "./contracts/plugin.ts";
export * from "./contracts/predicate.ts";
export type * from "./contracts/query-language.ts";
export type * from "./contracts/server-additions.ts";
export * from "./contracts/storage.ts";
export * from "./contracts/transport.ts";
export { type ErrorCode, errorCodes, type Location, QuernError, type QuernErrorOptions } from "./ground/errors.ts";
export { parseJsonInTurns } from "./ground/json/parse-in-turns.ts";
export { parseAnswer, parseJson } from "./ground/json/parse-json.ts";
export { writeJson } from "./ground/json/write-json.ts";
export {
  type CallerLimits,
  defaultLimits,
  type LimitOptions,
  type Limits,
  limitsCallers,
  type PersistedQueryLimits,
  resolveLimits,
} from "./ground/limits.ts";
export { allOf, andThen, isPromise, rescued } from "./ground/maybe-promise.ts";
export { didYouMean } from "./ground/near-name.ts";
export { isStackOverflow, tooDeep } from "./ground/too-deep.ts";
export { nextTurn, TurnClock } from "./ground/turns.ts";
export { compareText, compareValues, equalValues, isGeometry } from "./ground/values/compare.ts";
export { convertValue, fitsKind } from "./ground/values/convert.ts";
export { compareInstants, type Instant, normalizeDateTime, parseDateTime } from "./ground/values/date-time.ts";
export { sameStored } from "./ground/values/same-stored.ts";
export { formatUid, parseUid } from "./ground/values/uid.ts";
export * from "./ground/values/value.ts";
export * from "./ground/values/vector.ts";
export { isWellFormed, type MalformedText, malformedTexts } from "./ground/values/well-formed.ts";
export { createKernel, type Kernel } from "./kernel.ts";
export { kernelAccess } from "./kernel-access.ts";
export { prepareDeployment } from "./prepare-deployment.ts";
export { comparison, type Matcher, type MatcherFacts, matcher, type NodeView } from "./query/evaluate/matcher.ts";
export { compareHits, type Hit, NearestList } from "./query/evaluate/nearest-list.ts";
export { type OrderedRow, rowComparator, topK } from "./query/evaluate/top.ts";
export type { ResponseError } from "./query/operation-context.ts";
export { cascadeFieldsRule } from "./query/plan/cascade-fields-rule.ts";
export { printPlan } from "./query/plan/print.ts";
export { printPredicate } from "./query/plan/print-predicate.ts";
export { valueProblem } from "./query/read/complete-json.ts";
export { isAddressPattern } from "./remote/address-list.ts";
export { AddressPolicy, type PolicyOptions } from "./remote/address-policy.ts";
export { HttpClient, type HttpClientOptions, type SendOptions } from "./remote/http-client.ts";
export { RemoteFailure, reasonOf } from "./remote/remote-failure.ts";
export type { RemoteReply, RemoteRequest } from "./remote/remote-request.ts";
export { brokenText, findBrokenDocuments } from "./request/broken-documents.ts";
export { chooseOperation, isEmptyDocument, unknownOperation } from "./request/choose-operation.ts";
export { coerceVariables } from "./request/coerce-variables.ts";
export { operationsOf } from "./request/documents.ts";
export { drainingText } from "./request/draining.ts";
export { writeEnvelope } from "./request/envelope.ts";
export { panicText } from "./request/faults.ts";
export { subscriptionText } from "./request/no-schema.ts";
export { readOnlyPageText } from "./request/refusal.ts";
export type { CallerRights, GraphQLAnswer, GraphQLRequest } from "./request/request.ts";
export { type ApiChange, apiChanges } from "./schema/deployment/api-changes.ts";
export type { BrokenDocument, DeployComparison } from "./schema/deployment/compare-deployment.ts";
export type { Deployment, PreparedDeployment } from "./schema/deployment/deployment.ts";
export type { DeployOptions, OpenOptions, ValidateOptions } from "./schema/deployment/deployments.ts";
export { type Origin, originsOf } from "./schema/deployment/origins.ts";
export { type Renamed, renamedThings } from "./schema/deployment/renamed.ts";
export { type Unreachable, unreachableText } from "./schema/deployment/unreachable.ts";
export { withoutLocation } from "./schema/document/problems.ts";
export { isReservedWord } from "./schema/document/reserved-names.ts";
export type { SchemaSettings } from "./schema/document/settings.ts";
export type { LiveAnswer } from "./subscriptions/iterate.ts";
export type * from "./subscriptions/live.ts";
export { Gauges } from "./telemetry/gauges.ts";
export { Log, type LogConfig, logLevels, openLog } from "./telemetry/log.ts";
export { maskLiterals } from "./telemetry/mask-literals.ts";
export { Telemetry } from "./telemetry/telemetry.ts";
