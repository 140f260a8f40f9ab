// Checks every index entry, column value and key against its record.

import { LRUCache } from "lru-cache";
import { formatUid, run, runAtOnce, type Work } from "../../../core/storage.ts";
import { boundedText, uidFromText } from "../keyspaces/keys.ts";
import type { CompoundIndexRuntime, IndexRuntime, KeyRuntime, OrderedIndexRuntime } from "../layout/layout-runtime.ts";
import { columnChunk } from "../structures/column.ts";
import type { CompoundEntry } from "../structures/compound-index.ts";
import type { PostingLists } from "../structures/posting-lists.ts";
import { typeIdOf } from "../structures/records.ts";
import { compoundText } from "../write/compound-text.ts";
import { eachEntry, entriesOf, keyTextOf } from "../write/entries.ts";
import { type Expected, partnersOf, shown } from "./check-nodes.ts";
import { checkCounter } from "./check-types.ts";
import type { Checking } from "./checking.ts";

/** @param expected the number of entries that the records have in each index, all of them found: an index with this count has no others */
export async function checkEntries(checking: Checking, expected: Expected): Promise<void> {
  const { indexes, keys } = checking.database.schema;
  for (const index of indexes.values()) {
    if (index.by === "ordered") await checkOrdered(checking, index);
    else if (index.by === "compound") await checkCompound(checking, index);
    else if ((await checkLists(checking, index)) !== (expected.get(index) ?? 0)) await checkBelonging(checking, index);
  }
  for (const key of keys) {
    await checkLists(checking, { name: key.layout.name, lists: key.lists });
    await checkHolders(checking, key);
  }
}

interface Listed {
  readonly name: string;
  readonly lists: PostingLists<string>;
}

/** Returns the number of entries. */
async function checkLists(checking: Checking, { name, lists }: Listed): Promise<number> {
  const { view, findings } = checking;
  const before = findings.entries;
  for await (const [text] of lists.heads.scan(view)) {
    checkCounter(checking, lists, text, `${name} ${shown(text.slice(1))}`);
    findings.entries += lists.open(text, view).all().length;
    await checking.tick(name, findings.entries, 0);
  }
  return findings.entries - before;
}

/** Visits every entry of an index. */
async function checkBelonging(checking: Checking, index: IndexRuntime & Listed): Promise<void> {
  const { view, findings } = checking;
  const { name, lists } = index;
  // Kept for the next entry of the same node: tokenizing a long text again for each of its terms would take hours.
  const texts = new LRUCache<number, ReadonlySet<string>>({ maxSize: maxKnownTexts, sizeCalculation: (known) => known.size + 1 });
  for await (const [text] of lists.heads.scan(view)) {
    for (const uid of lists.open(text, view).all()) {
      let known = texts.get(uid);
      if (known === undefined) {
        known = await run(textsOf(checking, index, uid));
        texts.set(uid, known);
      }
      if (known.has(text)) continue;
      findings.fault("index", `${name}: ${formatUid(uid)} does not belong under ${shown(text.slice(1))}`, () => lists.remove(text, uid, view));
    }
    await checking.tick(name, findings.entries, 0);
  }
}

/** A key has one holder, whose text it is. */
async function checkHolders(checking: Checking, key: KeyRuntime): Promise<void> {
  const { view, findings } = checking;
  const { layout, lists } = key;
  for await (const [text] of lists.heads.scan(view)) {
    const held = lists
      .open(text, view)
      .all()
      .filter((uid) => {
        const right = hasKeyText(checking, key, text, uid);
        if (!right)
          findings.fault("key", `${layout.name}: ${formatUid(uid)} does not belong under ${shown(text.slice(1))}`, () =>
            lists.remove(text, uid, view),
          );
        return right;
      });
    if (held.length > 1) findings.fault("key", `${layout.name}: ${shown(text.slice(1))} is held by ${held.slice(0, 10).map(formatUid).join(", ")}`);
    await checking.tick(layout.name, findings.entries, 0);
  }
}

