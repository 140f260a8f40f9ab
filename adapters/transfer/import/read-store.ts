// What a store holds of an import's types, as the lines of an export: nodes by uid, links by end.

import { setImmediate } from "node:timers/promises";
import type { Snapshot, Uid } from "../../../core/storage.ts";
import type { ExternalSorter } from "../sort/external-sorter.ts";
import { writeLink, writeNode } from "./records.ts";
import type { Target, TargetEnd, TargetType } from "./target.ts";

export interface StoreReading {
  readonly target: Target;
  readonly snapshot: Snapshot;
  readonly nodes: ExternalSorter;
  readonly links: ExternalSorter;
  readonly progress: (done: number) => void;
}

const nodesAtOnce = 500;
const linksAtOnce = 1_000;

/** Types that plugins keep for themselves are left out. */
export async function readStore(reading: StoreReading): Promise<void> {
  let done = 0;
  for (const type of reading.target.typeList.filter(({ isHidden }) => !isHidden)) {
    for await (const uids of pagesOf(type, reading)) {
      for (const end of endsToFollow(reading.target, type)) await readLinks(uids, { type, end }, reading);
      done += uids.length;
      reading.progress(done);
      await setImmediate();
    }
  }
}

/** Adds the nodes of a type, and returns their uids. */
async function* pagesOf(type: TargetType, { target, snapshot, nodes }: StoreReading): AsyncGenerator<readonly Uid[]> {
  const fields = target.fieldList.filter(({ name }) => type.fields.has(name));
  for (let after = 0; ; ) {
    const page = await snapshot.find({
      types: [type.name],
      where: { kind: "after", uid: after },
      page: { first: nodesAtOnce },
      fields: fields.map(({ name }) => name),
    });
    const last = page.uids.at(-1);
    if (last === undefined) return;
    for (const [row, uid] of page.uids.entries()) {
      const values = fields.flatMap(({ index }, column) => {
        const value = page.columns[column]?.[row];
        return value === undefined ? [] : [[index, value] as const];
      });
      await nodes.add(writeNode({ uid, type: type.index, fields: new Map(values) }));
    }
    yield page.uids;
    after = last;
  }
}

/** An import writes each link through one end: that of the first side, where it has one. */
function endsToFollow(target: Target, type: TargetType): readonly TargetEnd[] {
  return target.endList.filter(({ end, edge, side }) => {
    if (!end.types.includes(type.name)) return false;
    return side === 0 || end.partners.some((partner) => target.endAt(edge, 0, partner, type.name) === undefined);
  });
}

interface Followed {
  readonly type: TargetType;
  readonly end: TargetEnd;
}

async function readLinks(uids: readonly Uid[], followed: Followed, reading: StoreReading): Promise<void> {
  const { snapshot } = reading;
  const { name } = followed.end.end;
  const { starts, rows, nodes } = await snapshot.follow({ from: uids, end: name, page: { first: linksAtOnce }, fields: [] });
  for (const [i, from] of uids.entries()) {
    const found = rows.slice(starts[i], starts[i + 1]);
    for (const row of found) await addLink({ from, to: nodes.uids[row] ?? 0, toType: nodes.types[row] ?? "" }, followed, reading);
    if (found.length === linksAtOnce) await readFurther(from, nodes.uids[found.at(-1) ?? 0] ?? 0, followed, reading);
  }
}

async function readFurther(from: Uid, after: Uid, followed: Followed, reading: StoreReading): Promise<void> {
  for (let last: Uid | undefined = after; last !== undefined; ) {
    const where = { kind: "after", uid: last } as const;
    const { nodes } = await reading.snapshot.follow({ from: [from], end: followed.end.end.name, where, page: { first: linksAtOnce }, fields: [] });
    for (const [row, to] of nodes.uids.entries()) await addLink({ from, to, toType: nodes.types[row] ?? "" }, followed, reading);
    last = nodes.uids.length < linksAtOnce ? undefined : nodes.uids.at(-1);
  }
}

interface SeenLink {
  readonly from: Uid;
  readonly to: Uid;
  readonly toType: string;
}

async function addLink({ from, to, toType }: SeenLink, { type, end }: Followed, { target, links }: StoreReading): Promise<void> {
  const partner = target.types.get(toType);
  if (partner === undefined || isSeenFromOther({ from, to, toType }, { type, end }, target)) return;
  await links.add(writeLink({ end: end.index, from, fromType: type.index, to, toType: partner.index }));
}

/** The other node shows the link by the end through which an import writes it. */
function isSeenFromOther({ from, to, toType }: SeenLink, { type, end }: Followed, target: Target): boolean {
  const isOneSided = end.edge.sides.length === 1;
  if (isOneSided ? from <= to : end.side === 0) return false;
  return target.endAt(end.edge, 0, toType, type.name) !== undefined;
}
