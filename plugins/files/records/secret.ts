// The secret by which addresses of files are signed: in the database, so that every server on it knows the same.

import { randomBytes } from "node:crypto";
import type { ChangesTransaction, Snapshot } from "../../../core/plugin.ts";

const name = "files.secret";

/** Undefined: nothing has ever been uploaded. */
export async function readSecret(snapshot: Pick<Snapshot, "meta">): Promise<string | undefined> {
  const secret = await snapshot.meta(name);
  return typeof secret === "string" ? secret : undefined;
}

/** The first file brings it. */
export async function ensureSecret(transaction: ChangesTransaction): Promise<void> {
  if ((await readSecret(transaction)) === undefined) await transaction.setMeta(name, randomBytes(32).toString("base64url"));
}
