// The toolkit for authors of storages, whatever database they wrap.

export { type BuildStep, buildSteps, describeWork, type PlannedStructures } from "./build-steps.ts";
export { ChangeDispatch, type ChangeDispatchOptions, type ChangeHandlers } from "./change-dispatch.ts";
export { ChangeLog } from "./change-log.ts";
export { CommitFeed, type PublishedCommit } from "./commit-feed.ts";
export type { Condition } from "./deploy-conditions.ts";
export { DeployListeners } from "./deploy-listeners.ts";
export { syncFolder, writeDurably } from "./durable.ts";
export { type CarriedLinks, carriedLinks, type EdgeBuild, type EdgeSource, otherSide, storeOfEdge } from "./edge-plan.ts";
export {
  type BuiltStructure,
  type CatalogEnd,
  type CatalogField,
  describeLayout,
  emptyHistory,
  isDeployedLayout,
  type LayoutHistory,
  type LinkStore,
  parseLayout,
} from "./layout-history.ts";
export { type DeployPlan, planDeploy } from "./layout-plan.ts";
export { makeFolder } from "./make-folder.ts";
export { cachedRecord, DeferredRecord, RecordedCommit } from "./recorded-commit.ts";
export {
  assertNoObstacles,
  assertTakesOver,
  endTaken,
  endViolation,
  type KeyGroup,
  type KeyParts,
  keyTaken,
  keyViolation,
  shownValue,
  tooManyChanges,
  uidTaken,
} from "./refusals.ts";
export { SerialQueue } from "./serial-queue.ts";
export { type LifecycleTransitions, StorageLifecycle, storeClosed } from "./storage-lifecycle.ts";
export { type FieldHistory, fieldHistories, StoredField } from "./stored-field.ts";
export { distinctValues, isList, valuesOf, wellFormed } from "./stored-values.ts";
export { misfitText, VerifyReportBuilder } from "./verify-report-builder.ts";