function* textsOf({ database, view }: Checking, index: IndexRuntime, uid: number): Work<ReadonlySet<string>> {
  const record = database.schema.nodes.records.keyspace.read(uid, view);
  const texts = new Set<string>();
  if (record === undefined) return texts;
  const left = eachEntry(index, record, (key) => texts.add(boundedText(String(key))));
  if (left !== undefined) yield* left;
  return texts;
}

const maxKnownTexts = 1_000_000;

function hasKeyText(checking: Checking, key: KeyRuntime, text: string, uid: number): boolean {
  const { database, view } = checking;
  const { nodes, typeNames } = database.schema;
  const record = nodes.records.keyspace.read(uid, view);
  return record !== undefined && key.types.has(typeNames.get(typeIdOf(record)) ?? "") && keyTextOf(key, record, partnersOf(checking, uid)) === text;
}

async function checkOrdered(checking: Checking, index: OrderedIndexRuntime): Promise<void> {
  const { database, view, findings } = checking;
  const { records } = database.schema.nodes;
  const entries = index.entries.open(view);
  // Collects wrong entries first: removing during the scan would shift later entries.
  const wrong: { readonly key: string | number | bigint; readonly uid: number }[] = [];
  for (let b = 0; b < entries.blockCount; b++) {
    const block = entries.block(b);
    for (const [i, uid] of block.uids.entries()) {
      const key = block.keys[i] ?? 0;
      findings.entries++;
      if (!runAtOnce(entriesOf(index, records.keyspace.read(uid, view))).has(key)) wrong.push({ key, uid });
    }
    await checking.tick(index.name, findings.entries, 0);
  }
  for (const { key, uid } of wrong) {
    findings.fault("index", `${index.name}: ${formatUid(uid)} does not belong under ${shown(key)}`, () => index.entries.remove(key, uid, view));
  }
  if (index.column !== undefined) await checkColumn(checking, index, index.column);
}

async function checkCompound(checking: Checking, index: CompoundIndexRuntime): Promise<void> {
  const { database, view, findings } = checking;
  const { valued, missing } = index.compound;
  const { records } = database.schema.nodes;
  const isRight = (entry: CompoundEntry, uid: number) => runAtOnce(entriesOf(index, records.keyspace.read(uid, view))).has(compoundText(entry));
  const wrong: { readonly entry: CompoundEntry; readonly uid: number }[] = [];
  for await (const [list] of valued.directories.scan(view)) {
    const entries = valued.open(list, view);
    for (let b = 0; b < entries.blockCount; b++) {
      const { keys, uids } = entries.block(b);
      for (const [i, uid] of uids.entries()) {
        findings.entries++;
        const entry = { list, key: keys[i] };
        if (!isRight(entry, uid)) wrong.push({ entry, uid });
      }
      await checking.tick(index.name, findings.entries, 0);
    }
  }
  await checkLists(checking, { name: index.name, lists: missing });
  for await (const [list] of missing.heads.scan(view)) {
    for (const uid of missing.open(list, view).all()) {
      const entry = { list, key: undefined };
      if (!isRight(entry, uid)) wrong.push({ entry, uid });
    }
    await checking.tick(index.name, findings.entries, 0);
  }
  for (const { entry, uid } of wrong) {
    const place = shown(entry.list.slice(1));
    findings.fault("index", `${index.name}: ${formatUid(uid)} does not belong under ${place}`, () => index.compound.remove(entry, uid, view));
  }
}

/** Finds values of nodes that have none. Values of other nodes were compared with their records. */
async function checkColumn(checking: Checking, index: OrderedIndexRuntime, column: NonNullable<OrderedIndexRuntime["column"]>): Promise<void> {
  const { database, view, findings } = checking;
  for await (const [text, chunk] of column.chunks.scan(view)) {
    const first = uidFromText(text) * columnChunk;
    for (let i = 0; chunk !== undefined && i < columnChunk; i++) {
      if (Number.isNaN(chunk.high[i] ?? Number.NaN)) continue;
      const uid = first + i;
      if (database.schema.nodes.records.keyspace.read(uid, view) !== undefined) continue;
      findings.fault("column", `${index.name}: the column has a value for ${formatUid(uid)}, which is not there`, () =>
        column.set(uid, undefined, view),
      );
    }
  }
}
