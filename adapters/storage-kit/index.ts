// What storages share, whatever database they wrap: comparing layouts, change records, refusals in the same words, verification reports.

export { ChangeLog } from "./change-log.ts";
export { CommitFeed, type PublishedCommit } from "./commit-feed.ts";
export * from "./layout-plan.ts";
export { assertTakesOver, endTaken, endViolation, keyTaken, keyViolation, shownValue, tooManyChanges, uidTaken } from "./refusals.ts";
export { VerifyReportBuilder } from "./verify-report-builder.ts";
