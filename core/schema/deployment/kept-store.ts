// Stores names beside the data, under the hash of their schema text. A deploy writes its names before the switch, so that after a
// crash the names of the deployed text are there, whichever text that is.

import { createHash } from "node:crypto";
import type { Storage } from "../../contracts/storage/storage.ts";
import type { Json } from "../../ground/values/value.ts";
import { type KeptNames, keepsNothing, type NameMemory, nothingKept } from "../model/kept-names.ts";
import type { Deployment, PreparedDeployment } from "./deployment.ts";

const metaName = "keptNames";

/** The stored names of `document`, the deployed text. */
export async function readKept(storage: Storage, { document, version }: Pick<Deployment, "document" | "version">): Promise<KeptNames> {
  const snapshot = storage.snapshot({ version });
  try {
    const all = await snapshot.meta(metaName);
    const found = isRecord(all) ? all[keyOf(document)] : undefined;
    return isRecord(found) ? { types: readMemory(found.types), fields: readMemory(found.fields) } : nothingKept;
  } finally {
    snapshot.close();
  }
}

/** Names are stored for this many texts: the deployed one, and deploys that may be running on other servers. */
const maxTexts = 16;

/** Writes nothing if there are no names to store. */
export async function writeKept(
  storage: Storage,
  before: Pick<Deployment, "document" | "version" | "kept">,
  next: PreparedDeployment,
): Promise<void> {
  if (keepsNothing(before.kept) && keepsNothing(next.kept)) return;
  const mine = [before, next].map(({ document, kept }) => [keyOf(document), asJson(kept)] as const);
  const keys = new Set(mine.map(([key]) => key));
  await storage.transact(
    async (transaction) => {
      const all = await transaction.meta(metaName);
      const others = Object.entries(isRecord(all) ? all : {}).filter(([key]) => !keys.has(key));
      await transaction.setMeta(metaName, Object.fromEntries([...others, ...mine].slice(-maxTexts)));
    },
    { version: before.version },
  );
}

function keyOf(document: string): string {
  return createHash("sha256").update(document).digest("hex");
}

function asJson({ types, fields }: KeptNames): Json {
  const memory = ({ kept, left }: NameMemory) => ({ kept: Object.fromEntries(kept), left: Object.fromEntries(left) });
  return { types: memory(types), fields: memory(fields) };
}

function readMemory(value: Json | undefined): NameMemory {
  const { kept, left } = isRecord(value) ? value : {};
  return { kept: readNames(kept), left: readNames(left) };
}

function readNames(value: Json | undefined): ReadonlyMap<string, string> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return new Map(entries.flatMap(([key, name]) => (typeof name === "string" ? [[key, name] as const] : [])));
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
