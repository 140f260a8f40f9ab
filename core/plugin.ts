// What a directive plugin is written with. The entry quern/plugin is `plugins/index.ts`, which adds the toolkit `plugins/remote`.
// The contract is `DirectivePlugin`. `plugins/README.md` is the guide; `directiveConformance` of `quern/conformance` tests a plugin.
/// <reference types="node" preserve="true" />

export { assertNoProblems } from "./config/check-config.ts";
export { checkOptions, isObject, type OptionKind, type OptionKinds, type OptionPlace } from "./config/check-options.ts";
export type * from "./contracts/change.ts";
export type * from "./contracts/change-record.ts";
export type * from "./contracts/layout.ts";
export type * from "./contracts/model.ts";
export type * from "./contracts/plugin/api-additions.ts";
export type * from "./contracts/plugin/background.ts";
export type * from "./contracts/plugin/compile-context.ts";
export type * from "./contracts/plugin/computed-field.ts";
export * from "./contracts/plugin/directive-plugin.ts";
export type * from "./contracts/plugin/execute.ts";
export type * from "./contracts/plugin/field-filter.ts";
export type * from "./contracts/plugin/hooks.ts";
export type * from "./contracts/plugin/kernel-access.ts";
export type * from "./contracts/plugin/level-step.ts";
export type * from "./contracts/plugin/link-filter.ts";
export type * from "./contracts/plugin/link-order.ts";
export type * from "./contracts/plugin/live-engine.ts";
export type * from "./contracts/plugin/model-context.ts";
export type * from "./contracts/plugin/mutation-hooks.ts";
export type * from "./contracts/plugin/outside-data.ts";
export type * from "./contracts/plugin/permissions.ts";
export type * from "./contracts/plugin/query-language.ts";
export type * from "./contracts/plugin/request-view.ts";
export type * from "./contracts/plugin/root-answer.ts";
export type * from "./contracts/plugin/root-field.ts";
export type * from "./contracts/plugin/root-transaction.ts";
export type * from "./contracts/plugin/server-additions.ts";
export type * from "./contracts/plugin/update-member.ts";
export * from "./contracts/predicate.ts";
export type {
  AggregateRequest,
  FindRequest,
  FollowRequest,
  GroupKey,
  GroupRequest,
  LoadRequest,
  Measure,
  Nearest,
  Order,
  OrderKey,
  Page,
  Place,
  TimeUnit,
} from "./contracts/storage/requests.ts";
export type { Batch, Column, Group, Links, MeasureRow } from "./contracts/storage/results.ts";
export type { NodeRef, ReadOptions, Snapshot, Transaction } from "./contracts/storage/snapshot.ts";
export type { HttpRequest, HttpResponse } from "./contracts/transport.ts";
export * from "./ground/index.ts";
export { assertModestPattern, assertModestProgram } from "./ground/values/pattern-size.ts";
export type { Kernel } from "./kernel.ts";
export { kernelAccess } from "./kernel-access.ts";
export { Grouping, groupingColumns, nodesOfGroup } from "./query/evaluate/grouping.ts";
export { comparison, type Matcher, type MatcherFacts, matcher, type NodeView } from "./query/evaluate/matcher.ts";
export { placeAsCondition } from "./query/evaluate/place.ts";
export { tokensTest } from "./query/evaluate/tokens-test.ts";
export { rowComparator } from "./query/evaluate/top.ts";
export { type TopRequest, topInSteps } from "./query/evaluate/top-in-steps.ts";
export { type LayoutIndex, layoutIndexOf } from "./query/layout-index/layout-index.ts";
export type { LookupSlot } from "./query/layout-index/lookup-slots.ts";
export { cascadeFieldsRule } from "./query/plan/cascade-fields-rule.ts";
export { type ComparedField, type ComparedFields, mergeAlternatives, mergeConjuncts } from "./query/plan/merge-comparisons.ts";
export { printPredicate } from "./query/plan/print-predicate.ts";
export { scanGroups } from "./query/powers/scan-groups.ts";
export { type ValueCheck, valueCheck } from "./query/write/complete-json.ts";
export type { OutputMeasure } from "./schema/api/api.ts";
export { aggregateMeasures } from "./schema/api/outputs/aggregate.ts";
export { argumentText, listArguments } from "./schema/api/outputs/arguments.ts";
export type { PreparedDeployment } from "./schema/deployment/deployment.ts";
export { withoutLocation } from "./schema/document/problems.ts";
export { isReservedWord } from "./schema/document/reserved-names.ts";
export { withFrozenArguments } from "./schema/plugins/frozen-arguments.ts";
export { maskLiterals } from "./telemetry/mask-literals.ts";
