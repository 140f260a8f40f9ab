// What a later export changes in a store that holds an earlier one: six files of lines in the scratch folder, in the order in which they are written.

import { join } from "node:path";
import { type FieldName, type Snapshot, type Stored, type Uid, writeJson } from "../../../core/storage.ts";
import { ExternalSorter, LineWriter, runLines } from "../sort/external-sorter.ts";
import { analysisFiles } from "./analyse.ts";
import { LostKeys } from "./lost-keys.ts";
import { readStore } from "./read-store.ts";
import { jsonOfStored, type NodeRecord, nodeKey, patchLine, readLink, readNode, uidAt, writeLink } from "./records.ts";
import type { Target } from "./target.ts";
import { uidTaken } from "./write-store.ts";

/** Links go before the nodes that they end at, and keys are given up before others take them. */
export const updateFiles = ["unlinked", "removed", "freed", "created", "changed", "linked"] as const;
export type UpdateFile = (typeof updateFiles)[number];

/** Lines of each file. */
export type UpdateCounts = Readonly<Record<UpdateFile, number>>;

export interface Comparing {
  readonly target: Target;
  readonly folder: string;
  readonly snapshot: Snapshot;
  /** Added to every uid of the export. */
  readonly offset: number;
  /** Nodes beyond are not of the import. */
  readonly until: Uid;
  /** The highest uid that the export mentions, in the store. */
  readonly highest: Uid;
  readonly progress: (step: string, done: number, total: number) => void;
}

export function updatePath(folder: string, file: UpdateFile): string {
  return join(folder, `${file}.update`);
}

export async function compareStore(comparing: Comparing): Promise<UpdateCounts> {
  const { target, folder, snapshot, progress } = comparing;
  const sorter = (name: string) => new ExternalSorter({ folder, name });
  const [nodes, links] = [sorter("stored-nodes"), sorter("stored-links")];
  await readStore({ target, snapshot, nodes, links, progress: (done) => progress("reading the store", done, 0) });
  const output = new UpdateWriter(folder);
  await compareNodes(nodes, output, comparing);
  await compareLinks(links, sorter("exported-links"), output, comparing);
  return await output.close();
}

class UpdateWriter {
  readonly #files: ReadonlyMap<UpdateFile, LineWriter>;
  readonly #counts = new Map<UpdateFile, number>();

  constructor(folder: string) {
    this.#files = new Map(updateFiles.map((file) => [file, new LineWriter(updatePath(folder, file))]));
  }

  async add(file: UpdateFile, line: string): Promise<void> {
    this.#counts.set(file, (this.#counts.get(file) ?? 0) + 1);
    await this.#files.get(file)?.add(line);
  }

  async close(): Promise<UpdateCounts> {
    for (const writer of this.#files.values()) await writer.close();
    const count = (file: UpdateFile) => this.#counts.get(file) ?? 0;
    return {
      unlinked: count("unlinked"),
      removed: count("removed"),
      freed: count("freed"),
      created: count("created"),
      changed: count("changed"),
      linked: count("linked"),
    };
  }
}

/** Both ascend by uid. */
async function compareNodes(stored: ExternalSorter, output: UpdateWriter, comparing: Comparing): Promise<void> {
  const { target, folder, offset } = comparing;
  const lost = new LostKeys(join(folder, analysisFiles.lostKeys), target);
  const exported = runLines(join(folder, analysisFiles.nodes));
  for await (const [old, line] of paired(stored.lines(), exported, (a, b) => uidAt(a, 0) - offset - uidAt(b, 0))) {
    const before = old === undefined ? undefined : readNode(old, target);
    if (before !== undefined) assertOfImport(before.uid, comparing);
    if (line === undefined) {
      if (before !== undefined && isOfImport(before.uid, comparing)) await output.add("removed", nodeKey(before.uid, before.type));
    } else {
      const { uid, type, values } = await lost.nodeOf(line, target);
      await compareNode(before, { uid: uid + offset, type, fields: byIndex(values, target) }, output, target);
    }
  }
  await lost.close();
}

/** Numbers up to the highest one of the export belong to its nodes. */
function assertOfImport(uid: Uid, { until, highest }: Comparing): void {
  if (uid > until && uid <= highest) throw uidTaken(uid);
}

function isOfImport(uid: Uid, { offset, until }: Comparing): boolean {
  return uid > offset && uid <= until;
}

function byIndex(values: ReadonlyMap<FieldName, Stored>, target: Target): ReadonlyMap<number, Stored> {
  return new Map(
    [...values].flatMap(([name, value]) => {
      const field = target.fields.get(name);
      return field === undefined ? [] : [[field.index, value] as const];
    }),
  );
}

async function compareNode(before: NodeRecord | undefined, after: NodeRecord, output: UpdateWriter, target: Target): Promise<void> {
  if (before?.type === after.type) return await compareValues(before, after, output, target);
  if (before !== undefined) await output.add("removed", nodeKey(before.uid, before.type));
  await output.add("created", patchLine(after, after.fields));
}

async function compareValues(before: NodeRecord, after: NodeRecord, output: UpdateWriter, target: Target): Promise<void> {
  const cleared = [...before.fields.keys()].filter((index) => !after.fields.has(index)).map((index) => [index, null] as const);
  const set = [...after.fields].filter(([index, value]) => !isEqual(before.fields.get(index), value));
  if (cleared.length + set.length === 0) return;
  const keys = new Set(target.typeList[after.type]?.keys.flatMap(({ layout }) => layout.fields));
  const freed = set
    .filter(([index]) => before.fields.has(index) && keys.has(target.fieldList[index]?.name ?? ""))
    .map(([index]) => [index, null] as const);
  if (freed.length > 0) await output.add("freed", patchLine(after, new Map(freed)));
  await output.add("changed", patchLine(after, new Map([...cleared, ...set])));
}

function isEqual(a: Stored | undefined, b: Stored): boolean {
  return a !== undefined && writeJson(jsonOfStored(a)) === writeJson(jsonOfStored(b));
}

/** Of a link one node may be new in the store: such links stay. */
async function compareLinks(stored: ExternalSorter, sorted: ExternalSorter, output: UpdateWriter, comparing: Comparing): Promise<void> {
  const { folder, offset } = comparing;
  for await (const line of runLines(join(folder, analysisFiles.links))) {
    const link = readLink(line);
    await sorted.add(writeLink({ ...link, from: link.from + offset, to: link.to + offset }));
  }
  for await (const [old, line] of paired(stored.lines(), sorted.lines(), (a, b) => (a === b ? 0 : a < b ? -1 : 1))) {
    if (old === undefined && line !== undefined) await output.add("linked", line);
    if (old === undefined || line !== undefined) continue;
    const { from, to } = readLink(old);
    if (isOfImport(from, comparing) && isOfImport(to, comparing)) await output.add("unlinked", old);
  }
}

/** The lines of two sorted sources, side by side where they are of the same. */
async function* paired(
  first: AsyncGenerator<string>,
  second: AsyncGenerator<string>,
  compare: (a: string, b: string) => number,
): AsyncGenerator<readonly [string | undefined, string | undefined]> {
  let [a, b] = [await first.next(), await second.next()];
  while (a.done !== true || b.done !== true) {
    const order = a.done === true ? 1 : b.done === true ? -1 : compare(a.value, b.value);
    yield [order <= 0 ? a.value : undefined, order >= 0 ? b.value : undefined];
    if (order <= 0) a = await first.next();
    if (order >= 0) b = await second.next();
  }
}
