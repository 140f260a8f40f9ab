// The least uid that a store gives to new nodes after its files were replaced. The new files may be older than the ones of before, and a client may have
// kept the uid of a node that only those had: it must not find another node there.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { QuernError, type Uid } from "../../../core/storage.ts";
import { writeDurably } from "../../storage-kit/index.ts";
import { isMissing } from "./manifest.ts";

const noteFile = "least-uid.json";

/**
 * 1 when nothing was replaced.
 *
 * @throws QuernError `STORE_CORRUPT` when the file holds no uid
 */
export async function readLeastUid(folder: string): Promise<Uid> {
  const text = await readFile(join(folder, noteFile), "utf8").catch((reason: unknown) => {
    if (isMissing(reason)) return "1";
    throw reason;
  });
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new QuernError("STORE_CORRUPT", `${noteFile} does not hold the least uid for new nodes`, {
    hint: "Write a number into it that is above every uid that clients may have kept.",
  });
}

/** It never falls, also when a replacement is undone. On the disk when this resolves. */
export async function raiseLeastUid(folder: string, uid: Uid): Promise<void> {
  if (uid > (await readLeastUid(folder))) await writeDurably(join(folder, noteFile), JSON.stringify(uid));
}
