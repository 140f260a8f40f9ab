// Every index entry, column value and key against the record it claims to come from.

import { formatUid } from "../../../core/index.ts";
import { boundedText, uidFromText } from "../cells/keys.ts";
import type { IndexRuntime, KeyRuntime, OrderedIndexRuntime } from "../deploy/schema.ts";
import { columnChunk } from "../structures/column.ts";
import type { PostingLists } from "../structures/posting-lists.ts";
import { typeIdOf } from "../structures/records.ts";
import { entriesOf, keyTextOf } from "../write/entries.ts";
import { shown } from "./check-nodes.ts";
import { checkCounter } from "./check-types.ts";
import type { Checking } from "./checking.ts";

export async function checkEntries(checking: Checking): Promise<void> {
  const { indexes, keys } = checking.database.schema;
  for (const index of indexes.values()) {
    if (index.by === "ordered") await checkOrdered(checking, index);
    else {
      const known = new KnownTexts((uid) => textsOf(checking, index, uid));
      await checkLists(checking, { kind: "index", name: index.name, lists: index.lists, belongs: (text, uid) => known.of(uid).has(text) });
    }
  }
  for (const key of keys)
    await checkLists(checking, {
      kind: "key",
      name: key.layout.name,
      lists: key.lists,
      belongs: (text, uid) => hasKeyText(checking, key, text, uid),
    });
}

interface ListCheck {
  readonly kind: "index" | "key";
  readonly name: string;
  readonly lists: PostingLists<string>;
  readonly belongs: (text: string, uid: number) => boolean;
}

async function checkLists(checking: Checking, { kind, name, lists, belongs }: ListCheck): Promise<void> {
  const { view, findings } = checking;
  for await (const [text] of lists.heads.scan(view)) {
    checkCounter(checking, lists, text, `${name} ${shown(text.slice(1))}`);
    const uids = lists.open(text, view).all();
    findings.entries += uids.length;
    const held = uids.filter((uid) => {
      const right = belongs(text, uid);
      if (!right)
        findings.fault(kind, `${name}: ${formatUid(uid)} does not belong under ${shown(text.slice(1))}`, () => lists.remove(text, uid, view));
      return right;
    });
    if (kind === "key" && held.length > 1)
      findings.fault("key", `${name}: ${shown(text.slice(1))} is held by ${held.slice(0, 10).map(formatUid).join(", ")}`);
    await checking.tick(name, findings.entries, 0);
  }
}

function textsOf({ database, view }: Checking, index: IndexRuntime, uid: number): ReadonlySet<string> {
  const record = database.schema.nodes.records.family.read(uid, view);
  return new Set(Array.from(entriesOf(index, record).keys(), (key) => boundedText(String(key))));
}

const maxKnownTexts = 1_000_000;

/** The texts of nodes, kept for the next entry of the same node: a long text that was cut anew for each of its terms would take hours. */
class KnownTexts {
  readonly #make: (uid: number) => ReadonlySet<string>;
  readonly #texts = new Map<number, ReadonlySet<string>>();
  #count = 0;

  constructor(make: (uid: number) => ReadonlySet<string>) {
    this.#make = make;
  }

  of(uid: number): ReadonlySet<string> {
    const known = this.#texts.get(uid);
    if (known !== undefined) return known;
    const made = this.#make(uid);
    this.#texts.set(uid, made);
    this.#count += made.size;
    for (const [oldest, texts] of this.#texts) {
      if (this.#count <= maxKnownTexts || oldest === uid) break;
      this.#texts.delete(oldest);
      this.#count -= texts.size;
    }
    return made;
  }
}

function hasKeyText({ database, view }: Checking, key: KeyRuntime, text: string, uid: number): boolean {
  const { nodes, typeNames } = database.schema;
  const record = nodes.records.family.read(uid, view);
  return record !== undefined && key.types.has(typeNames.get(typeIdOf(record)) ?? "") && keyTextOf(key, record) === text;
}

async function checkOrdered(checking: Checking, index: OrderedIndexRuntime): Promise<void> {
  const { database, view, findings } = checking;
  const { records } = database.schema.nodes;
  const entries = index.entries.open(view);
  // Removing while walking would shift what is ahead: wrong entries are gathered first.
  const wrong: { readonly key: string | number | bigint; readonly uid: number }[] = [];
  for (let b = 0; b < entries.blockCount; b++) {
    const block = entries.block(b);
    for (const [i, uid] of block.uids.entries()) {
      const key = block.keys[i] ?? 0;
      findings.entries++;
      if (!entriesOf(index, records.family.read(uid, view)).has(key)) wrong.push({ key, uid });
    }
    await checking.tick(index.name, findings.entries, 0);
  }
  for (const { key, uid } of wrong) {
    findings.fault("index", `${index.name}: ${formatUid(uid)} does not belong under ${shown(key)}`, () => index.entries.remove(key, uid, view));
  }
  if (index.column !== undefined) await checkColumn(checking, index, index.column);
}

/** Values of nodes that have none; those of nodes that have one were compared with their records. */
async function checkColumn(checking: Checking, index: OrderedIndexRuntime, column: NonNullable<OrderedIndexRuntime["column"]>): Promise<void> {
  const { database, view, findings } = checking;
  for await (const [text, cells] of column.cells.scan(view)) {
    const first = uidFromText(text) * columnChunk;
    for (let i = 0; cells !== undefined && i < columnChunk; i++) {
      if (Number.isNaN(cells.high[i] ?? Number.NaN)) continue;
      const uid = first + i;
      if (database.schema.nodes.records.family.read(uid, view) !== undefined) continue;
      findings.fault("column", `${index.name}: the column has a value for ${formatUid(uid)}, which is not there`, () =>
        column.set(uid, undefined, view),
      );
    }
  }
}
