// All nodes of one snapshot with their values and links, a few at a time.

import { setImmediate } from "node:timers/promises";
import type { Batch, EndName, FieldName, NodeType, Snapshot, Stored, Uid } from "../../../core/plugin.ts";
import { type Schema, Target } from "../import/target.ts";

/** A part of a node. A node with many links has several parts; the values are in the first. */
export interface NodePart {
  readonly uid: Uid;
  readonly type: ExportedType;
  readonly isFirst: boolean;
  readonly values: readonly (readonly [name: FieldName, value: Stored])[];
  readonly links: readonly (readonly [name: EndName, targets: readonly Uid[]])[];
}

/** A type whose nodes are exported. */
export interface ExportedType {
  readonly model: NodeType;
  /** Storage names of the stored fields. */
  readonly fields: readonly FieldName[];
  /** Storage names of the ends that state links. */
  readonly ends: readonly EndName[];
}

/** Up to where nodes were read: those of the types before `type`, and those of `type` up to this uid. */
export interface ReadPosition {
  /** The name of the type in the schema. */
  readonly type: string;
  readonly uid: Uid;
}

export interface ReadStep {
  readonly parts: readonly NodePart[];
  /** Where a later reading of the same snapshot can go on; undefined: links of these nodes follow. */
  readonly position: ReadPosition | undefined;
}

/** Nodes that are read at a time: a page takes a few milliseconds. */
const nodesAtOnce = 200;
const linksAtOnce = 1_000;

/** The types of a schema that store nodes of clients, by name. Types that plugins keep for themselves are not exported. */
export function exportedTypes({ model, layout }: Schema): readonly ExportedType[] {
  const target = new Target({ model, layout });
  const objects = [...model.nodeTypes.values()].filter((type) => type.kind === "object");
  return objects.flatMap((type) => {
    const stored = layout.types.find(({ name }) => name === type.stored);
    if (stored === undefined) return [];
    const ends = target.endList.filter(({ end, isStated }) => isStated && end.types.includes(type.stored)).map(({ end }) => end.name);
    return [{ model: type, fields: stored.fields.filter((name) => target.fields.has(name)), ends }];
  });
}

/** Lets other work go on after each page. @param from where an earlier reading has ended; undefined: at the beginning */
export async function* readNodes(snapshot: Snapshot, types: readonly ExportedType[], from?: ReadPosition): AsyncGenerator<ReadStep> {
  const first = Math.max(
    types.findIndex(({ model }) => model.name === from?.type),
    0,
  );
  for (const type of types.slice(first)) {
    let after = type.model.name === from?.type ? from.uid : 0;
    for (;;) {
      const page = await snapshot.find({
        types: [type.model.stored],
        where: { kind: "after", uid: after },
        page: { first: nodesAtOnce },
        fields: type.fields,
      });
      const last = page.uids.at(-1);
      if (last === undefined) break;
      for await (const parts of partsOf(snapshot, type, page)) yield { parts, position: undefined };
      after = last;
      yield { parts: [], position: { type: type.model.name, uid: after } };
      await setImmediate();
    }
  }
}

async function* partsOf(snapshot: Snapshot, type: ExportedType, page: Batch): AsyncGenerator<readonly NodePart[]> {
  const links = page.uids.map((): (readonly [EndName, readonly Uid[]])[] => []);
  const more: { readonly uid: Uid; readonly end: EndName; readonly after: Uid }[] = [];
  for (const end of type.ends) {
    const { starts, rows, nodes } = await snapshot.follow({ from: page.uids, end, page: { first: linksAtOnce }, fields: [] });
    for (const [i, uid] of page.uids.entries()) {
      const targets = rows.slice(starts[i], starts[i + 1]).map((row) => nodes.uids[row] ?? 0);
      if (targets.length > 0) links[i]?.push([end, targets]);
      if (targets.length === linksAtOnce) more.push({ uid, end, after: targets.at(-1) ?? 0 });
    }
  }
  yield page.uids.map((uid, i) => ({ uid, type, isFirst: true, values: valuesAt(type, page, i), links: links[i] ?? [] }));
  for (const each of more) yield* furtherLinks(snapshot, type, each);
}

function valuesAt({ fields }: ExportedType, { columns }: Batch, row: number): NodePart["values"] {
  return fields.flatMap((name, column) => {
    const value = columns[column]?.[row];
    return value === undefined ? [] : [[name, value] as const];
  });
}

async function* furtherLinks(
  snapshot: Snapshot,
  type: ExportedType,
  { uid, end, after }: { readonly uid: Uid; readonly end: EndName; readonly after: Uid },
): AsyncGenerator<readonly NodePart[]> {
  for (let last: Uid | undefined = after; last !== undefined; ) {
    const { nodes } = await snapshot.follow({ from: [uid], end, where: { kind: "after", uid: last }, page: { first: linksAtOnce }, fields: [] });
    if (nodes.uids.length > 0) yield [{ uid, type, isFirst: false, values: [], links: [[end, nodes.uids]] }];
    last = nodes.uids.length < linksAtOnce ? undefined : nodes.uids.at(-1);
    await setImmediate();
  }
}
