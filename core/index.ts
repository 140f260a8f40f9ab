// The public kernel: contracts, values, errors, and what plugins and adapters are written with.

export { assertNoProblems, checkKernelConfig, checkServerConfig } from "./config/check-config.ts";
export { type AdminConfig, defaultHost, defaultPort, defineConfig, type KernelConfig, type QuernConfig } from "./config/config.ts";
export { defaultLimits, type Limits, resolveLimits } from "./config/limits.ts";
export { didYouMean } from "./config/near-name.ts";
export * from "./contracts/budget.ts";
export * from "./contracts/change.ts";
export * from "./contracts/change-record.ts";
export * from "./contracts/layout.ts";
export * from "./contracts/plugin.ts";
export * from "./contracts/predicate.ts";
export * from "./contracts/storage.ts";
export * from "./contracts/transport.ts";
export * from "./contracts/values.ts";
export { isReservedWord } from "./deploy/reserved-names.ts";
export { type ErrorCode, errorCodes, type Location, QuernError, type QuernErrorOptions } from "./errors.ts";
export { comparison, type Matcher, type MatcherFacts, matcher, type NodeView } from "./evaluate/matcher.ts";
export { type OrderedRow, rowComparator, top } from "./evaluate/top.ts";
export { parseJson } from "./json/parse-json.ts";
export { writeJson } from "./json/write-json.ts";
export { isPromise } from "./maybe-promise.ts";
export type * from "./model/model.ts";
export { compareText, compareValues, equalValues } from "./values/compare.ts";
export { convertValue, fitsKind } from "./values/convert.ts";
export { compareInstants, type Instant, normalizeDateTime, parseDateTime } from "./values/date-time.ts";
export { formatUid, parseUid } from "./values/uid.ts";
