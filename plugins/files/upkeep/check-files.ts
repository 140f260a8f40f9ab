// Compares the store of files with the database: what is missing, what is damaged, and what nothing refers to.

import { createHash } from "node:crypto";
import type { KernelAccess, OutsideCheck, OutsideFault } from "../../../core/plugin.ts";
import { goneFields, goneType, pieceFields, pieceType, sizeFields, sizeType } from "../records/layout.ts";
import type { FileStore } from "../stores/file-store.ts";
import { type ReferredFile, referredFiles, referredKeys } from "./referred-files.ts";

/** Keys of the store that are looked up at a time. */
const atOnce = 200;

/** Reads every byte. What comes or goes meanwhile is no fault. */
export async function* checkFiles(store: FileStore, kernel: KernelAccess, { repair }: OutsideCheck): AsyncGenerator<OutsideFault> {
  for await (const file of referredFiles(kernel)) {
    const fault = await faultOf(store, file);
    if (fault !== undefined && (await referredKeys(kernel, [file.key])).has(file.key)) yield { ...fault, isRepaired: false };
  }
  for await (const key of orphans(store, kernel)) {
    if (repair) await store.remove(key);
    yield { kind: "orphaned", message: `nothing refers to the file ${key}`, isRepaired: repair };
  }
}

async function faultOf(
  store: FileStore,
  { uid, key, bytes, sha256, what }: ReferredFile,
): Promise<Pick<OutsideFault, "kind" | "message"> | undefined> {
  const place = `the ${what} 0x${uid.toString(16)} (${key})`;
  const found = await store.size(key);
  if (found === undefined) return { kind: "missing", message: `${place} has no bytes` };
  if (found !== bytes) return { kind: "damaged", message: `${place} has ${found} bytes instead of ${bytes}` };
  const hash = createHash("sha256");
  for await (const piece of store.read(key, { start: 0, end: bytes })) hash.update(piece);
  return hash.digest("hex") === sha256 ? undefined : { kind: "damaged", message: `${place} has other bytes than were sent: their SHA-256 differs` };
}

async function* orphans(store: FileStore, kernel: KernelAccess): AsyncGenerator<string> {
  let batch: string[] = [];
  for await (const { key } of store.list()) {
    batch.push(key);
    if (batch.length < atOnce) continue;
    yield* await unreferred(batch, kernel);
    batch = [];
  }
  yield* await unreferred(batch, kernel);
}

/** An upload is written down before its bytes are, and no key comes twice: what nothing refers to now, nothing will. */
async function unreferred(keys: readonly string[], kernel: KernelAccess): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const known = await referredKeys(kernel, keys, [
    { type: goneType, what: "removal", fields: [goneFields.key] },
    { type: pieceType, what: "piece", fields: [pieceFields.key] },
    { type: sizeType, what: "size", fields: [sizeFields.key] },
  ]);
  return keys.filter((key) => !known.has(key));
}
