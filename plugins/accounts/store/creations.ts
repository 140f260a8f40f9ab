// Rows whose creation changes the profile of their user in the same commit.

import { QuernError, type Transaction } from "../../../core/plugin.ts";
import type { AdapterParts } from "./adapter.ts";
import { type HiddenRows, is } from "./hidden-rows.ts";
import type { Row } from "./rows.ts";
import { profileTable } from "./tables.ts";

export function creationsIn(rows: HiddenRows): Readonly<Record<"account" | "session", (values: Row) => Promise<Row>>> {
  return {
    /** With a way to sign in, a sign-up has finished. */
    account: async (values) => {
      await rows.transact(async (tx) => {
        await rows.createIn(tx, "account", values);
        await changeProfile(rows, tx, values.userId, () => ({ unfinishedSince: null }));
      });
      return rows.complete("account", values);
    },
    session: async (values) => {
      await rows.transact(async (tx) => {
        await changeProfile(rows, tx, values.userId, (profile) => {
          // One who is disabled in this moment changes the same profile: one of both transactions runs again.
          if (profile.disabled === true) throw new QuernError("REQUEST_REFUSED", "This user is disabled.");
          return { signedInAt: isActing(values) ? (profile.signedInAt ?? null) : new Date() };
        });
        await rows.createIn(tx, "session", values);
      });
      return rows.complete("session", values);
    },
  };
}

/** What an update of rows writes. A session in which an administrator acts stays as it was begun: nothing renews it. */
export const updates: NonNullable<AdapterParts["updates"]> = {
  session: (row, values) => (isActing(row) ? {} : values),
};

function isActing({ actedBy = null }: Row): boolean {
  return actedBy !== null;
}

/** A user who was invited may have no profile yet. */
async function changeProfile(
  rows: HiddenRows,
  tx: Transaction,
  id: Row[string] | undefined,
  patch: (profile: Partial<Row>) => Partial<Row>,
): Promise<void> {
  const [found] = await rows.findIn(tx, profileTable, { where: [is("id", id)] });
  if (found) await tx.write([rows.set(profileTable, found.uid, patch(found.row))]);
  else await rows.createIn(tx, profileTable, { ...patch({}), id: id ?? null });
}
