// Brings a later export into a store that holds an earlier one: what is new, what has changed, and what is gone. What it does depends on the store alone, so after an
// interruption it is done again.

import { type Change, type FieldValues, QuernError } from "../../../core/storage.ts";
import { batches } from "./batches.ts";
import { compareStore, type UpdateCounts, type UpdateFile, updateFiles, updatePath } from "./compare-store.ts";
import { readLink, readPatch } from "./records.ts";
import { type ImportMark, typeName, unfinished, type WritingOptions } from "./write-store.ts";

/** @returns undefined when the store holds this export already */
export async function updateStore(options: Omit<WritingOptions, "newUids">): Promise<UpdateCounts | undefined> {
  const { store, fingerprint, analysis, folder, target, progress } = options;
  const kept = await store.mark();
  if (kept?.fingerprint === fingerprint && kept.phase === "done") return undefined;
  const { offset, until } = begun(kept, fingerprint);
  if (store.snapshot === undefined)
    throw new QuernError("CONFIG_INVALID", "--update needs --data or --config: a running server does not show what it holds.");
  const highest = offset + analysis.highestUid;
  const snapshot = store.snapshot();
  const counts = await compareStore({ target, folder, snapshot, offset, until, highest, progress }).finally(() => snapshot.close());
  let before = kept;
  const note = async (changes: readonly Change[], phase: ImportMark["phase"]) => {
    const mark = { fingerprint, phase, lines: 0, offset, until: Math.max(until, highest) };
    await store.apply(changes, { before, mark });
    before = mark;
  };
  await note([], "update");
  for (const file of updateFiles) {
    let done = 0;
    for await (const lines of batches(updatePath(folder, file), 0, store.batchSize)) {
      await note(
        lines.map((line) => changeOf(file, line, options)),
        "update",
      );
      done += lines.length;
      progress(steps[file], done, counts[file]);
    }
  }
  await store.claim(highest);
  await note([], "done");
  return counts;
}

/** What the import before has noted. */
function begun(kept: ImportMark | undefined, fingerprint: string): { readonly offset: number; readonly until: number } {
  if (kept === undefined)
    throw new QuernError("CONFIG_INVALID", "The store holds no import that could be updated.", { hint: "Run the import without --update." });
  if (kept.phase !== "done" && (kept.phase !== "update" || kept.fingerprint !== fingerprint))
    throw unfinished(kept.phase === "update" ? "--update" : undefined);
  if (kept.until !== undefined) return { offset: kept.offset, until: kept.until };
  throw new QuernError("CONFIG_INVALID", "Which nodes of the store are of the import is not known: it held others before.", {
    hint: "Import into an empty store, or with --new-uids; later exports can be brought into that with --update.",
  });
}

const steps: Readonly<Record<UpdateFile, string>> = {
  unlinked: "deleting links",
  removed: "deleting nodes",
  freed: "freeing keys",
  created: "adding nodes",
  changed: "changing nodes",
  linked: "adding links",
};

function changeOf(file: UpdateFile, line: string, { target }: Pick<WritingOptions, "target">): Change {
  if (file === "linked" || file === "unlinked") {
    const { end, from, fromType, to, toType } = readLink(line);
    const ends = { from, to, fromType: typeName(target, fromType), toType: typeName(target, toType) };
    return { kind: file === "linked" ? "link" : "unlink", end: target.endList[end]?.end.name ?? "", ...ends };
  }
  const { uid, type, fields } = readPatch(file === "removed" ? `${line}[]` : line, target);
  const node = { uid, type: typeName(target, type) };
  if (file === "removed") return { kind: "remove", ...node };
  return file === "created" ? { kind: "create", ...node, fields: valuesOf(fields) } : { kind: "set", ...node, fields };
}

function valuesOf(fields: ReturnType<typeof readPatch>["fields"]): FieldValues {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}
