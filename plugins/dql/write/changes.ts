// The changes that bring the store to what a draft says.

import {
  type Change,
  type FieldName,
  type FieldPatch,
  type Link,
  type Stored,
  sameStored,
  type TypeName,
  type Uid,
  type Unlink,
} from "../../../core/plugin.ts";
import { recordChanges } from "../overlay/loose-records.ts";
import type { OverlayNode } from "../overlay/overlay.ts";
import type { Draft } from "./draft.ts";

/** In an order in which a store takes them: what goes comes first. @param uids for nodes that the changes make beside those of the draft */
export function changesOf(draft: Draft, uids: () => Uid): readonly Change[] {
  const nodes = [...draft.overlay.nodes.values()];
  const { links, unlinks } = linkChanges(draft);
  return [
    ...nodes.flatMap(removalOf),
    ...unlinks,
    ...nodes.flatMap((node) => setOf(node, draft)),
    ...nodes.flatMap((node) => creationOf(node, draft)),
    ...links,
    ...recordChanges(draft.overlay, { ...draft.facts, records: draft.records, uids }),
  ];
}

function removalOf({ uid, native, type }: OverlayNode): readonly Change[] {
  return native !== undefined && native !== type ? [{ kind: "remove", uid, type: native }] : [];
}

function setOf(node: OverlayNode, draft: Draft): readonly Change[] {
  const { uid, native, type } = node;
  if (native === undefined || native !== type) return [];
  const own = draft.facts.fieldsOf(type);
  const stored = draft.stored.get(uid);
  const patch = [...node.fields].filter(([field, value]) => own.has(field) && !sameStored(value ?? undefined, stored?.get(field)));
  return patch.length === 0 ? [] : [{ kind: "set", uid, type, fields: Object.fromEntries(patch) satisfies FieldPatch }];
}

function creationOf(node: OverlayNode, { facts }: Draft): readonly Change[] {
  const { uid, native, type, fields } = node;
  if (type === undefined || native === type) return [];
  const own = facts.fieldsOf(type);
  const values = [...fields].flatMap(([field, value]): [FieldName, Stored][] => (value === null || !own.has(field) ? [] : [[field, value]]));
  return [{ kind: "create", uid, type, fields: Object.fromEntries(values) }];
}

function linkChanges({ overlay, facts }: Draft): { readonly links: readonly Link[]; readonly unlinks: readonly Unlink[] } {
  const links: Link[] = [];
  const unlinks: Unlink[] = [];
  for (const { end, from, to, on } of overlay.links.all()) {
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
