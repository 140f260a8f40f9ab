// Moving data in and out of a store: exports of Dgraph and our own.

export { makeFolder } from "../storage-kit/index.ts";
export { type BackupRequest, makeBackup } from "./backup/make-backup.ts";
export { type Backup, chooseBackup, readManifest } from "./backup/manifest.ts";
export { type RestoreRequest, restoreBackup } from "./backup/restore-backup.ts";
export { type BackupFault, verifyBackups } from "./backup/verify-backup.ts";
export {
  type BulkBatch,
  type BulkLinks,
  type BulkOptions,
  type BulkTarget,
  type BulkWriter,
  bulkWriter,
  type GatheredBatch,
  type GatheredLinks,
} from "./bulk/bulk-writer.ts";
export type { KeyedLinks } from "./bulk/keyed-links.ts";
export { type AskGraph, compareGraphs, type GraphComparison } from "./compare/compare-graphs.ts";
export { missingInSchema, readDqlSchema } from "./export/compare-schema.ts";
export { type ExportFacts, interruptedExports, removeInterrupted } from "./export/export-draft.ts";
export type { ExportFormat } from "./export/forms.ts";
export { type ExportOutcome, type ExportRequest, type ExportStep, writeExport } from "./export/write-export.ts";
export { codeOf } from "./files/write-failure.ts";
export type { Analysis } from "./import/analyse.ts";
export type { UpdateCounts } from "./import/compare-store.ts";
export { findingsTable } from "./import/findings-text.ts";
export {
  analyseExport,
  type FinishedAnalysis,
  type ImportDestination,
  type ImportOutcome,
  importExport,
  kernelDestination,
  type StepProgress,
} from "./import/import-export.ts";
export { makeScratch, megabytes, removeScratch, removeUnfinishedScratch, scratchBytes } from "./import/scratch.ts";
export { Target } from "./import/target.ts";
export { remoteImportStore, runImportCall } from "./import/wire.ts";
export { openImportStore } from "./import/write-store.ts";
export { proposeSchema } from "./propose/propose-schema.ts";
export { sampleData } from "./propose/sample-data.ts";
export { type ExportSource, missingPredicates, openDgraphExport } from "./source/export-folder.ts";
export type { Finding, FindingKind, Sample } from "./source/findings.ts";
export { schemaIn } from "./source/old-schema.ts";
export { isOwnExport, openOwnExport } from "./source/own-export.ts";
