// Who writes a part of a key within others needs the right to read its other parts. Otherwise objects of one's own, one for each guess, would tell
// a hidden part by a refusal.

import type { Change, ChangesContext, FieldName, LinkField, Model, NodeRef, NodeType, ValueField } from "../../core/plugin.ts";
import { QuernError } from "../../core/plugin.ts";

interface Key {
  readonly type: NodeType;
  readonly fields: readonly (ValueField | LinkField)[];
}

interface Part {
  readonly node: NodeRef;
  readonly stored: FieldName;
}

/** The hook `changes`; undefined for a model without such keys. */
export function guardScopes(model: Model): ((context: ChangesContext) => Promise<undefined>) | undefined {
  const types = [...model.nodeTypes.values()].filter(({ kind }) => kind === "object");
  const keys = types.flatMap((type) => type.scopedKeys.map(({ field, within }): Key => ({ type, fields: [field, ...within] })));
  if (keys.length === 0) return undefined;
  return async (context) => {
    const made = new Set(context.changes.flatMap((change) => (change.kind === "create" ? [change.uid] : [])));
    for (const key of keys) await assertReadable(key, made, context);
    return undefined;
  };
}

async function assertReadable({ type, fields }: Key, made: ReadonlySet<number>, { changes, sees }: ChangesContext): Promise<void> {
  const parts = changes.flatMap((change) => partsOf(change, fields)).filter(({ node }) => node.type === type.stored && !made.has(node.uid));
  if (parts.length === 0) return;
  const written = new Set(parts.map(({ node, stored }) => `${node.uid} ${stored}`));
  const nodes = parts.map(({ node }) => node);
  const isSeen = await sees(
    nodes,
    fields.map(({ stored }) => stored),
  );
  const isOpen = ({ node: { uid } }: Part) => fields.every(({ stored }) => written.has(`${uid} ${stored}`) || isSeen(uid, stored));
  if (parts.every(isOpen)) return;
  const names = fields.map(({ name }) => name).join(" and ");
  throw new QuernError("REQUEST_REFUSED", `${type.name}: ${names} are one key, and who writes one of them needs the right to read the others`, {
    hint: "Write all of them, or choose objects of which you may read them.",
  });
}

/** What a change writes of a key. A link may be written from its other side. */
function partsOf(change: Change, fields: Key["fields"]): readonly Part[] {
  if (change.kind === "set") {
    const { uid, type } = change;
    return fields.flatMap(({ stored }) => ((change.fields[stored] ?? null) === null ? [] : [{ node: { uid, type }, stored }]));
  }
  if (change.kind !== "link") return [];
  const { end, from, fromType, to, toType } = change;
  return fields.flatMap((field) => {
    if (field.role !== "link") return [];
    if (field.stored === end) return [{ node: { uid: from, type: fromType }, stored: end }];
    return field.inverse?.stored === end ? [{ node: { uid: to, type: toType }, stored: field.stored }] : [];
  });
}
