// Moving data in and out of a store: exports of Dgraph and our own.

export type { Analysis } from "./import/analyse.ts";
export type { Finding, FindingKind, Sample } from "./import/findings.ts";
export { findingsTable } from "./import/findings-text.ts";
export { analyseExport, type FinishedAnalysis, type ImportOutcome, importExport, type StepProgress } from "./import/import-export.ts";
export { makeScratch, megabytes, removeScratch, scratchBytes } from "./import/scratch.ts";
export { type DgraphExport, missingPredicates, openExport } from "./source/export-folder.ts";
export { schemaIn } from "./source/old-schema.ts";
