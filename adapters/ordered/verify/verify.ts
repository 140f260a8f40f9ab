// Checks all structures against each other. Records decide about nodes; links exist if either side has them and both nodes exist.

import { type MigrationStep, QuernError, turnsOf, type VerifyOptions, type VerifyReport } from "../../../core/storage.ts";
import { VerifyReportBuilder } from "../../storage-kit/index.ts";
import type { Database } from "../database/database.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import { checkEntries } from "./check-entries.ts";
import { checkLinks } from "./check-links.ts";
import { checkNearest } from "./check-nearest.ts";
import { checkNodes } from "./check-nodes.ts";
import { checkTypes } from "./check-types.ts";
import type { Checking } from "./checking.ts";
import { kindOfCell } from "./damage-kind.ts";

/** Repairs run in the writer's turn and are one commit; a check alone reads a view, and writes go on. */
export async function verify(database: Database, { repair = false, progress }: VerifyOptions): Promise<VerifyReport> {
  if (database.catalog.document !== undefined && database.schema.layout.types.length === 0) {
    throw new QuernError("NO_SCHEMA", "hand in the layout first: the check needs its tokenizers", {
      hint: "Call migrate with the deployed document.",
    });
  }
  const findings = new VerifyReportBuilder({ repairs: repair });
  if (!repair) {
    const view = database.read();
    try {
      await checkAll(checkingOf(database, view, findings, progress));
    } finally {
      view.close();
    }
    return findings.report();
  }
  await database.dropBuild();
  await database.write(async () => {
    await database.engine.settled();
    await checkAll(checkingOf(database, database.writerView, findings, progress));
    return { result: undefined, wrote: findings.mended };
  });
  return findings.report();
}

function checkingOf(
  database: Database,
  view: EntryView,
  findings: VerifyReportBuilder,
  progress: ((step: MigrationStep) => void) | undefined,
): Checking {
  const turns = turnsOf(undefined);
  return {
    database,
    view: tolerant(database, view, findings),
    findings,
    async tick(what, done, total) {
      progress?.({ what, done, total });
      if (turns.isTurnOver) await turns.turn();
    },
  };
}

/** The same view, in which damaged entries are reported and read as absent: their content is repaired like missing data. */
function tolerant(database: Database, view: EntryView, findings: VerifyReportBuilder): EntryView {
  const reported = new Set<string>();
  return {
    at: view.at,
    storeView: () => view.storeView(),
    pinnedView: () => view.pinnedView(),
    damaged(key, mend) {
      if (reported.has(key)) return;
      reported.add(key);
      findings.fault(kindOfCell(database.schema, key), `${database.engine.nameOf(key)} cannot be read (entry ${JSON.stringify(key)})`, mend);
    },
  };
}

async function checkAll(checking: Checking): Promise<void> {
  await checkTypes(checking);
  const expected = await checkNodes(checking);
  await checkEntries(checking, expected);
  await checkNearest(checking);
  await checkLinks(checking);
}
