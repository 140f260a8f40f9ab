// Entry quern/storage: what a storage adapter is written with.
// The contract is `Storage`. `adapters/storages.md` is the guide; `storageConformance` of `quern/conformance` tests an adapter.
/// <reference types="node" preserve="true" />

export { type Budget, turnsOf } from "./contracts/budget.ts";
export type * from "./contracts/change.ts";
export type * from "./contracts/change-record.ts";
export type * from "./contracts/layout.ts";
export * from "./contracts/predicate.ts";
export type * from "./contracts/storage/check.ts";
export type * from "./contracts/storage/files.ts";
export type * from "./contracts/storage/migration.ts";
export type * from "./contracts/storage/requests.ts";
export type * from "./contracts/storage/results.ts";
export type * from "./contracts/storage/snapshot.ts";
export type * from "./contracts/storage/storage.ts";
export type * from "./contracts/storage/trouble.ts";
export * from "./ground/index.ts";
export { Retries } from "./ground/retries.ts";
export { startOfUnit } from "./ground/values/time-unit.ts";
export { FieldMeasures } from "./query/evaluate/field-measures.ts";
export { Grouping, groupKeyReader, nodesOfGroup } from "./query/evaluate/grouping.ts";
export { comparison, type Matcher, type MatcherFacts, matcher, type NodeView } from "./query/evaluate/matcher.ts";
export { compareHits, type Hit, NearestList } from "./query/evaluate/nearest-list.ts";
export { afterPlace } from "./query/evaluate/place.ts";
export { tokensTest } from "./query/evaluate/tokens-test.ts";
export { type OrderedRow, rowComparator, rowsAfter, topK } from "./query/evaluate/top.ts";
export { selectInSteps, type TopRequest, topInSteps } from "./query/evaluate/top-in-steps.ts";
