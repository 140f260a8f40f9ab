// The context of a check.

import type { VerifyReportBuilder } from "../../storage-kit/index.ts";
import type { Database } from "../database/database.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";

/** The context that each part of the check gets. */
export interface Checking {
  readonly database: Database;
  readonly view: EntryView;
  readonly findings: VerifyReportBuilder;
  /** Reports progress and lets others run. */
  tick(what: string, done: number, total: number): Promise<void>;
}
