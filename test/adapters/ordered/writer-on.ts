// Writes beside a build, in the writer's turn.

import type { Database } from "../../../adapters/ordered/database/database.ts";
import { Writer } from "../../../adapters/ordered/write/writer.ts";
import { ChangeLog } from "../../../adapters/storage-kit/index.ts";

export function writerOn(database: Database): Writer {
  return new Writer({
    maintenance: database.maintenance,
    view: database.writerView,
    log: new ChangeLog(),
    maxChanges: Number.POSITIVE_INFINITY,
    claim: (uid) => database.claimUid(uid),
  });
}
