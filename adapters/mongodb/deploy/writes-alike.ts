// Servers of an earlier version may write without the locks that those of this one rely on. So the catalog has a format, which says how its servers write.

import { type MigrateOptions, QuernError } from "../../../core/storage.ts";
import { type Catalog, formatVersion } from "../layout/catalog.ts";

/** @throws `MIGRATION_REFUSED` to a server that starts on a database whose servers write in an earlier way */
export function assertWritesAlike({ format, document }: Catalog, { takeOver }: { readonly takeOver: MigrateOptions["takeOver"] }): void {
  if (takeOver !== "follow" || document === undefined || format === formatVersion) return;
  throw new QuernError(
    "MIGRATION_REFUSED",
    `the database has format ${format}, of an earlier version, whose servers may run and write in another way`,
    {
      hint: `Stop them, then start this server with --take-over (kernel.open({ replaceLayout: true })): the database gets format ${formatVersion}, which they refuse.`,
    },
  );
}
