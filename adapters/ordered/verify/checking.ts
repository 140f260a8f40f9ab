// What the parts of the check share.

import type { VerifyReportBuilder } from "../../storage-kit/index.ts";
import type { Database } from "../database.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";

/** What every part of the check works with. */
export interface Checking {
  readonly database: Database;
  readonly view: EntryView;
  readonly findings: VerifyReportBuilder;
  /** Says how far a part is and lets others run. */
  tick(what: string, done: number, total: number): Promise<void>;
}
