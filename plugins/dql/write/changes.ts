// The changes that bring the store to what a draft says.

import {
  type Change,
  type Create,
  type FieldName,
  type FieldPatch,
  type FieldValues,
  type Link,
  type Remove,
  type Set as SetChange,
  type Stored,
  sameStored,
  type TypeName,
  type Unlink,
  type Work,
} from "../../../core/plugin.ts";
import { recordChanges } from "../overlay/loose-records.ts";
import type { OverlayNode } from "../overlay/overlay.ts";
import type { Draft } from "./draft.ts";

export interface DraftChanges {
  /** In an order in which a store takes them: what goes comes first. */
  readonly changes: readonly Change[];
  /** Records of the plugin that the changes need beside them. */
  readonly newRecords: readonly FieldValues[];
}

/** Nodes or links between two steps. */
const step = 64;

export function* changesOf(draft: Draft): Work<DraftChanges> {
  const nodes = [...draft.overlay.nodes.values()];
  const removals = yield* collected(nodes, removalOf);
  const { links, unlinks } = yield* linkChanges(draft);
  const sets = yield* collected(nodes, (node) => setOf(node, draft));
  const creations = yield* collected(nodes, (node) => creationOf(node, draft));
  const records = yield* recordChanges(draft.overlay, { ...draft.facts, records: draft.records });
  return {
    changes: [...byType(removals), ...unlinks, ...byType(sets), ...byType(creations), ...links, ...records.changes],
    newRecords: records.created,
  };
}

function* collected<C>(nodes: readonly OverlayNode[], changesOfNode: (node: OverlayNode) => readonly C[]): Work<readonly C[]> {
  const found: C[] = [];
  for (const [i, node] of nodes.entries()) {
    if (i % step === step - 1) yield;
    found.push(...changesOfNode(node));
  }
  return found;
}

/** Hooks get the changes to nodes of one type together. */
function byType<C extends { readonly type: TypeName }>(changes: readonly C[]): readonly C[] {
  return [...changes].sort((a, b) => (a.type < b.type ? -1 : Number(a.type > b.type)));
}

function removalOf({ uid, native, type }: OverlayNode): readonly Remove[] {
  return native !== undefined && native !== type ? [{ kind: "remove", uid, type: native }] : [];
}

function setOf(node: OverlayNode, draft: Draft): readonly SetChange[] {
  const { uid, native, type } = node;
  if (native === undefined || native !== type) return [];
  const own = draft.facts.fieldsOf(type);
  const stored = draft.stored.get(uid);
  const patch = [...node.fields].filter(([field, value]) => own.has(field) && !sameStored(value ?? undefined, stored?.get(field)));
  return patch.length === 0 ? [] : [{ kind: "set", uid, type, fields: Object.fromEntries(patch) satisfies FieldPatch }];
}

function creationOf(node: OverlayNode, { facts }: Draft): readonly Create[] {
  const { uid, native, type, fields } = node;
  if (type === undefined || native === type) return [];
  const own = facts.fieldsOf(type);
  const values = [...fields].flatMap(([field, value]): [FieldName, Stored][] => (value === null || !own.has(field) ? [] : [[field, value]]));
  return [{ kind: "create", uid, type, fields: Object.fromEntries(values) }];
}

function* linkChanges({ overlay, facts }: Draft): Work<{ readonly links: readonly Link[]; readonly unlinks: readonly Unlink[] }> {
  const links: Link[] = [];
  const unlinks: Unlink[] = [];
  let count = 0;
  for (const { end, from, to, on } of overlay.links.all()) {
    if (++count % step === 0) yield;
    const [one, other] = [overlay.nodes.get(from), overlay.nodes.get(to)];
    const change = { end: endFor(end, { facts, from: one?.type, to: other?.type }), from, to, fromType: one?.type ?? "", toType: other?.type ?? "" };
    // A node that goes, or gets another type, takes its links along.
    const isKept = one?.native !== undefined && one.native === one.type && other?.native !== undefined && other.native === other.type;
    if (on && facts.isNative(end, one?.type, other?.type)) links.push({ kind: "link", ...change });
    if (!on && isKept) unlinks.push({ kind: "unlink", ...change });
  }
  return { links, unlinks };
}

interface Between {
  readonly facts: Draft["facts"];
  readonly from: TypeName | undefined;
  readonly to: TypeName | undefined;
}

/** The end of its side that shows links between such nodes. */
function endFor(end: string, { facts, from = "", to = "" }: Between): string {
  const { edges } = facts.index;
  const { edge, reads } = edges.direction(end);
  const [first, second] = edges.sidesOf(edge);
  const side = reads === "backwards" ? second : first;
  return side.find((each) => each.types.includes(from) && each.partners.includes(to))?.name ?? end;
}
