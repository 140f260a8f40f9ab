// What the server layer and the command line of this package are built with. It is no entry of the package, and may change with every version.

export { assertNoProblems, checkConfig, checkKernelConfig, type MoreOptions } from "./config/check-config.ts";
export { checkOptions, isObject, type OptionKind, type OptionKinds, type OptionPlace } from "./config/check-options.ts";
export type { KernelObserver } from "./contracts/kernel-observer.ts";
export { limitsCallers } from "./ground/limits.ts";
export { kernelAccess } from "./kernel-access.ts";
export { printPlan } from "./query/plan/print.ts";
export { brokenText, findBrokenDocuments } from "./request/broken-documents.ts";
export { chooseOperation, isEmptyDocument, unknownOperation } from "./request/choose-operation.ts";
export { coerceVariables } from "./request/coerce-variables.ts";
export { operationsOf } from "./request/documents.ts";
export { drainingText } from "./request/draining.ts";
export { writeEnvelope } from "./request/envelope.ts";
export { panicText } from "./request/faults.ts";
export { InputReaders } from "./request/input-reader.ts";
export { subscriptionText } from "./request/no-schema.ts";
export { readOnlyPageText } from "./request/refusal.ts";
export { type ApiChange, apiChanges } from "./schema/deployment/api-changes.ts";
export { type Origin, originsOf } from "./schema/deployment/origins.ts";
export { type Renamed, renamedThings } from "./schema/deployment/renamed.ts";
export { type Unreachable, unreachableText } from "./schema/deployment/unreachable.ts";
export { withoutLocation } from "./schema/document/problems.ts";
export type { LiveReport } from "./subscriptions/live-report.ts";
export { Gauges } from "./telemetry/gauges.ts";
export { Log, openLog } from "./telemetry/log.ts";
export type { RequestsReport } from "./telemetry/recent-requests.ts";
export { Telemetry } from "./telemetry/telemetry.ts";
